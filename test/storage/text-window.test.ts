import { afterAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readTextWindow } from "../../src/storage/text-window.ts"
import { fileBytes } from "./blobs/file-bytes.ts"

const directory = mkdtempSync(join(tmpdir(), "carrel-window-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test("a stretch of a text in a file is the slice of the text, wherever characters of several bytes lie", async () => {
  const text = "aä中😀–b".repeat(400_000)
  const path = join(directory, "text")
  writeFileSync(path, text)
  for (const start of [0, 1, 104_857, 349_524, 349_527, 1_000_003, text.length - 5, text.length, text.length + 9])
    for (const length of [0, 1, 3, 5000, 900_000])
      if ((await readTextWindow(fileBytes(path), start, start + length)) !== text.slice(start, start + length))
        throw new Error(`${start} + ${length} differs`)
  expect(await readTextWindow(fileBytes(path), 0, Number.MAX_SAFE_INTEGER)).toBe(text)
})
