/** SIGKILL at named points of the way that small files take together: nothing that was acknowledged is lost or found twice. */
import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { sweepFiles } from "../../src/library/sweep.ts"
import { afterDeath, passesOf } from "../support/killed.ts"
import { FIRST, SECOND } from "./group-crash-files.ts"
import { SmallFiles } from "./small-files.ts"

const POINTS = [
  "reserved",
  "chunks written",
  "words indexed",
  "embedded",
  "vectors written",
  "staged",
  "texts written",
  "generations published",
  "files published",
  "committed",
]

/** Passed with the first group, and with the one in which a file is replaced. */
for (const [point, nth] of passesOf(POINTS))
  test.concurrent(
    `killed at "${point}" of group ${nth}: every file is found once, a replaced one without a gap`,
    () =>
      afterDeath(join(import.meta.dir, "group-crash-child.ts"), point, nth, async (directory, exitCode) => {
        expect(exitCode).toBe(137)
        await expectWhole(directory, nth === 2)
      }),
    120_000,
  )

async function expectWhole(directory: string, replacing: boolean): Promise<void> {
  const files = await SmallFiles.open({ directory })
  try {
    if (replacing) {
      // Before anything is done again: one version of the replaced file, whole, and the others of the first group.
      const [former, next] = [await files.find("otter"), await files.find("badger")]
      expect([former.length, next.length].sort()).toEqual([0, 1])
      expect(await files.find("house")).toHaveLength(next.length)
      expect(await files.find("kingfisher")).toHaveLength(1)
    }
    files.start()
    await files.settled()
    await files.library.index.sweep()
    const texts = replacing ? { ...FIRST, ...SECOND } : FIRST
    for (const [id, text] of Object.entries(texts)) {
      expect(await files.status(id)).toBe("searchable")
      for (const line of text.split("\n")) {
        const found = await files.library.texts(line, { mode: "semantic", limit: 100 })
        expect(found.filter(other => other === line)).toEqual([line])
      }
      expect(await Bun.file(await livePath(files, id)).text()).toBe(text)
    }
    if (replacing) expect(await files.find("otter")).toEqual([])
    await files.library.whole()
    await sweepFiles(files.library.db, files.blobs, Number.POSITIVE_INFINITY)
    expect(stored(directory, "texts")).toBe(Object.keys(texts).length)
    expect(stored(directory, "blobs")).toBe(Object.keys(texts).length)
    expect(readdirSync(join(directory, "tmp"))).toEqual([])
  } finally {
    await files.close()
  }
}

async function livePath(files: SmallFiles, id: string): Promise<string> {
  const { db } = files.library
  const row = await db.selectFrom("files").select("live_generation").where("id", "=", id).executeTakeFirstOrThrow()
  return files.blobs.textPath(id, row.live_generation!)
}

const stored = (directory: string, kind: string): number =>
  readdirSync(join(directory, kind)).flatMap(folder => readdirSync(join(directory, kind, folder))).length
