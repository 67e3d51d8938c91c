import { describe, expect, test } from "bun:test"
import { mainContentOf } from "../../../../src/ingest/formats/text/main-content.ts"

const AROUND = "<nav><a href=/>Navigation</a></nav><header>Banner</header>"
const FOOT = "<footer>Imprint</footer>"
const LONG = "The pump is loud, and it needs oil every day. ".repeat(30)

describe("the main content of a page", () => {
  test.each([
    [
      "long",
      `<html><head><title>A &amp; B</title></head><body>${AROUND}<main><p>${LONG}</p></main>${FOOT}</body></html>`,
    ],
    [
      "short",
      `<html><head><title>A &amp; B</title></head><body>${AROUND}<main><p>The pump is loud.</p></main>${FOOT}</body></html>`,
    ],
    [
      "without a main part",
      `<html><head><title>A &amp; B</title></head><body>${AROUND}<div><p>The pump is loud.</p></div>${FOOT}</body></html>`,
    ],
    [
      "without html and body tags",
      `<title>A &amp; B</title>${AROUND}<article><p>The pump is loud.</p></article>${FOOT}`,
    ],
  ])("of one that is %s leaves out what surrounds it, and keeps the title", (_, html) => {
    const main = mainContentOf(html)
    expect(main).toContain("The pump is loud")
    expect(main).toContain("<title>A &amp; B</title>")
    for (const word of ["Navigation", "Banner", "Imprint"]) expect(main).not.toContain(word)
  })

  test.each([
    ["too deep", `<html><body>${"<div>".repeat(60_000)}text`],
    ["of too many elements", `<html><body>${"<p>text</p>".repeat(40_000)}`],
    ["too long", `<html><body><p>${"text ".repeat(1_000_000)}</p></body></html>`],
    ["no page", "plain text"],
    ["empty", ""],
  ])("a page that is %s stays as it is", (_, html) => {
    const main = mainContentOf(html)
    expect(main === html || html === "plain text").toBe(true)
    expect(main.includes("text")).toBe(html !== "")
  })
})
