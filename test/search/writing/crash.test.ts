import { expect, test } from "bun:test"
import { join } from "node:path"
import { countIds, subtract } from "../../../src/search/ids/id-ranges.ts"
import { wantedIds } from "../../../src/search/writing/generations.ts"
import { afterDeath, passesOf } from "../../support/killed.ts"
import { TestLibrary } from "../library.ts"

const POINTS = [
  "reserved",
  "chunks written",
  "words indexed",
  "embedded",
  "vectors written",
  "staged",
  "sweep begins",
  "vectors removed",
  "words removed",
  "swept",
]

for (const [point, nth] of passesOf(POINTS))
  test.concurrent(
    `killed at "${point}" the ${nth}. time: after the restart every passage is found once, no removed one`,
    () =>
      afterDeath(join(import.meta.dir, "crash-child.ts"), point, nth, async (directory, exitCode) => {
        expect(exitCode).toBe(137)
        await expectWhole(directory)
      }),
    120_000,
  )

async function expectWhole(directory: string): Promise<void> {
  const library = await TestLibrary.open({ directory })
  try {
    await library.index.sweep()
    await library.whole()
    const live = await library.db
      .selectFrom("chunks")
      .innerJoin("generations", "generations.id", "chunks.generation_id")
      .innerJoin("files", "files.id", "generations.file_id")
      .whereRef("files.live_generation", "=", "generations.generation")
      .where("generations.state", "=", "live")
      .select("chunks.text")
      .execute()
    for (const { text } of live)
      for (const mode of ["keyword", "semantic", "hybrid"] as const) {
        const found = await library.texts(text, { mode, limit: 100 })
        expect(found.filter(other => other === text)).toEqual([text])
      }
    for (const gone of ["otter", "heron", "kingfisher"]) {
      const found = await library.texts(gone, { mode: "semantic", limit: 100 })
      expect(found.sort()).toEqual(live.map(({ text }) => text).sort())
    }
    // Work goes on: what was interrupted is done again, and nothing is left over.
    await library.put("file_one", "The heron came back.")
    await library.index.sweep()
    expect(await library.texts("heron", { mode: "keyword", limit: 100 })).toEqual(["The heron came back."])
    expect(await library.index.check()).toEqual({ problems: [] })
    const wanted = await wantedIds(library.db)
    const rows = await library.db.selectFrom("chunks").select("id").execute()
    expect(rows.length).toBe(countIds(subtract(wanted, new Float64Array(0))))
  } finally {
    await library.close()
  }
}
