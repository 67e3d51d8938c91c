/** What one query may ask for is bounded before anything is read, however it is written. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { buildSchema, getIntrospectionQuery, getOperationAST, isObjectType, parse } from "graphql"
import { Costs } from "../../../src/http/graphql/cost.ts"
import SDL from "../../../src/http/graphql/schema.graphql" with { type: "text" }
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"

let app: TestApp
let client: Client
beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
})
afterAll(() => app.stop())

const ask = (query: string, variables: Record<string, unknown> = {}) =>
  client.under("").post("/graphql", { query, variables })

const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(" ")

const PASSAGES = "passages(first: 100) { nodes { text } }"

/** Of queries that are refused, with what is said of them. */
const REFUSED: Record<string, [query: string, says: RegExp, variables?: Record<string, unknown>]> = {
  "lists in lists": [`{ files(first: 100) { nodes { ${PASSAGES} } } }`, /costs \d+/],
  "lists in lists whose length a variable says": [
    "query ($n: Int) { files(first: $n) { nodes { passages(first: $n) { nodes { text } } } } }",
    /costs \d+/,
    { n: 100 },
  ],
  "lists in lists whose length the default of a variable says": [
    "query ($n: Int = 100) { files(first: $n) { nodes { passages(first: $n) { nodes { text } } } } }",
    /costs \d+/,
  ],
  aliases: [`{ ${times(20, at => `a${at}: search(query: "x") { totalCount }`)} }`, /costs \d+/],
  "aliases of cheap fields": [
    `{ ${times(120, at => `a${at}: files(first: 100) { nodes { id name size } }`)} }`,
    /costs \d+/,
  ],
  "fragments that spread each other": [
    `{ files(first: 2) { nodes { ...F0 } } } ${times(20, at => `fragment F${at} on File { a${at}: passages(first: 2) { nodes { id } } ...F${at + 1} b${at}: passages(first: 2) { nodes { id } } }`)} fragment F20 on File { ${times(60, at => `p${at}: passages(first: 100) { nodes { text } }`)} }`,
    /costs|tokens/,
  ],
  "conditions that would leave it out": [
    `query ($no: Boolean!) { files(first: 100) @include(if: $no) { nodes { ${PASSAGES} } } }`,
    /costs \d+/,
    { no: false },
  ],
  "lists of citations of lists of messages": [
    "{ conversations(first: 100) { nodes { messages(first: 100) { nodes { citations { file { name } } } } } } }",
    /costs \d+/,
  ],
  "introspection many times over": [
    `{ ${times(30, at => `a${at}: __schema { types { fields { args { type { name } } type { name ofType { name } } } } }`)} }`,
    /costs \d+/,
  ],
  "introspection inside of itself": [
    "{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }",
    /introspection depth/i,
  ],
  "fragments that lead to themselves": [
    "{ files { ...A } } fragment A on FileConnection { ...B } fragment B on FileConnection { ...A }",
    /itself/,
  ],
  depth: [`{ files { nodes { ${"source { ".repeat(30)} key ${"} ".repeat(30)} } } }`, /deeper than/],
  "many tokens": [`{ ${"__typename ".repeat(3_000)} }`, /tokens/],
  "a document as long as a body may be": [`{ ${"a ".repeat(500_000)} }`, /100000/],
  "comments alone": ["#\n".repeat(20_000), /comments/],
  "one name again and again": [`{ ${"files { totalCount } ".repeat(60)} }`, /repeatedly/],
  "aliases by the thousand": [`{ ${times(1_000, at => `a${at}: __typename`)} }`, /tokens/],
  "directives by the hundred": [`{ __typename ${"@include(if: true) ".repeat(500)} }`, /tokens/],
  "directives that nobody knows": [`{ __typename ${"@a ".repeat(900)} }`, /Unknown directive/],
  "fragments that spread all later ones": [
    `{ ...F0 } ${times(40, at => `fragment F${at} on Query { ${times(39 - at, on => `...F${at + on + 1}`)} __typename }`)}`,
    /costs \d+/,
  ],
  "a circle of fifty fragments": [
    `{ ...F0 } ${times(50, at => `fragment F${at} on Query { ...F${(at + 1) % 50} }`)}`,
    /itself/,
  ],
  "inline fragments in each other": [`{ ${"... { ".repeat(600)} __typename ${"} ".repeat(600)} }`, /deeper than/],
  "many fragments": [
    `{ files { ...F0 } } ${times(150, at => `fragment F${at} on FileConnection { totalCount }`)}`,
    /fragments/,
  ],
}

describe("a query is refused, and nothing of it executed, for", () => {
  for (const [name, [query, says, variables]] of Object.entries(REFUSED))
    test(name, async () => {
      const { status, body } = await ask(query, variables)
      expect([status, body.data]).toEqual([400, undefined])
      expect(body.errors[0].extensions.code).toBe("invalid_request")
      expect(body.errors[0].message).toMatch(says)
    })
})

test("several queries in one body are refused, however many", async () => {
  for (const count of [1, 2, 10_000]) {
    const batch = Array.from({ length: count }, () => ({ query: "{ __typename }" }))
    const { status, body } = await client.under("").post("/graphql", batch)
    expect([status, body.errors[0].extensions.code, body.data]).toEqual([400, "invalid_request", undefined])
  }
})

test("values nested hundreds deep fail their field alone", async () => {
  for (const value of [`${"[".repeat(900)}${"]".repeat(900)}`, `${"{a: ".repeat(480)}1${"}".repeat(480)}`]) {
    const { status, body } = await ask(`{ files(filter: ${value}) { totalCount } __typename }`)
    expect([status, body.errors[0].path, body.errors[0].extensions.code]).toEqual([200, ["files"], "invalid_filter"])
  }
})

test("while all that is refused is asked at once, the daemon says that it is well", async () => {
  const asked = Object.values(REFUSED).map(([query, , variables]) => ask(query, variables))
  const health = await fetch(`${app.url}/healthz`)
  expect(health.status).toBe(200)
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 400))
})

test("a body over a megabyte is 413, also here", async () => {
  const { status, body } = await ask(`{ ${"a ".repeat(600_000)} }`)
  expect([status, body.errors[0].extensions.code, body.error.code]).toEqual([
    413,
    "request_too_large",
    "request_too_large",
  ])
})

test("the introspection that clients begin with passes, with what it costs", async () => {
  for (const options of [
    {},
    { specifiedByUrl: true, inputValueDeprecation: true, schemaDescription: true, directiveIsRepeatable: true },
  ]) {
    const { status, body } = await ask(getIntrospectionQuery(options))
    expect([status, body.errors]).toEqual([200, undefined])
    expect(body.extensions.cost).toBeLessThan(body.extensions.max_cost / 2)
  }
})

test("a hundred files with passages pass", async () => {
  const { status } = await ask(
    "{ files(first: 100) { nodes { id name passages(first: 10) { nodes { id text position { page } } } } } }",
  )
  expect(status).toBe(200)
})

describe("the cost", () => {
  const schema = buildSchema(SDL)
  const costs = new Costs(schema)
  const ofQuery = (query: string) => {
    const document = parse(query)
    return costs.of(document, getOperationAST(document)!, {})
  }
  const costOf = (query: string, variables: Record<string, unknown> = {}) => {
    const document = parse(query)
    return costs.of(document, getOperationAST(document)!, variables).cost
  }

  test("counts every value that an answer may hold, as often as it may be there", () => {
    expect(costOf("{ __typename }")).toBe(1)
    expect(costOf("{ files(first: 7) { nodes { id } } }")).toBe(200 + 1 + 7 * (5 + 1))
    expect(costOf("{ files { nodes { id } } }")).toBe(200 + 1 + 20 * (5 + 1))
    expect(costOf("{ files(first: 7) { edges { node { id } } } }")).toBe(200 + 1 + 7 * (1 + 5 + 1))
    expect(costOf("{ files(first: 7) { nodes { id } totalCount } }")).toBe(200 + 1 + 7 * (5 + 1) + 100 + 1)
  })

  test("is the same however the query is written", () => {
    const plain = costOf("{ files(first: 7) { nodes { id name } } }")
    expect(costOf("query ($n: Int) { files(first: $n) { nodes { id name } } }", { n: 7 })).toBe(plain)
    expect(costOf("query ($n: Int = 7) { files(first: $n) { nodes { id name } } }")).toBe(plain)
    expect(
      costOf(
        "{ files(first: 7) { ...F } } fragment F on FileConnection { nodes { ...G } } fragment G on File { id name }",
      ),
    ).toBe(plain)
    expect(costOf("{ files(first: 7) { ... on FileConnection { nodes { ... { id name } } } } }")).toBe(plain)
    expect(costOf("{ a: files(first: 7) { nodes { id name } } b: files(first: 7) { nodes { id name } } }")).toBe(
      2 * plain,
    )
  })

  test("comes with the depth, which fragments do not hide", () => {
    const plain = "{ files { nodes { passages { nodes { position { page } } } } } }"
    const spread = `{ files { ...A } } fragment A on FileConnection { nodes { ...B } }
      fragment B on File { passages { ... { nodes { ...C } } } } fragment C on Passage { position { page } }`
    expect([ofQuery(plain).depth, ofQuery(spread).depth]).toEqual([6, 6])
    expect(ofQuery('{ __type(name: "File") { fields { type { ofType { name } } } } }')).toMatchObject({
      depth: 1,
      introspectionDepth: 5,
    })
  })

  test("of every list is bounded by something that the schema says", () => {
    for (const type of Object.values(schema.getTypeMap())) {
      if (type.name.startsWith("__") || !isObjectType(type)) continue
      const sized = new Set(["edges", "nodes"])
      for (const field of Object.values(type.getFields()))
        if (/^\[/.test(String(field.type)) && !(type.name.endsWith("Connection") && sized.has(field.name)))
          expect([
            `${type.name}.${field.name}`,
            field.astNode?.directives?.some(each => each.name.value === "listSize"),
          ]).toEqual([`${type.name}.${field.name}`, true])
    }
  })
})
