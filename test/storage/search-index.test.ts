/** The durable store of vectors: when writing it anew is worth it, and what that leaves. */
import { afterAll, expect, setSystemTime, test } from "bun:test"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { VectorTable } from "../../src/storage/search-index.ts"

const DIMENSIONS = 1024
/** 24 MB: above what is written anew after any change. */
const MANY = 6000

const directory = mkdtempSync(join(tmpdir(), "carrel-vectors-"))
const opened: VectorTable[] = []
afterAll(() => {
  setSystemTime()
  for (const table of opened) table.close()
  rmSync(directory, { recursive: true })
})

async function open(name: string): Promise<VectorTable> {
  const table = await VectorTable.open(directory, name, DIMENSIONS)
  opened.push(table)
  return table
}

function rows(first: number, count: number) {
  const ids = Float64Array.from({ length: count }, (_, i) => first + i)
  return { ids, vectors: new Float32Array(count * DIMENSIONS).fill(first) }
}

async function held(table: VectorTable): Promise<number[]> {
  const ids: number[] = []
  for await (const batch of table.scan()) ids.push(...batch.ids)
  return ids.sort((a, b) => a - b)
}

test("a small table is compacted after any change", async () => {
  const table = await open("small")
  await table.add(rows(1, 10))
  expect(await table.isWorthOptimizing()).toBe(true)
})

test("a large table is not written anew for a few rows, but for a quarter of it, or once a day", async () => {
  const table = await open("large")
  await table.add(rows(1, MANY))
  await table.optimize()
  await table.add(rows(MANY + 1, 10))
  await table.remove(Float64Array.of(1, 10))
  expect(await table.isWorthOptimizing()).toBe(false)
  setSystemTime(Date.now() + 25 * 3600 * 1000)
  expect(await table.isWorthOptimizing()).toBe(true)
  setSystemTime()
  await table.remove(Float64Array.of(11, 1600))
  expect(await table.isWorthOptimizing()).toBe(true)
  await table.optimize()
  expect(await table.isWorthOptimizing()).toBe(false)
  expect(await held(table)).toEqual(Array.from({ length: MANY + 10 - 1600 }, (_, i) => 1601 + i))
})

test("compaction leaves one fragment and the last version, and no row of those removed on disk", async () => {
  const table = await open("fragments")
  for (let i = 0; i < 20; i++) await table.add(rows(1 + 10 * i, 10))
  await table.remove(Float64Array.of(1, 100))
  const data = () => readdirSync(join(directory, "fragments.lance", "data")).length
  expect(data()).toBe(20)
  const outcome = await table.optimize()
  // The version that compaction itself replaced goes with the next one.
  await table.optimize()
  expect([outcome.fragmentsAdded, data()]).toEqual([1, 1])
  expect(await held(table)).toEqual(Array.from({ length: 100 }, (_, i) => 101 + i))
})

test("whether removed rows are still in its files is told while the table is read, added to and compacted", async () => {
  const table = await open("busy")
  for (let i = 0; i < 10; i++) await table.add(rows(1 + i * 500, 500))
  await table.remove(Float64Array.of(1, 700))
  let isOver = false
  const work = Promise.all([table.optimize(), held(table), table.add(rows(9_000, 500))]).finally(() => {
    isOver = true
  })
  for (; !isOver; await Bun.sleep(0)) expect(typeof (await table.holdsRemoved())).toBe("boolean")
  await work
})

test("a table that is closed while it is compacted and read is read to its end", async () => {
  const table = await VectorTable.open(directory, "closing", DIMENSIONS)
  for (let i = 0; i < 10; i++) await table.add(rows(1 + i * 500, 500))
  const [reading, compacting] = [held(table), table.optimize()]
  table.close()
  await compacting
  expect(await reading).toHaveLength(5_000)
})
