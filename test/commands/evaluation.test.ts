import { Database as Sqlite } from "bun:sqlite"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compareWith } from "../../src/commands/evaluation/measure.ts"
import { copyLibrary, withCopy } from "../../src/commands/evaluation/sample.ts"
import { readConfig } from "../../src/config.ts"
import { TestLibrary, wordEmbedder } from "../search/library.ts"

const PASSAGES = 300

let library: TestLibrary
const folder = mkdtempSync(join(tmpdir(), "carrel-evaluation-"))
beforeAll(async () => {
  library = await TestLibrary.open()
  await library.put(
    "file_a",
    Array.from({ length: PASSAGES - 1 }, (_, i) => `The otter swims, for day ${i}.`).join("\n"),
  )
  await library.put("file_b", "The heron wades.")
})
afterAll(async () => {
  await library.close()
  rmSync(folder, { recursive: true, force: true })
})

test("how far the vectors of a copy are is told of all of its passages", async () => {
  const options = { workspaceId: "ws_a", wanted: new Set<string>(), passages: 1_000, keyFile: "" }
  expect(await copyLibrary(library.db, folder, options)).toEqual({ passages: PASSAGES, total: PASSAGES })
  const told: [done: number, total: number][] = []
  const embedders = { fast: wordEmbedder() }
  await withCopy(
    folder,
    { keyFile: "", embedders },
    (...one) => told.push(one),
    async () => {},
  )
  expect(told.length).toBeGreaterThan(2)
  expect(told.map(([, total]) => total)).toEqual(told.map(() => PASSAGES))
  expect(told.at(-1)).toEqual([PASSAGES, PASSAGES])
})

test("a candidate is measured by the passages that the present search was, whatever becomes of them meanwhile", async () => {
  const { config } = readConfig(["--data", library.directory, "--embedding-tier", "fast"], {})
  const questions = { workspaceId: "ws_a", expectations: [{ line: 1, query: "heron", files: ["file_b"] }] }
  const progress = {
    update() {},
    step(label: string) {
      if (label !== "Asking what serves") return
      using database = new Sqlite(join(library.directory, "carrel.db"))
      database.run("update files set live_generation = null where id = 'file_b'")
    },
  }
  const asked = { candidate: { fusion: 0 }, passages: 1_000, keyFile: "" }
  const { current, candidate } = await compareWith(config, library.db, questions, asked, progress)
  expect([current[0]!.mrr, candidate[0]!.mrr]).toEqual([1, 1])
}, 60_000)
