/** Passage ids are given once and never again, so a busy library passes 2³¹ long before it holds as many passages. */

import { afterAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as lancedb from "@lancedb/lancedb"
import { VectorTable } from "../../src/storage/search-index.ts"
import { toFormerLayout } from "./keyword/former-layout.ts"
import { TestLibrary } from "./library.ts"

const directories: string[] = []
const newDirectory = () => directories[directories.push(mkdtempSync(join(tmpdir(), "ids-test-"))) - 1]!
afterAll(() => {
  for (const path of directories) rmSync(path, { recursive: true, force: true })
})

const MODES = ["keyword", "semantic", "hybrid"] as const

for (const [name, next] of [
  ["2³¹", 2 ** 31 - 2],
  ["2⁴⁰", 2 ** 40],
  ["2⁵³", 2 ** 53 - 100],
] as const)
  test(`passages numbered around ${name} are written, found, replaced, removed, and there after a restart`, async () => {
    const directory = newDirectory()
    const library = await TestLibrary.open({ directory })
    await library.db.updateTable("chunk_numbers").set({ next }).execute()
    await library.put(
      "file_one",
      "The heron stands in the water.\nIt waits for fish.\nThe otter sleeps by day.\nRain fell.",
    )
    await library.put("file_two", "The kingfisher dives.\nThe pond is empty.")
    await library.put("file_one", "The heron flew away at noon.\nThe otter swims by night.\nNothing moves.")
    await library.remove("file_two")
    await library.index.sweep()
    await library.index.optimize()
    await library.index.erase()
    const expectRight = async (opened: TestLibrary) => {
      expect(await opened.index.check()).toEqual({ problems: [] })
      for (const mode of MODES) {
        expect((await opened.texts("heron at noon", { mode }))[0]).toBe("The heron flew away at noon.")
        expect(await opened.texts("kingfisher dives", { mode, limit: 100 })).not.toContain("The kingfisher dives.")
      }
      expect(await opened.texts('"swims by night"', { mode: "keyword" })).toEqual(["The otter swims by night."])
    }
    await expectRight(library)
    await library.close()
    const again = await TestLibrary.open({ directory })
    await again.whole()
    await expectRight(again)
    await again.close()
  })

test("an index whose ids had 32 bits is opened as it is, and takes passages beyond them", async () => {
  const directory = newDirectory()
  const before = await TestLibrary.open({ directory })
  await before.put("file_one", "The heron stands in the water.\nIt waits for fish.")
  const { name, dimensions } = await before.db.selectFrom("vector_tables").selectAll().executeTakeFirstOrThrow()
  await before.close()
  toFormerLayout(join(directory, "keyword.db"))
  const vectors = join(directory, "vectors")
  const connection = await lancedb.connect(vectors)
  const table = await connection.openTable(name)
  await table.alterColumns([{ path: "id", dataType: "int32" }])
  table.close()
  connection.close()

  const after = await TestLibrary.open({ directory })
  await after.whole()
  await after.db
    .updateTable("chunk_numbers")
    .set({ next: 2 ** 31 - 1 })
    .execute()
  await after.put("file_two", "The kingfisher dives.\nThe otter swims by night.")
  for (const mode of MODES) {
    expect((await after.texts("heron water", { mode }))[0]).toBe("The heron stands in the water.")
    expect((await after.texts("otter by night", { mode }))[0]).toBe("The otter swims by night.")
  }
  expect(await after.index.check()).toEqual({ problems: [] })
  await after.close()
  const stored = await VectorTable.open(vectors, name, dimensions)
  const ids: number[] = []
  for await (const batch of stored.scan()) ids.push(...batch.ids)
  expect(ids.sort((a, b) => a - b)).toEqual([1, 2, 2 ** 31 - 1, 2 ** 31])
  stored.close()
})
