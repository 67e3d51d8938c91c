/** What a filter may be, and where a bad one is said to be wrong. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { checkFilter, type FilterOptions, joinFilters, parseFilter } from "../../../src/access/filter/filter.ts"
import { AppError } from "../../../src/errors.ts"

const leaf = { type: "eq", key: "file.type", value: "pdf" }
const nested = (levels: number): unknown => (levels === 1 ? leaf : { type: "not", filters: [nested(levels - 1)] })

function refusal(given: unknown, options?: FilterOptions): { code: string; field: unknown; message: string } {
  try {
    checkFilter(given, options)
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, field: error.details?.[0]?.field, message: error.message }
    throw error
  }
  throw new Error("the filter was taken")
}

describe("a filter", () => {
  test("of every type is taken as it is", () => {
    const filter = {
      type: "and",
      filters: [
        { type: "or", filters: [leaf, { type: "ne", key: "metadata.a.b", value: true }] },
        { type: "not", filters: [{ type: "exists", key: "file.context_id", value: false }] },
        ...["gt", "gte", "lt", "lte"].map(type => ({ type, key: "metadata.year", value: 2020.5 })),
        { type: "gt", key: "file.created_at", value: "2026-01-01T00:00:00+02:00" },
        { type: "in", key: "file.tags", value: ["a", 1, false] },
        { type: "nin", key: "file.id", value: [] },
        { type: "contains", key: "file.name", value: "" },
        { type: "starts_with", key: "file.sha256", value: "9f" },
        { type: "eq", key: "file.external_id", value: "x" },
        { type: "eq", key: "file.source_id", value: "x" },
      ],
    }
    expect<unknown>(checkFilter(filter)).toEqual(filter)
  })

  test.each<[string, unknown, string]>([
    ["nothing", undefined, "filter"],
    ["null", null, "filter"],
    ["a text", "file.type eq pdf", "filter"],
    ["a list", [leaf], "filter"],
    ["an empty object", {}, "filter.type"],
    ["an unknown type", { ...leaf, type: "like" }, "filter.type"],
    ["a name of every object as its type", { ...leaf, type: "toString" }, "filter.type"],
    ["a type that is no text", { ...leaf, type: ["eq"] }, "filter.type"],
    ["a field that it does not know", { ...leaf, values: [] }, "filter.values"],
    ["a comparison with filters", { ...leaf, filters: [leaf] }, "filter.filters"],
    ["a group with a key", { type: "and", filters: [leaf], key: "file.type" }, "filter.key"],
    ["no key", { type: "eq", value: 1 }, "filter.key"],
    ["an unknown key", { ...leaf, key: "file.owner" }, "filter.key"],
    ["a key without its room", { ...leaf, key: "year" }, "filter.key"],
    ["a name of every object as its key", { ...leaf, key: "file.constructor" }, "filter.key"],
    ["a key of the prototype", { ...leaf, key: "__proto__" }, "filter.key"],
    ["the metadata as a whole", { ...leaf, key: "metadata" }, "filter.key"],
    ["metadata of no name", { ...leaf, key: "metadata." }, "filter.key"],
    ["metadata with a gap", { ...leaf, key: "metadata.a..b" }, "filter.key"],
    ["a key that is no text", { ...leaf, key: 7 }, "filter.key"],
    ["a long key", { ...leaf, key: `metadata.${"x".repeat(1_000)}` }, "filter.key"],
    ["no value", { type: "eq", key: "file.type" }, "filter.value"],
    ["null as its value", { ...leaf, value: null }, "filter.value"],
    ["an object as its value", { ...leaf, value: {} }, "filter.value"],
    ["a list where one value belongs", { ...leaf, value: ["pdf"] }, "filter.value"],
    ["one value where a list belongs", { ...leaf, type: "in" }, "filter.value"],
    ["a list with null", { ...leaf, type: "nin", value: ["pdf", null] }, "filter.value[1]"],
    ["a list of lists", { ...leaf, type: "in", value: [["pdf"]] }, "filter.value[0]"],
    ["a giant list", { ...leaf, type: "in", value: Array(1_001).fill(1) }, "filter.value"],
    ["a boolean to be greater than", { ...leaf, type: "gt", value: true }, "filter.value"],
    ["a number to start with", { ...leaf, type: "starts_with", value: 1 }, "filter.value"],
    ["existence that is no boolean", { ...leaf, type: "exists", value: "yes" }, "filter.value"],
    ["a number beyond all numbers", { ...leaf, value: JSON.parse("1e999") }, "filter.value"],
    ["a text that is too long", { ...leaf, value: "x".repeat(1_001) }, "filter.value"],
    ["half of a surrogate pair", { ...leaf, value: "a\ud800" }, "filter.value"],
    ["no filters", { type: "and" }, "filter.filters"],
    ["an empty group", { type: "or", filters: [] }, "filter.filters"],
    ["filters that are no list", { type: "and", filters: leaf }, "filter.filters"],
    ["two filters to be negated", { type: "not", filters: [leaf, leaf] }, "filter.filters"],
    [
      "a bad value deep inside",
      { type: "and", filters: [leaf, { type: "or", filters: [{ ...leaf, value: {} }] }] },
      "filter.filters[1].filters[0].value",
    ],
    ["seven levels", nested(7), `filter${".filters[0]".repeat(6)}`],
    ["a group of thousands", { type: "or", filters: Array(5_000).fill(leaf) }, "filter.filters"],
    [
      "more than a hundred comparisons",
      { type: "or", filters: [1, 2].map(() => ({ type: "and", filters: Array(51).fill(leaf) })) },
      "filter.filters[1].filters[49]",
    ],
  ])("is not %s", (_, given, field) => {
    expect(refusal(given)).toMatchObject({ code: "invalid_filter", field })
    expect(refusal(given).message).toStartWith(`${field}: `)
  })

  test("has six levels, a hundred comparisons and texts of a thousand characters", () => {
    const long = { ...leaf, value: "😀".repeat(1_000) }
    expect(() => checkFilter(nested(6))).not.toThrow()
    expect(() => checkFilter({ type: "or", filters: Array(100).fill(long) })).not.toThrow()
    expect(() => checkFilter({ ...leaf, type: "in", value: Array(1_000).fill("x") })).not.toThrow()
  })

  test("says what was likely meant by a key", () => {
    expect(refusal({ ...leaf, key: "file.types" }).message).toEndWith("did you mean file.type?")
    expect(refusal({ ...leaf, key: "year" }).message).toEndWith("did you mean metadata.year?")
  })

  test("begins its places with the name of what was sent", () => {
    expect(refusal({}, { place: "filters" }).field).toBe("filters.type")
  })

  test("takes a bare key as one of the metadata where that is asked for", () => {
    const bare = (key: string) => checkFilter({ ...leaf, key }, { bareKeys: true })
    expect(bare("year")).toMatchObject({ key: "metadata.year" })
    expect(bare("a.b")).toMatchObject({ key: "metadata.a.b" })
    expect(bare("metadata.year")).toMatchObject({ key: "metadata.year" })
    expect(bare("file.type")).toMatchObject({ key: "file.type" })
    expect(refusal({ ...leaf, key: "file.year" }, { bareKeys: true }).field).toBe("filter.key")
  })

  test("of a query is JSON", () => {
    expect<unknown>(parseFilter(JSON.stringify(leaf))).toEqual(leaf)
    for (const text of ["", "{", "eq", "[".repeat(100_000)])
      expect(() => parseFilter(text)).toThrow("filter: must be the JSON of a filter")
  })

  test("joins others by and", () => {
    const one = checkFilter(leaf)
    expect(joinFilters()).toBeUndefined()
    expect(joinFilters(null, one, undefined)).toBe(one)
    expect(joinFilters(one, one)).toEqual({ type: "and", filters: [one, one] })
  })
})

test("the filters of the documentation are filters", () => {
  const text = readFileSync(join(import.meta.dir, "../../../docs/filters.md"), "utf8")
  const blocks = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => JSON.parse(json!))
  const bodies = [...text.matchAll(/-d '(\{.*\})'/g)].map(([, json]) => JSON.parse(json!).filter)
  const queries = [...text.matchAll(/'filter=(\{.*\})'/g)].map(([, json]) => JSON.parse(json!))
  const filters = [...blocks, ...bodies, ...queries]
  expect(filters).toHaveLength(4)
  for (const filter of filters) expect<unknown>(checkFilter(filter)).toEqual(filter)
})
