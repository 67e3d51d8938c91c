/** The log of the keyword index is copied into the index while it is built, and stays short. */
import { expect, test } from "bun:test"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SearchThread } from "../../../src/search/embedded/search-thread.ts"
import { openSqlite } from "../../../src/storage/sqlite/open.ts"
import { until } from "../../support/until.ts"
import { TestLibrary, wordEmbedder } from "../library.ts"

const PASSAGES = 12_000

test("the log stays short while a large file is indexed, and nothing of the index is missing after it", async () => {
  const library = await TestLibrary.open({ embedder: wordEmbedder() })
  const size = (name: string) => statSync(join(library.directory, name), { throwIfNoEntry: false })?.size ?? 0
  try {
    let state = 1
    const word = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return `w${(state % 30_000).toString(36)}`
    }
    const passage = (i: number) => `heron${i % 3} ${Array.from({ length: 60 }, word).join(" ")}`
    let longest = 0
    const watch = setInterval(() => {
      longest = Math.max(longest, size("keyword.db-wal"))
    }, 5)
    await library.put("file_large", Array.from({ length: PASSAGES }, (_, i) => passage(i)).join("\n"))
    await until(async () => !(await library.index.stats()).merging)
    clearInterval(watch)
    expect(size("keyword.db")).toBeGreaterThan(2_000_000)
    expect(longest).toBeGreaterThan(1_000_000)
    expect(longest).toBeLessThan(24_000_000)
    expect((await library.search("heron1", { mode: "keyword" })).total).toBe(PASSAGES / 3)
    expect(await library.index.check()).toEqual({ problems: [] })
  } finally {
    await library.close()
  }
}, 60_000)

test("the log is cut when words of removed passages may stand in it, and not before: a write after that waits for the disk", async () => {
  const directory = mkdtempSync(join(tmpdir(), "checkpoints-"))
  const thread = new SearchThread()
  const logBytes = () => statSync(join(directory, "keyword.db-wal")).size
  try {
    const database = await openSqlite(directory)
    await thread.start({ dataDirectory: directory, root: undefined }, () => {})
    await thread.ask("index", { firstId: 1, texts: ["the heron wades"], documents: [{ count: 1, scheme: "english" }] })
    await thread.ask("erase", { extent: "small" })
    expect(logBytes()).toBeGreaterThan(0)
    await thread.ask("remove", { ranges: Float64Array.of(1, 1) })
    await thread.ask("erase", { extent: "small" })
    expect(logBytes()).toBe(0)
    await database.destroy()
  } finally {
    await thread.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
