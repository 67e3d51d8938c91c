import { expect, test } from "bun:test"
import { BackgroundPace } from "../../../src/search/vector/background-pace.ts"
import { Backlog } from "../../../src/search/writing/backlog.ts"

test("of what waits the newest is taken first, each once, and what is noted again waits once", () => {
  const backlog = new Backlog(Float64Array.of(1, 5, 10, 12))
  expect([...backlog.take(2)]).toEqual([11, 12])
  backlog.add(Float64Array.of(20, 21))
  backlog.add(Float64Array.of(20, 21, 4, 5))
  expect(backlog.count).toBe(8)
  expect([...backlog.take(4)]).toEqual([5, 5, 10, 10, 20, 21])
  expect([...backlog.take(100)]).toEqual([1, 4])
  expect([...backlog.take(100)]).toEqual([])
})

test("one statement names a bounded number of stretches", () => {
  const scattered = Float64Array.from({ length: 400 }, (_, i) => 10 * Math.floor(i / 2))
  const backlog = new Backlog(scattered)
  expect(backlog.take(10_000).length).toBe(128)
  expect(backlog.count).toBe(136)
})

test("work in the background waits while something goes first, and rests as long as its share says", async () => {
  let isBusy = true
  const done: string[] = []
  const pace = new BackgroundPace(0.5, () => isBusy)
  const batch = pace.take(undefined, async () => {
    done.push("batch")
    await Bun.sleep(30)
  })
  await Bun.sleep(60)
  done.push("query")
  isBusy = false
  const startedAt = performance.now()
  await batch
  expect(done).toEqual(["query", "batch"])
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(58)
})
