/** Small inputs whose evaluation takes for ever, or all memory. */
import type { JsonSchema } from "../../src/tools/json-schema.ts"

/** As long as an expression may be, powers of powers with 128 digits: some three seconds of a processor. */
export const endlessExpression = `${"7^.3^".repeat(398)}2`

const chain = (length: number, link: (next: object) => object): JsonSchema => ({
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length }, (_, at) => [
      `d${at}`,
      at === length - 1 ? { type: "string" } : link({ $ref: `#/$defs/d${at + 1}` }),
    ]),
  ),
})

/** Name, schema, and a value that is checked against it. */
export const schemaBombs: [string, JsonSchema, unknown][] = [
  ["references that double at each link", chain(26, next => ({ allOf: [next, next] })), 5],
  [
    "references that double below a property",
    chain(60, next => ({ properties: { a: next, b: next } })),
    { a: { b: {} } },
  ],
  ["references with three alternatives", chain(24, next => ({ anyOf: [next, next, next] })), 5],
  [
    "a reference to itself beside others",
    { anyOf: [{ $ref: "#" }, { allOf: [{ $ref: "#" }, { type: "string" }] }] },
    5,
  ],
  [
    "thousands of branches for each of many items",
    { type: "array", items: { anyOf: Array.from({ length: 3_500 }, (_, at) => ({ const: at })) } },
    Array(10_000).fill("x"),
  ],
  [
    "every item unlike every other",
    { type: "array", uniqueItems: true },
    Array.from({ length: 30_000 }, (_, at) => ({ at })),
  ],
  [
    "patterns that repeat what repeats",
    { type: "string", pattern: `${"(".repeat(12)}a${"{30})".repeat(12)}` },
    "a".repeat(100_000),
  ],
]
