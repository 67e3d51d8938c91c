import { expect, test } from "bun:test"
import { chosenWindows, MAX_WINDOWS, WINDOW_CHARS } from "../../../src/search/rerank/windows.ts"

const filler = (words: number) => Array.from({ length: words }, (_, i) => `filler${i % 97}`).join(" ")

test("a passage of the library is one window", () => {
  const text = filler(120)
  expect(chosenWindows("filler", text)).toEqual([text])
  expect(chosenWindows("anything", "")).toEqual([""])
})

test("of a long text its beginning and the windows that hold the query's words are judged, and no more than three", () => {
  const text = `${filler(5_000)} the heron nests in March ${filler(5_000)} herons and a heron ${filler(3_000)}`
  const windows = chosenWindows("When does the heron nest?", text)
  expect(windows.length).toBe(MAX_WINDOWS)
  expect(windows[0]).toBe(text.slice(0, windows[0]!.length))
  expect(windows.some(window => window.includes("the heron nests in March"))).toBe(true)
})

test("windows end between words, share what stands at their seam, and leave nothing out", () => {
  const text = filler(330)
  const windows = chosenWindows("filler1", text)
  expect(windows.length).toBeGreaterThan(1)
  expect(windows.length).toBeLessThanOrEqual(MAX_WINDOWS)
  for (const [at, window] of windows.slice(0, -1).entries()) {
    expect(text[text.indexOf(window) + window.length]).toBe(" ")
    expect(window.endsWith(windows[at + 1]!.slice(0, 100))).toBe(false)
    expect(window.includes(windows[at + 1]!.slice(0, 100))).toBe(true)
  }
  expect(text.endsWith(windows.at(-1)!)).toBe(true)
})

test("a text without blanks is cut all the same, never inside a character", () => {
  const windows = chosenWindows("水", "水😀".repeat(2_000))
  expect(windows.length).toBe(MAX_WINDOWS)
  for (const window of windows) {
    expect(window.length).toBeLessThanOrEqual(WINDOW_CHARS + 150)
    expect(window.isWellFormed()).toBe(true)
  }
})

test("a query of a thousand words and a text of a megabyte take no longer than the text is long", () => {
  const windows = chosenWindows(filler(1_000), "a ".repeat(500_000))
  expect(windows.length).toBe(MAX_WINDOWS)
})
