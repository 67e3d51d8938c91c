/** Filters and files of every kind, for properties: a few keys and values, so that they meet, and strange ones among them. */
import fc from "fast-check"
import type { Filter } from "../../src/access/filter/filter.ts"

const CHARACTERS = [
  "a",
  "b",
  "A",
  "é",
  "e\u0301",
  " ",
  ".",
  "%",
  "_",
  "?",
  "'",
  '"',
  "\\",
  "\n",
  "\0",
  "\u0001",
  "\u0002",
  "\u0003",
  "\u0005",
  "\u001f",
  "\ud7fb",
  "\ue000",
  "\uffff",
  "😀",
  "\u{10ffff}",
]
const text = fc.oneof(
  fc.constantFrom("", "a", "ab", "b", "2026", "true", "null", "pdf", "\\u0000", "\\\\u0001", "\\"),
  fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 4 }),
)
const number = fc.oneof(
  fc.constantFrom(
    0,
    1,
    -1,
    2026,
    0.1,
    0.30000000000000004,
    1e21,
    12345678901234567000,
    2 ** 53,
    5e-324,
    1.7976931348623157e308,
  ),
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value + 0),
)
const scalar = fc.oneof({ weight: 3, arbitrary: text }, { weight: 2, arbitrary: number }, fc.boolean())
const name = fc.constantFrom(
  "a",
  "b",
  "c",
  "0",
  "é",
  "😀",
  "x y",
  'q"',
  "\\",
  "\0",
  "\u0001",
  "$",
  "[0]",
  "'",
  "__proto__",
  "constructor",
  "toString",
  "?",
)

/** Also halves of pairs, which a metadata object may hold and no filter. */
const inMetadata = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.constantFrom(null, "\ud800", "\udfffx", "a\ud83d"),
  fc.array(fc.oneof(scalar, fc.constantFrom(null, "\ud800")), { maxLength: 3 }),
  fc.array(fc.array(scalar, { maxLength: 2 }), { maxLength: 2 }),
  fc.array(fc.dictionary(name, scalar, { maxKeys: 2 }), { maxLength: 2 }),
)
const object = (inner: fc.Arbitrary<unknown>) =>
  fc
    .array(fc.tuple(name, inner), { maxLength: 4 })
    // Through JSON, as metadata come: `__proto__` is a name like others.
    .map(
      entries =>
        JSON.parse(`{${entries.map(entry => entry.map(part => JSON.stringify(part)).join(":")).join(",")}}`) as Record<
          string,
          unknown
        >,
    )
export const someMetadata = object(
  fc.oneof({ weight: 3, arbitrary: inMetadata }, object(fc.oneof(inMetadata, object(inMetadata)))),
)

const time = fc.constantFrom(
  "2026-01-01T00:00:00.000Z",
  "2026-01-01T02:00:00.000+02:00",
  "2025-12-31T19:00-0500",
  "2026-01-01",
  "2026-01-01 00:00",
  "2026-02-30",
  "2026-06-01T12:00:00Z",
  "0001-01-01T00:00:00+14:00",
  "0000-01-01T00:00:00+14:00",
  "9999-12-31T23:59:59-14:00",
  "yesterday",
)
export const someTimes = ["2025-12-31T23:59:59.999Z", "2026-01-01T00:00:00.000Z", "2026-06-01T12:00:00.000Z"]
export const someNames = ["a.pdf", "A.pdf", "é.md", "e\u0301.md", "😀.txt", "\ue000.txt", "%_?'\".csv"]
export const someTags = fc.array(fc.oneof(text, fc.constantFrom("x", "y", "\ud800")), { maxLength: 3 })

const key = fc.oneof(
  { weight: 3, arbitrary: fc.array(name, { minLength: 1, maxLength: 3 }).map(path => `metadata.${path.join(".")}`) },
  fc
    .constantFrom(
      "id",
      "name",
      "type",
      "size",
      "sha256",
      "external_id",
      "context_id",
      "tags",
      "status",
      "source_id",
      "created_at",
      "updated_at",
    )
    .map(each => `file.${each}`),
)
const value = fc.oneof({ weight: 3, arbitrary: scalar }, time, fc.constantFrom(...someNames, "x", "y", 5, 100))
const leaf: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ type: fc.constantFrom("eq", "ne", "contains"), key, value }),
  fc.record({
    type: fc.constantFrom("gt", "gte", "lt", "lte"),
    key,
    value: fc.oneof(text, number, time, fc.constantFrom(...someNames)),
  }),
  fc.record({ type: fc.constantFrom("in", "nin"), key, value: fc.array(value, { maxLength: 4 }) }),
  fc.record({
    type: fc.constant("starts_with" as const),
    key,
    value: fc.oneof(text, fc.constantFrom("2026", "a", "😀")),
  }),
  fc.record({ type: fc.constant("exists" as const), key, value: fc.boolean() }),
)

export const someFilter = fc.letrec<{ filter: Filter }>(tie => ({
  filter: fc.oneof(
    { maxDepth: 5, depthSize: "small", withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    fc.record({ type: fc.constantFrom("and", "or"), filters: fc.array(tie("filter"), { minLength: 1, maxLength: 4 }) }),
    fc.record({ type: fc.constant("not" as const), filters: fc.tuple(tie("filter")) }),
  ),
})).filter
