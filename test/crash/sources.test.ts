/** A folder in sync through random kills. A failing run prints its seed; `STORM_SEED` repeats it, `STORM_ROUNDS` makes it longer. */
import { test } from "bun:test"
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ROUNDS, stormOver } from "./source-storm.ts"

test(
  `a folder is in sync after ${ROUNDS} kills`,
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "carrel-storm-")))
    await using place = {
      flags: ["--source-root", folder],
      source: { type: "folder", config: { path: folder } },
      async change(written: ReadonlyMap<string, string>, removed: readonly string[]) {
        for (const [name, text] of written) writeFileSync(join(folder, name), text)
        for (const name of removed) rmSync(join(folder, name))
      },
      async [Symbol.asyncDispose]() {
        rmSync(folder, { recursive: true, force: true })
      },
    }
    await stormOver(place, 240)
  },
  { timeout: 120_000 + ROUNDS * 30_000 },
)
