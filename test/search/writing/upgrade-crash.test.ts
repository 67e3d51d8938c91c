import { expect, test } from "bun:test"
import { join } from "node:path"
import { VectorTable } from "../../../src/storage/search-index.ts"
import { afterDeath, passesOf } from "../../support/killed.ts"
import { TestLibrary, wordEmbedder } from "../library.ts"

const DIMENSIONS = 32

for (const [point, nth] of passesOf(["missing vectors made", "missing vectors written"]))
  test.concurrent(
    `killed at "${point}" the ${nth}. time: after the restart each passage has one vector of either tier`,
    () =>
      afterDeath(join(import.meta.dir, "upgrade-child.ts"), point, nth, async (directory, exitCode) => {
        expect(exitCode).toBe(137)
        const library = await TestLibrary.open({ directory, quality: wordEmbedder("test/quality", DIMENSIONS) })
        await library.index.sweep()
        await library.whole()
        const rows = await library.db.selectFrom("chunks").select(["id", "text"]).execute()
        const { fast, quality } = (await library.index.stats()).vectors
        expect([fast?.count, quality?.count]).toEqual([rows.length, rows.length])
        for (const { text } of rows) expect((await library.texts(text, { mode: "semantic" }))[0]).toBe(text)
        await library.close()
        const stored = await VectorTable.open(join(directory, "vectors"), quality!.table, DIMENSIONS)
        expect(await stored.count()).toBe(rows.length)
        stored.close()
      }),
    120_000,
  )
