import { Database as Sqlite } from "bun:sqlite"
import { afterEach, beforeEach, expect, test } from "bun:test"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startDaemon } from "../support/daemon.ts"

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "carrel-modes-"))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

/** The runtime keeps a cache in the home directory, which is the data directory here. */
const looseFiles = () =>
  readdirSync(data, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !path.includes("/.bun/") && (statSync(path).mode & 0o077) !== 0)

test("a daemon in a directory that anybody may read keeps its own files to itself, and leaves the operator's alone", async () => {
  chmodSync(data, 0o755)
  new Sqlite(join(data, "keyword.db"), { create: true }).close() // as a looser version left it
  chmodSync(join(data, "keyword.db"), 0o644)
  mkdirSync(join(data, "models"), { mode: 0o755 })
  writeFileSync(join(data, "carrel.toml"), "")
  for (const [copy, days] of [
    ["carrel.db.before-old", 8],
    ["carrel.db.before-new", 6],
  ] as const) {
    writeFileSync(join(data, copy), "a copy")
    utimesSync(join(data, copy), new Date(), new Date(Date.now() - days * 24 * 3_600_000))
  }
  const daemon = await startDaemon([], { data })
  await daemon.index("note.txt", "A note about the warehouse.")
  expect(looseFiles()).toEqual([join(data, "carrel.toml")])
  expect(statSync(join(data, "models")).mode & 0o777).toBe(0o755)
  expect(["carrel.db.before-old", "carrel.db.before-new"].map(copy => existsSync(join(data, copy)))).toEqual([
    false,
    true,
  ])
  await daemon.stop()
}, 60_000)
