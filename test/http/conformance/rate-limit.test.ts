/** The rate limit, in memory and on PostgreSQL: what several nodes let through together. */
import { describe, expect, test } from "bun:test"
import { LocalRateLimiter, type RateLimiter, spend, type Taken, type Window } from "../../../src/http/rate-limit.ts"
import { SharedRateLimiter } from "../../../src/http/shared-rate-limit.ts"
import { rejection } from "../../support/rejection.ts"
import { sharedDatabase } from "../../support/shared-database.ts"
import { until } from "../../support/until.ts"

const database = await sharedDatabase()
/** Short, so that tests see one end. */
const WINDOW_MS = 1_500

const SIDES: [string, ((windowMs?: number) => RateLimiter[]) | undefined][] = [
  ["in memory", windowMs => new Array(3).fill(new LocalRateLimiter(windowMs))],
  ["on PostgreSQL", database && (windowMs => [1, 2, 3].map(() => new SharedRateLimiter(database, windowMs)))],
]
const newId = () => crypto.randomUUID()

for (const [name, open] of SIDES)
  describe.skipIf(!open)(`the rate limit ${name}`, () => {
    const nodes = (windowMs?: number) => open!(windowMs)

    test.each([1, 7, 100, 3_000])("of %d lets no more through, whichever nodes are asked at once", async limit => {
      const id = newId()
      const tries = Array.from({ length: limit + 50 }, (_, i) => i)
      const all = nodes()
      const taken = await Promise.all(tries.map(i => all[i % all.length]!.take(id, limit)))
      expect(taken.filter(({ allowed }) => allowed)).toHaveLength(limit)
      expect((await all[0]!.take(id, limit)).allowed).toBe(false)
    })

    test("passes whole when a client asks one node after the other", async () => {
      const id = newId()
      const all = nodes()
      let passed = 0
      for (let i = 0; i < 140; i++) if ((await all[i % all.length]!.take(id, 100)).allowed) passed++
      expect(passed).toBe(100)
    })

    test("is each client's own", async () => {
      const [one, other] = [newId(), newId()]
      const [node] = nodes()
      expect((await node!.take(one, 1)).allowed).toBe(true)
      expect((await node!.take(one, 1)).allowed).toBe(false)
      expect((await node!.take(other, 1)).allowed).toBe(true)
    })

    test("is told with what is left of it and when it is over", async () => {
      const id = newId()
      const [node] = nodes()
      const told: Window[] = []
      for (let i = 0; i < 101; i++) told.push({ ...(await node!.take(id, 100)).window })
      const used = told.map(window => window.used)
      expect(used).toEqual(used.toSorted((left, right) => left - right))
      expect(used.slice(-2)).toEqual([100, 100])
      expect(new Set(told.map(window => window.resetAt)).size).toBe(1)
      const leftMs = told[0]!.resetAt - Date.now()
      expect(leftMs > 50_000 && leftMs <= 61_000).toBe(true)
    })

    test("that was changed holds at once", async () => {
      const id = newId()
      const [node] = nodes()
      for (let i = 0; i < 10; i++) await node!.take(id, 100)
      expect((await node!.take(id, 5)).allowed).toBe(false)
      expect((await node!.take(id, 100)).allowed).toBe(true)
      while ((await node!.take(id, 20)).allowed);
      expect((await node!.take(id, 40)).allowed).toBe(true)
    })

    test("opens a new window when one is over, and never passes more in either", async () => {
      const id = newId()
      const all = nodes(WINDOW_MS)
      const passed = new Map<number, number>()
      await until(async () => {
        for (const node of all) {
          const { allowed, window } = await node.take(id, 20)
          if (allowed) passed.set(window.resetAt, (passed.get(window.resetAt) ?? 0) + 1)
        }
        return passed.size === 3
      })
      expect(Math.max(...passed.values())).toBe(20)
    })

    test("passes nothing in a window that was taken from the one before", async () => {
      const id = newId()
      const all = nodes(WINDOW_MS)
      const { window } = await all[0]!.take(id, 40)
      const firstEnds = window.resetAt
      await until(async () => (await all[1]!.take(id, 40)).window.resetAt > firstEnds)
      const passed = new Map<number, number>()
      for (let i = 0; i < 60; i++) {
        const { allowed, window } = await all[i % 3]!.take(id, 40)
        if (allowed) passed.set(window.resetAt, (passed.get(window.resetAt) ?? 0) + 1)
      }
      // The first of the new window was taken while waiting for it.
      expect(Math.max(...passed.values())).toBeLessThanOrEqual(39)
    })

    test("refuses with the seconds until it is over", async () => {
      const id = newId()
      const [node] = nodes()
      await spend(node!, id, 1)
      const refused = await rejection(spend(node!, id, 1, "too many wrong credentials"))
      expect(refused).toMatchObject({ code: "rate_limited", message: "too many wrong credentials" })
      expect(refused.retryAfter > 50 && refused.retryAfter <= 60).toBe(true)
    })
  })

test("in memory a window is no longer than a minute, also when the clock jumps back", () => {
  let now = 1_000_000_000
  const limiter = new LocalRateLimiter(undefined, () => now)
  limiter.take("a", 1)
  expect(limiter.take("a", 1).allowed).toBe(false)
  now -= 3_600_000
  expect(limiter.take("a", 1).allowed).toBe(true)
})

test.skipIf(!database)("a node asks the database once for a tenth of the limit", async () => {
  const id = newId()
  const node = new SharedRateLimiter(database!)
  const first = node.take(id, 1_000)
  expect(first).toBeInstanceOf(Promise)
  await first
  const atOnce = Array.from({ length: 99 }, () => node.take(id, 1_000))
  expect(atOnce.some(taken => taken instanceof Promise)).toBe(false)
  const next = node.take(id, 1_000)
  expect(next).toBeInstanceOf(Promise)
  await next
})

test.skipIf(!database)("what no node can ask for is refused by the database's error, and counts nothing", async () => {
  const node = new SharedRateLimiter(database!)
  await database!.schema.alterTable("rate_windows").renameTo("elsewhere").execute()
  try {
    expect(await rejection(node.take("x", 10) as Promise<Taken>)).toBeInstanceOf(Error)
  } finally {
    await database!.schema.alterTable("elsewhere").renameTo("rate_windows").execute()
  }
  expect((await node.take("x", 10)).window.used).toBeLessThanOrEqual(1)
})
