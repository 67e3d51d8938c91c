/** Filters as SQL, on both databases. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { conditionOf } from "../../../src/access/filter/condition.ts"
import { checkFilter, type Filter } from "../../../src/access/filter/filter.ts"
import { ensureWorkspace } from "../../../src/access/keys.ts"
import { wholeOf } from "../../../src/access/view.ts"
import { FileCounts } from "../../../src/library/counts.ts"
import { toFileRecord } from "../../../src/library/record.ts"
import type { Database } from "../../../src/storage/database.ts"
import { readRows } from "../../../src/storage/database.ts"
import { words } from "../../../src/storage/words.ts"
import { databases } from "../../support/databases.ts"
import { matches, valueAt } from "../../support/matches.ts"
import { someFilter, someMetadata, someNames, someTags, someTimes } from "../../support/some-filters.ts"

/** Half of a surrogate pair has no bytes that a text could be made of again. */
const asShown = (value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed().replace(/\ufffd+/g, "\ufffd") : value

const byText = (a: [unknown, number], b: [unknown, number]): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

interface Labels {
  metadata?: Record<string, unknown>
  tags?: string[]
  name?: string
  size?: number
  context_id?: string | null
  created_at?: string
}

for (const { name: kind, open } of await databases())
  describe(`filters on ${kind}`, () => {
    const stack = new AsyncDisposableStack()
    let database: Database
    let workspaceId: string
    let next = 0

    const add = async (files: Labels[]): Promise<void> => {
      if (files.length === 0) return
      const rows = files.map(
        ({ metadata = {}, tags = [], name = "a.pdf", size = 5, context_id = null, created_at }) => ({
          id: `file_${++next}`,
          workspace_id: workspaceId,
          name,
          name_folded: name.toLowerCase(),
          type: name.split(".").at(-1)!,
          mime_type: "application/pdf",
          size,
          sha256: "0".repeat(64),
          status: "searchable" as const,
          stage: null,
          context_id,
          tags: JSON.stringify(tags),
          metadata: JSON.stringify(metadata),
          created_at: created_at ?? someTimes[1]!,
          updated_at: someTimes[2]!,
          blob: `blob-${next}`,
          attempts: 0,
          generation: 1,
          ocr_page_count: 0,
          progress: 1,
          warnings: "[]",
        }),
      )
      await database.insertInto("files").values(rows).execute()
    }
    const all = async () => (await database.selectFrom("files").selectAll().orderBy("id").execute()).map(toFileRecord)
    const passing = async (filter: Filter): Promise<string[]> => {
      const { text, values } = conditionOf(filter, words(database))
      const rows = await readRows<{ id: string }>(database, `select id from files where ${text} order by id`, values)
      return rows.map(({ id }) => id)
    }

    beforeAll(async () => {
      database = await open(stack)
      workspaceId = await ensureWorkspace(database, "default")
    })
    afterAll(() => stack.disposeAsync())

    test("select what an evaluation of each record selects", async () => {
      const file = fc.record({
        metadata: someMetadata,
        tags: someTags,
        name: fc.constantFrom(...someNames),
        size: fc.constantFrom(0, 5, 100),
        context_id: fc.constantFrom(null, "a", "b"),
        created_at: fc.constantFrom(...someTimes),
      })
      const library = fc.array(file, { minLength: 1, maxLength: 12 })
      await fc.assert(
        fc.asyncProperty(library, fc.array(someFilter, { minLength: 20, maxLength: 20 }), async (files, filters) => {
          await database.deleteFrom("files").execute()
          await add(files)
          const records = await all()
          for (const filter of filters) {
            const expected = records.filter(record => matches(filter, record)).map(({ id }) => id)
            expect({ filter, ids: await passing(checkFilter(filter)) }).toEqual({ filter, ids: expected })
          }
        }),
        { numRuns: 60 },
      )
    }, 120_000)

    test("give facets and sums that counting the records gives", async () => {
      const file = fc.record({ metadata: someMetadata, tags: someTags, name: fc.constantFrom(...someNames) })
      const libraries = fc.array(file, { minLength: 1, maxLength: 12 })
      const keys = ["metadata.a", "metadata.b.a", "metadata.__proto__", "file.tags", "file.name", "file.source_id"]
      const view = wholeOf(workspaceId)
      await fc.assert(
        fc.asyncProperty(libraries, someFilter, async (files, filter) => {
          await database.deleteFrom("files").execute()
          await add(files)
          const passing = (await all()).filter(record => matches(filter, record))
          const { facets, total_files } = await new FileCounts(database).facets(view, keys, checkFilter(filter))
          expect(total_files).toBe(passing.length)
          for (const key of keys) {
            const counts = new Map<unknown, number>()
            for (const record of passing)
              for (const value of new Set([valueAt(key, record)].flat()))
                if (["string", "number", "boolean"].includes(typeof value)) {
                  const shown = asShown(value)
                  counts.set(shown, (counts.get(shown) ?? 0) + 1)
                }
            const found = new Map<unknown, number>()
            for (const { value, count } of facets[key]!) {
              const shown = asShown(value)
              found.set(shown, (found.get(shown) ?? 0) + count)
            }
            expect([...found].sort(byText)).toEqual([...counts].sort(byText))
            const frequencies = facets[key]!.map(({ count }) => count)
            expect(frequencies).toEqual(frequencies.toSorted((a, b) => b - a))
          }
          const summary = await new FileCounts(database).summary(view, checkFilter(filter))
          expect(summary).toMatchObject({ total: passing.length, bytes: 5 * passing.length })
        }),
        { numRuns: 40 },
      )
    }, 120_000)

    test("with as many comparisons as there may be, of long keys, are a statement that the database takes", async () => {
      const key = `metadata.${"a.".repeat(495)}a`
      const filters = Array.from({ length: 99 }, (_, i) => ({
        type: "in",
        key,
        value: Array(1_000).fill(`value ${i}`),
      }))
      const deep = { type: "eq", key: `metadata.${"b.".repeat(63)}b`, value: "x" }
      const filter = checkFilter({ type: "or", filters: [...filters, deep] })
      expect(conditionOf(filter, words(database)).text.length).toBeLessThan(200_000)
      expect(await passing(filter)).toEqual([])
    })

    test("keep every value of a request out of the statement", () => {
      const filter = checkFilter({
        type: "and",
        filters: ["eq", "ne", "gt", "contains", "starts_with"].flatMap(type =>
          ["metadata.needle", "metadata.a.needle", "file.name", "file.tags"].map(key => ({
            type,
            key,
            value: "needle",
          })),
        ),
      })
      expect(conditionOf(filter, words(database)).text).not.toContain("needle")
    })

    test("that ask one key for many values, one by one, are one question", async () => {
      const key = "metadata.n"
      const alternatives = (type: string) => Array.from({ length: 90 }, (_, value) => ({ type, key, value }))
      for (const filter of [
        { type: "or", filters: [...alternatives("eq"), { type: "in", key, value: ["x", "y"] }] },
        { type: "and", filters: [...alternatives("ne"), { type: "exists", key, value: true }] },
      ])
        expect(conditionOf(checkFilter(filter), words(database)).text.length).toBeLessThan(2_500)
      await database.deleteFrom("files").execute()
      await add([
        { metadata: { n: 7 } },
        { metadata: { n: "y" } },
        { metadata: { n: [200, 5] } },
        { metadata: { n: 200 } },
      ])
      const either = checkFilter({ type: "or", filters: [...alternatives("eq"), { type: "eq", key, value: "y" }] })
      expect(await passing(either)).toHaveLength(3)
      const none = checkFilter({ type: "and", filters: alternatives("ne") })
      expect(await passing(none)).toHaveLength(2)
    })

    test("compare times as instants, whatever their offset", async () => {
      await database.deleteFrom("files").execute()
      await add([{ created_at: "2026-01-01T00:00:00.000Z" }])
      const created = (type: string, value: string) => passing(checkFilter({ type, key: "file.created_at", value }))
      expect(await created("eq", "2026-01-01T02:00:00+02:00")).toHaveLength(1)
      expect(await created("gte", "2026-01-01T01:30:00+02:00")).toHaveLength(1)
      expect(await created("gt", "2025-12-31T23:30:00-05:00")).toHaveLength(0)
      expect(await created("gt", "no time")).toHaveLength(0)
      expect(await created("ne", "no time")).toHaveLength(1)
    })
  })
