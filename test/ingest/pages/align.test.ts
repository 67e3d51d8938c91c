import { expect, test } from "bun:test"
import { align } from "../../../src/ingest/pages/align.ts"

/** What of the stored text each character of the page became; `·` where it became none. */
function placed(text: string, shown: string): string {
  const characters = [...shown].map(sign => ({ text: sign }))
  return Array.from(align(text, characters), (at, i) =>
    at < 0 ? "·" : text[i] === "\n" ? "·" : characters[at]!.text,
  ).join("")
}

test.each([
  ["alike", "The rent is due", "The rent is due", "The·rent·is·due"],
  ["blanks and line ends that were tidied", "The rent\nis due", "  The  rent \r\n is due ", "The·rent·is·due"],
  ["a hyphen at a line end", "the tenancy ends", "the ten\ufffe\r\nancy ends", "the·tenancy·ends"],
  ["a ligature, of which each letter has its place", "an office", "an o\ufb03ce", "an·o\ufb03\ufb03\ufb03ce"],
  [
    "what was filled in",
    "Name: Ada Lovelace of Ockham House",
    "Name: of Ockham House",
    "Name:··············of·Ockham·House",
  ],
  ["what was filled in before a short end", "Rent: 900 EUR", "Rent: EUR", "Rent:·····EUR"],
  ["what is not stored", "The first page of it", "Page 3 The first page of it", "The·first·page·of·it"],
  ["signs beyond the first plane", "to 😀 you", "to 😀 you", "to·😀😀·you"],
] as const)("%s", (_, text, shown, expected) => {
  expect(placed(text, shown)).toBe(expected)
})

test("texts that have nothing in common end soon", () => {
  const [text, shown] = ["abcdefgh ".repeat(20_000), "ijklmnop ".repeat(20_000)]
  expect(
    new Set(
      align(
        text,
        [...shown].map(sign => ({ text: sign })),
      ),
    ),
  ).toEqual(new Set([-1]))
})

test("a text that is the page's over and over, with something between, ends soon", () => {
  const shown = [..."the same words again and ".repeat(5_000)].map(sign => ({ text: sign }))
  const text = "the same words again X and ".repeat(5_000)
  const found = align(text, shown)
  expect(found.filter(at => at >= 0).length).toBeGreaterThan(text.replace(/[\sX]/g, "").length * 0.9)
})
