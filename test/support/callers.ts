/** Keys and tokens at random, files at random, and who sees which: told from the records alone, what every surface is held to. */
import fc from "fast-check"
import type { Filter } from "../../src/access/filter/filter.ts"
import type { FileRecord } from "../../src/library/record.ts"
import { matches } from "./matches.ts"

const CONTEXTS = ["a", "b", "c"]
const PRINCIPALS = ["group:hr", "group:it", "user:1", "user:2"]

/** What narrows somebody; null does not. */
export interface Limits {
  context_ids: string[] | null
  filter: Filter | null
}
export interface Caller {
  key: Limits
  /** Undefined for the key itself. */
  token: (Limits & { principals: string[] | null }) | undefined
}

const someFilter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter; leaf: Filter }>(tie => ({
  leaf: fc.oneof(
    fc.record({
      type: fc.constantFrom("eq" as const, "ne" as const),
      key: fc.constantFrom("metadata.n", "file.type", "file.tags", "file.context_id"),
      value: fc.constantFrom<string | number>(1, 2, "txt", "md", "red", "a"),
    }),
    fc.record({
      type: fc.constantFrom("gt" as const, "lte" as const),
      key: fc.constant("metadata.n"),
      value: fc.constantFrom(1, 2),
    }),
    fc.record({ type: fc.constant("exists" as const), key: fc.constant("metadata.n"), value: fc.boolean() }),
    fc.record({ type: fc.constant("starts_with" as const), key: fc.constant("file.name"), value: fc.constant("f1") }),
  ),
  filter: fc.oneof(
    { maxDepth: 3 },
    { arbitrary: tie("leaf"), weight: 3 },
    {
      arbitrary: fc.record({
        type: fc.constantFrom("and" as const, "or" as const),
        filters: fc.array(tie("filter"), { minLength: 1, maxLength: 3 }),
      }),
      weight: 1,
    },
    {
      arbitrary: fc.record({ type: fc.constant("not" as const), filters: fc.tuple(tie("filter")) }),
      weight: 1,
    },
  ),
})).filter

const someLimits = {
  context_ids: fc.option(fc.subarray(CONTEXTS)),
  filter: fc.option(someFilter),
}
export const someCaller: fc.Arbitrary<Caller> = fc.record({
  key: fc.record(someLimits),
  token: fc.option(fc.record({ ...someLimits, principals: fc.option(fc.subarray(PRINCIPALS)) }), { nil: undefined }),
})
export const someRequestFilter = fc.option(someFilter)

export interface SomeFile {
  context_id: string | null
  acl: string[] | null
  tags: string[]
  type: string
  n: number | null
}
export const someFile: fc.Arbitrary<SomeFile> = fc.record({
  context_id: fc.option(fc.constantFrom(...CONTEXTS)),
  acl: fc.option(fc.subarray(PRINCIPALS)),
  tags: fc.subarray(["red", "blue"]),
  type: fc.constantFrom("txt", "md"),
  n: fc.option(fc.constantFrom(1, 2, 3)),
})

type Seen = Parameters<typeof matches>[1] & Pick<FileRecord, "acl">

/** By the rule as it is written down, one limit after the other. */
export function sees({ key, token }: Caller, file: Seen): boolean {
  const within = ({ context_ids, filter }: Limits) =>
    (context_ids === null || (file.context_id !== null && context_ids.includes(file.context_id))) &&
    (filter === null || matches(filter, file))
  if (!within(key)) return false
  if (!token) return true
  const { principals } = token
  const isNamed = principals === null || file.acl === null || file.acl.some(each => principals.includes(each))
  return within(token) && isNamed
}
