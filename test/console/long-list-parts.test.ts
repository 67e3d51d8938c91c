/** How a long list is read on, from a server that keeps names in order while others add and remove some. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { LongList, PART, type Place } from "../../src/console/long-list.ts"
import type { LongPage } from "../../src/console/wire.ts"

const nameOf = (n: number) => String(n).padStart(8, "0")

function pageOf(names: readonly string[], place: Place): LongPage<{ id: string }> {
  const from =
    "page" in place
      ? (place.page - 1) * PART
      : "after" in place
        ? indexOf(names, name => name > place.after)
        : Math.max(0, indexOf(names, name => name >= place.before) - PART)
  const to = "before" in place ? indexOf(names, name => name >= place.before) : from + PART
  const ids = names.slice(from, to)
  return {
    data: ids.map(id => ({ id })),
    next: from + ids.length < names.length ? (ids.at(-1) ?? null) : null,
    previous: from > 0 ? (ids[0] ?? null) : null,
    pagination: { page: 1, page_size: PART, total_items: names.length, total_pages: 1, has_next: false },
  }
}

function indexOf(names: readonly string[], test: (name: string) => boolean): number {
  const at = names.findIndex(test)
  return at < 0 ? names.length : at
}

/** Numbers between which others come in. */
const names = (count: number) => Array.from({ length: count }, (_, i) => nameOf(i * 10))

const quiet = async () => {
  for (let i = 0; i < 200; i++) await Promise.resolve()
}

/** What others do between two looks, and where one looks next. */
const steps = fc.array(
  fc.record({
    seen: fc.integer({ min: 0, max: 3_000 }),
    added: fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 40 }),
    removed: fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 40 }),
    reload: fc.boolean(),
    by: fc.constantFrom("leap", "down", "up"),
  }),
  { maxLength: 25 },
)

test("whatever comes and goes, the rows are in order, none is there twice, and a list that is read anew has none missing", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async asked => {
      let held = names(2_000)
      const list = new LongList<{ id: string }>(
        async place => pageOf(held, place),
        () => {},
        0,
      )
      let at = 0
      for (const { seen, added, removed, reload, by } of asked) {
        const gone = new Set(removed.map(n => held[n % held.length]!))
        held = [...new Set([...held.filter(name => !gone.has(name)), ...added.map(nameOf)])].sort()
        at = Math.max(0, Math.min(held.length - 1, by === "leap" ? seen : at + (by === "down" ? 40 : -40)))
        list.want(at, at + 12)
        await quiet()
        const { rows, start, total } = list.stretch!
        const ids = rows.map(({ id }) => id)
        expect(ids).toEqual([...new Set(ids)].sort())
        expect(start).toBeGreaterThanOrEqual(0)
        expect(start + ids.length).toBeLessThanOrEqual(total)
        if (!reload) continue
        list.reload()
        await quiet()
        const anew = list.stretch!
        const shown = anew.rows.slice(at - anew.start, at - anew.start + 13).map(({ id }) => id)
        const between = held.filter(name => name >= shown[0]! && name <= shown.at(-1)!)
        if (shown.length > 0) expect(shown).toEqual(between)
      }
      list.end()
    }),
    { numRuns: 200 },
  )
})

test("one scroll from the first to the last meets each that was there all the time", async () => {
  let held = names(3_000)
  const stays = new Set(held.filter((_, i) => i % 7 !== 3))
  const list = new LongList<{ id: string }>(
    async place => pageOf(held, place),
    () => {},
    0,
  )
  const met = new Set<string>()
  for (let at = 0; at < 3_200; at += 10) {
    list.want(at, at + 12)
    await quiet()
    const { rows, start } = list.stretch!
    for (const { id } of rows.slice(Math.max(0, at - start), at - start + 13)) met.add(id)
    held = held.filter(name => stays.has(name) || Number(name) % 70 > at % 70)
    held.splice(0, 0, `!${nameOf(at)}`) // before all others
  }
  expect([...stays].filter(name => !met.has(name))).toEqual([])
})

test("only the parts around what is seen are kept", async () => {
  const list = new LongList<{ id: string }>(
    async place => pageOf(names(5_000), place),
    () => {},
    0,
  )
  for (let at = 0; at < 5_000; at += 20) {
    list.want(at, at + 12)
    await quiet()
  }
  const { rows, start } = list.stretch!
  expect(rows.length).toBeLessThanOrEqual(1_000)
  expect(start + rows.length).toBe(5_000)
})

test("a failure is told, and what is wanted next is read all the same", async () => {
  let fails = true
  const list = new LongList<{ id: string }>(
    async place => {
      if (fails) throw new Error("away")
      return pageOf(names(100), place)
    },
    () => {},
    0,
  )
  list.want(0, 10)
  await quiet()
  expect([list.error?.message, list.stretch]).toEqual(["away", undefined])
  fails = false
  list.want(0, 10)
  await quiet()
  expect([list.error, list.stretch?.total]).toEqual([undefined, 100])
})

test("beyond the end, the end is read; an empty list is read once", async () => {
  for (const count of [120, 0]) {
    let asked = 0
    const list = new LongList<{ id: string }>(
      async place => {
        asked++
        return pageOf(names(count), place)
      },
      () => {},
      5_000,
    )
    list.want(5_000, 5_000)
    await quiet()
    const { rows, start, total } = list.stretch!
    expect([start + rows.length, total]).toEqual([count, count])
    expect(asked).toBeLessThan(4)
  }
})
