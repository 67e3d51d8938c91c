/** GraphQL reads what the rest of the API reads: the same records, for the same callers, with the same errors. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../../support/app.ts"

const LEASE = "The lease of the boathouse may be ended with a notice of 90 days. The rent is due in March."
const HERON = "The heron of the lake nests in April."

let app: TestApp
let client: Client
let lease: string
let heron: string
beforeAll(async () => {
  app = await startTestApp()
  client = await app.client()
  const fields = { context_id: "boats", metadata: '{"year": 2024}', tags: "law,boats" }
  ;[lease] = (await client.index([{ name: "lease.txt", data: LEASE }], fields)).map(({ id }) => id) as [string]
  ;[heron] = (await client.index([{ name: "heron.txt", data: HERON }])).map(({ id }) => id) as [string]
  for (const name of ["ant.md", "bee.md", "cow.md"]) await client.index([{ name, data: `About the ${name}.` }])
}, 60_000)
afterAll(() => app.stop())

export const ask = (
  of: Client,
  query: string,
  variables: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) => of.under("").post("/graphql", { query, variables }, headers)

const codeOf = (answer: { body: { errors: { extensions: { code: string } }[] } }) =>
  answer.body.errors[0]?.extensions.code

describe("files", () => {
  test("are the records of the library", async () => {
    const fields = `id name type mimeType size sha256 status stage progress error { code } warnings { code } attempts
      pageCount ocrPageCount chunkCount characterCount contextId tags metadata acl externalId source { key } url
      createdAt updatedAt indexedAt`
    const { status, body } = await ask(client, `query ($id: ID!) { file(id: $id) { ${fields} } }`, { id: lease })
    expect([status, body.errors]).toEqual([200, undefined])
    const { body: record } = await client.get(`/libraries/${lease}`)
    const snake = Object.entries(body.data.file).map(([name, value]) => [
      name.replace(/[A-Z]/g, each => `_${each.toLowerCase()}`),
      value,
    ])
    expect(Object.fromEntries(snake)).toEqual(record)
  })

  test("are read page by page in every order, each once", async () => {
    const query = `query ($after: String, $sort: FileSort, $order: Order) {
      files(first: 2, after: $after, sort: $sort, order: $order) {
        edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor startCursor } totalCount } }`
    for (const sort of ["created_at", "updated_at", "name", "size", "status"])
      for (const order of ["asc", "desc"]) {
        const { body: all } = await client.get(`/libraries?sort=${sort}&order=${order}`)
        const read: string[] = []
        for (let after: string | null = null; ; ) {
          const { body } = await ask(client, query, { after, sort, order })
          const { edges, pageInfo, totalCount } = body.data.files
          read.push(...edges.map((edge: { node: { id: string } }) => edge.node.id))
          expect([totalCount, pageInfo.hasPreviousPage]).toEqual([5, after !== null])
          expect(pageInfo.endCursor).toBe(edges.at(-1).cursor)
          if (!pageInfo.hasNextPage) break
          after = pageInfo.endCursor
        }
        expect([sort, order, read]).toEqual([sort, order, all.data.map((file: { id: string }) => file.id)])
      }
  })

  test("are narrowed as in the list", async () => {
    const narrowings = [
      `name: "LEA"`,
      `contextId: "boats"`,
      `tags: ["law"]`,
      `types: ["txt"], createdBefore: "2100-01-01T00:00:00Z", contextId: "boats"`,
      `filter: {type: "eq", key: "metadata.year", value: 2024}`,
      `filter: {type: "and", filters: [{type: "eq", key: "file.type", value: "txt"}, {type: "exists", key: "metadata.year", value: true}]}`,
    ]
    for (const narrowing of narrowings) {
      const { body } = await ask(client, `{ files(${narrowing}, status: [searchable]) { nodes { id } totalCount } }`)
      expect([narrowing, body.data?.files]).toEqual([narrowing, { nodes: [{ id: lease }], totalCount: 1 }])
    }
    const none = await ask(client, `{ files(status: [failed]) { nodes { id } totalCount } }`)
    expect(none.body.data.files).toEqual({ nodes: [], totalCount: 0 })
  })

  test("have passages, which are stretches of their text", async () => {
    const { body } = await ask(
      client,
      `{ file(id: "${lease}") { passages { nodes { id ordinal text position { start end } url } totalCount pageInfo { hasNextPage } } } }`,
    )
    const { nodes, totalCount, pageInfo } = body.data.file.passages
    const text = await (await client.raw("GET", `/libraries/${lease}/text`)).text()
    expect([nodes.length, totalCount, pageInfo.hasNextPage]).toEqual([1, 1, false])
    const [{ position, url }] = nodes
    expect(nodes[0].text).toBe(text.slice(position.start, position.end))
    expect((await fetch(url)).status).toBe(200)
  })

  test("that a bad argument names are errors of that field alone", async () => {
    const { status, body } = await ask(
      client,
      `{ bad: files(first: 101) { totalCount } odd: files(after: "x") { totalCount } type: files(types: ["zzz"]) { totalCount }
        filter: files(filter: {type: "nope"}) { totalCount } good: files { totalCount } }`,
    )
    expect([status, body.data]).toEqual([
      200,
      { bad: null, odd: null, type: null, filter: null, good: { totalCount: 5 } },
    ])
    const codes = body.errors.map((error: { path: string[]; extensions: { code: string } }) => [
      error.path[0],
      error.extensions.code,
    ])
    expect(Object.fromEntries(codes)).toEqual({
      bad: "invalid_request",
      odd: "invalid_request",
      type: "invalid_request",
      filter: "invalid_filter",
    })
    const cursor = await ask(client, `{ files(first: 1) { pageInfo { endCursor } } }`)
    const foreign = cursor.body.data.files.pageInfo.endCursor
    expect(codeOf(await ask(client, `{ files(sort: name, after: "${foreign}") { totalCount } }`))).toBe(
      "invalid_request",
    )
  })
})

describe("search", () => {
  test("finds what the search of the API finds, hit by hit, page by page", async () => {
    const { body: found } = await client.post("/search", { query: "notice of the lease", explain: true })
    const fields = `id score relevance text highlights { start end } file { id name record { sha256 } } position { start end section } scores { keyword { rank } }`
    const query = `query ($after: String) { search(query: "notice of the lease", first: 1, after: $after, explain: true) {
      nodes { ${fields} } totalCount mode degraded index { searchableFiles vectors { done total tier } } pageInfo { hasNextPage endCursor } } }`
    const hits = []
    for (let after: string | null = null; ; ) {
      const { body } = await ask(client, query, { after })
      expect(body.errors).toBeUndefined()
      const { nodes, totalCount, pageInfo, index } = body.data.search
      expect([totalCount, index.searchableFiles]).toEqual([found.total, 5])
      hits.push(...nodes)
      if (!pageInfo.hasNextPage) break
      after = pageInfo.endCursor
    }
    expect(hits.map(({ id, score, text }) => [id, score, text])).toEqual(
      found.hits.map(({ id, score, text }: { id: string; score: number; text: string }) => [id, score, text]),
    )
    expect(hits[0].file).toMatchObject({ id: lease, name: "lease.txt", record: { sha256: expect.any(String) } })
  })

  test("is narrowed alike, and counted", async () => {
    const of = await app.client("searched")
    await of.index([{ name: "a.txt", data: LEASE }], { context_id: "a" })
    await of.index([{ name: "b.txt", data: LEASE }], { context_id: "b" })
    const { body } = await ask(of, `{ search(query: "lease", contextId: "a") { nodes { file { name } } } }`)
    expect(body.data.search.nodes).toEqual([{ file: { name: "a.txt" } }])
    const used = await ask(of, `{ usage { nodes { searches requests } } }`)
    expect(used.body.data.usage.nodes[0].searches).toBe(1)
  })

  test("refuses a query without words, by the same code", async () => {
    expect(codeOf(await ask(client, `{ search(query: "  ") { totalCount } }`))).toBe("invalid_request")
    expect(codeOf(await ask(client, `{ search(query: "${"a".repeat(2001)}") { totalCount } }`))).toBe("invalid_request")
  })
})

describe("conversations and runs", () => {
  test("come with their messages, citations and files", async () => {
    const { body: begun } = await client.post("/start-conversation", { message: "What is the notice of the lease?" })
    const id = begun.conversation_id
    const { body } = await ask(
      client,
      `query ($id: ID!) { conversation(id: $id) { id title model messageCount owner { type } messages(first: 1) {
        nodes { id role content } pageInfo { hasNextPage endCursor } totalCount } } }`,
      { id },
    )
    expect(body.errors).toBeUndefined()
    const { messages, ...rest } = body.data.conversation
    expect(rest).toMatchObject({ id, messageCount: 2, owner: { type: "key" }, model: "builtin/extractive" })
    expect(messages).toMatchObject({ nodes: [{ role: "user" }], totalCount: 2, pageInfo: { hasNextPage: true } })
    const next = await ask(
      client,
      `{ conversation(id: "${id}") { messages(after: "${messages.pageInfo.endCursor}") { nodes {
        role content finishReason citations { index url file { name } } } } } }`,
    )
    expect(next.body.errors).toBeUndefined()
    const [reply] = next.body.data.conversation.messages.nodes
    const { body: whole } = await client.get(`/conversations/${id}`)
    expect(reply).toMatchObject({ role: "assistant", content: whole.messages[1].content, finishReason: "stop" })
    expect(reply.citations[0]).toMatchObject({
      index: 1,
      file: { name: "lease.txt" },
      url: expect.stringContaining("/view/"),
    })
    const listed = await ask(client, `{ conversations(first: 1, query: "notice") { nodes { id } totalCount } }`)
    expect(listed.body.data.conversations).toEqual({ nodes: [{ id }], totalCount: 1 })
  })

  test("are read page by page, newest first", async () => {
    const of = await app.client("many")
    const ids: string[] = []
    for (const message of ["one", "two", "three"])
      ids.unshift((await of.post("/start-conversation", { message })).body.conversation_id)
    const query = `query ($after: String) { conversations(first: 2, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`
    const { body: first } = await ask(of, query)
    const { body: second } = await ask(of, query, { after: first.data.conversations.pageInfo.endCursor })
    expect([...first.data.conversations.nodes, ...second.data.conversations.nodes]).toEqual(ids.map(id => ({ id })))
    expect(second.data.conversations.pageInfo.hasNextPage).toBe(false)
  })

  test("show a run with its steps", async () => {
    const { body: ran } = await client.post("/agents/run", { task: "What is the notice of the lease?" })
    const query = `query ($id: ID!) { run(id: $id) { id status output finishReason stepCount usage { promptTokens }
      steps { nodes { index name isError arguments result } totalCount } approvals { id } citations { file { id } } } }`
    const { body } = await ask(client, query, { id: ran.run_id })
    expect(body.errors).toBeUndefined()
    const { steps, approvals, ...run } = body.data.run
    expect(run).toMatchObject({ id: ran.run_id, status: "completed", output: ran.output, stepCount: ran.steps.length })
    expect(steps.nodes.map((step: { name: string }) => step.name)).toEqual(
      ran.steps.map((step: { name: string }) => step.name),
    )
    expect(approvals).toEqual([])
    const listed = await ask(
      client,
      `{ runs(status: [completed]) { nodes { id } totalCount } none: runs(status: [failed]) { totalCount } }`,
    )
    expect(listed.body.data).toEqual({ runs: { nodes: [{ id: ran.run_id }], totalCount: 1 }, none: { totalCount: 0 } })
  })
})

test("usage is that of the report", async () => {
  const { body } = await ask(
    client,
    `{ usage(groupBy: [key], bucket: day) { nodes { bucket key requests bytesIn bytesStored searches promptTokens } totalCount } }`,
  )
  const { body: report } = await client.get("/usage?group_by=key")
  const [{ bucket, key, bytes_in: bytesIn, bytes_stored: bytesStored }] = report.data
  expect(body.data.usage.nodes[0]).toMatchObject({ bucket, key, bytesIn, bytesStored })
  expect(body.data.usage.totalCount).toBe(report.data.length)
  expect(codeOf(await ask(client, `{ usage(from: "yesterday") { totalCount } }`))).toBe("invalid_request")
})

describe("who asks", () => {
  test("sees nothing of another workspace, by list or by id", async () => {
    const other = await app.client("other")
    const conversation = (await client.post("/start-conversation", { message: "hello" })).body.conversation_id
    const run = (await client.post("/agents/run", { task: "hello" })).body.run_id
    const { body } = await ask(
      other,
      `{ file(id: "${lease}") { name passages { nodes { text } } } conversation(id: "${conversation}") { title } run(id: "${run}") { task }
        files { totalCount nodes { id } } conversations { totalCount } runs { totalCount } search(query: "lease") { totalCount nodes { text } } }`,
    )
    expect(body.data).toEqual({
      ...{ file: null, conversation: null, run: null },
      ...{ files: { totalCount: 0, nodes: [] }, conversations: { totalCount: 0 }, runs: { totalCount: 0 } },
      search: { totalCount: 0, nodes: [] },
    })
    const codes = body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)
    expect(codes).toEqual(["not_found", "not_found", "not_found"])
    expect(JSON.stringify(body)).not.toContain("boathouse")
  })

  test("sees through a narrow key and token what they show", async () => {
    const narrow = await app.client("default", { context_ids: ["boats"] })
    const filtered = await client.scoped({ filter: { type: "eq", key: "file.name", value: "lease.txt" } })
    for (const caller of [narrow, filtered]) {
      const { body } = await ask(
        caller,
        `{ files { nodes { name } totalCount } file(id: "${heron}") { name } search(query: "heron nests") { nodes { text } index { searchableFiles } } conversations { totalCount } }`,
      )
      expect(body.data.files).toEqual({ nodes: [{ name: "lease.txt" }], totalCount: 1 })
      expect([body.data.file, body.data.search.index.searchableFiles, body.data.conversations.totalCount]).toEqual([
        null,
        1,
        0,
      ])
      expect(JSON.stringify(body)).not.toContain("heron")
    }
  })

  test("is shown no file by a citation that it may not see", async () => {
    const whole = await app.client("cited")
    const [file] = await whole.index([{ name: "lease.txt", data: LEASE }], { context_id: "secret" })
    const { body: begun } = await whole.post("/start-conversation", { message: "What is the notice of the lease?" })
    await whole.patch(`/libraries/${file!.id}`, { acl: [] })
    const reader = await whole.scoped({ principals: ["user:1"], scopes: ["chat", "files:read"] })
    const query = `{ conversation(id: "${begun.conversation_id}") { messages { nodes { citations { file { name } } } } } }`
    const seen = await ask(whole, query)
    expect(JSON.stringify(seen.body.data)).toContain("lease.txt")
    expect((await ask(reader, query)).body.data).toEqual({ conversation: null })
  })

  test("needs the scope of every field, and is told which it lacks before anything is read", async () => {
    const searching = await app.client("default", { scopes: ["search"] })
    expect((await ask(searching, `{ search(query: "lease") { nodes { file { name } } } }`)).status).toBe(200)
    for (const [query, scope] of [
      ["{ files { totalCount } }", "files:read"],
      [`{ search(query: "lease") { nodes { file { record { id } } } } }`, "files:read"],
      [
        `{ search(query: "lease") { ...F } } fragment F on SearchConnection { nodes { file { record { id } } } }`,
        "files:read",
      ],
      ["{ conversations { totalCount } }", "chat"],
      ["{ runs { totalCount } }", "agents"],
      ["{ usage { totalCount } }", "usage"],
    ] as const) {
      const { status, body } = await ask(searching, query)
      expect([query, status, body.errors[0].extensions.code, body.data]).toEqual([query, 403, "forbidden", undefined])
      expect(body.errors[0].message).toContain(scope)
      expect(body.error.code).toBe("forbidden")
    }
  })

  test("is refused without credentials, with wrong ones, and over the limit, by status and in both shapes", async () => {
    const body = JSON.stringify({ query: "{ __typename }" })
    const headers = { "content-type": "application/json" }
    const nobody = await fetch(`${app.url}/graphql`, { method: "POST", body, headers })
    expect(nobody.status).toBe(401)
    const told = (await nobody.json()) as { error: { code: string }; errors: { extensions: { code: string } }[] }
    expect([told.error.code, told.errors[0]!.extensions.code]).toEqual(["unauthorized", "unauthorized"])
    const limited = await app.client("default", { rate_limit_per_minute: 1 })
    expect((await ask(limited, "{ __typename }")).status).toBe(200)
    const over = await ask(limited, "{ __typename }")
    expect([over.status, codeOf(over), over.headers.get("retry-after")]).toEqual([
      429,
      "rate_limited",
      expect.any(String),
    ])
  })

  test("stands in the audit log with the files whose text was read, and with what was refused", async () => {
    const of = await app.client("audited")
    const [file] = await of.index([{ name: "lease.txt", data: LEASE }])
    await of.index([{ name: "heron.txt", data: HERON }])
    await ask(of, "{ files { nodes { name } } }")
    await ask(of, `{ file(id: "${file!.id}") { passages { nodes { text } } } }`)
    const narrow = await app.client("audited", { scopes: ["search"] })
    await ask(narrow, "{ files { totalCount } }")
    const blind = await app.client("audited", { context_ids: [] })
    await ask(
      blind,
      `{ file(id: "${file!.id}") { name } none: file(id: "${file!.id.slice(0, -3)}zzz") { name } odd: file(id: "no id") { name } }`,
    )
    await ask(of, `{ file(id: "${file!.id.slice(0, -3)}zzz") { name } }`)
    const { body } = await of.get("/audit")
    const rows = body.data.filter((row: { endpoint: string }) => row.endpoint === "POST /graphql")
    expect(rows.map((row: Record<string, unknown>) => [row.action, row.outcome, row.resource_id])).toEqual([
      ["file.download", "success", file!.id],
      ["request.refuse", "denied", null],
      ["request.refuse", "denied", file!.id],
      ["request.refuse", "failure", `${file!.id.slice(0, -3)}zzz`],
    ])
  })
})

describe("the protocol", () => {
  test("answers in the type that newer clients ask for", async () => {
    const accept = { accept: "application/graphql-response+json, application/json;q=0.9" }
    const { headers, body } = await ask(client, "{ __typename }", {}, accept)
    expect(headers.get("content-type")).toStartWith("application/graphql-response+json")
    expect(body.data).toEqual({ __typename: "Query" })
    expect((await ask(client, "{ __typename }")).headers.get("content-type")).toStartWith("application/json")
  })

  test("takes a query in the address, from the same callers and with the same answer", async () => {
    const get = (parameters: Record<string, string>, of = client) =>
      of.under("").get(`/graphql?${new URLSearchParams(parameters)}`)
    const query = "query ($name: String) { files(name: $name) { totalCount } }"
    const { status, body, headers } = await get({ query, variables: '{"name": "lease"}' })
    expect([status, body.data, headers.get("x-ratelimit-limit")]).toEqual([
      200,
      { files: { totalCount: 1 } },
      expect.any(String),
    ])
    for (const variables of ["[]", "{", "7", "{".repeat(5_000)])
      expect([variables, (await get({ query, variables })).status]).toEqual([variables, 400])
    expect((await client.under("").get("/graphql")).status).toBe(400)
    const nobody = await fetch(`${app.url}/graphql?${new URLSearchParams({ query: "{ __typename }" })}`)
    expect([nobody.status, ((await nobody.json()) as { errors: object[] }).errors.length]).toEqual([401, 1])
  })

  test("refuses what is no query, says where, and executes nothing", async () => {
    for (const query of [
      "{ files {",
      "{ nope }",
      "mutation { x }",
      "{ file { id } }",
      "query ($n: Int!) { files(first: $n) { totalCount } }",
      "",
    ]) {
      const { status, body } = await ask(client, query)
      expect([query, status, body.errors?.[0].extensions.code, body.data]).toEqual([
        query,
        400,
        "invalid_request",
        undefined,
      ])
    }
    const { body } = await ask(client, "{\n  files { nodes { nam } }\n}")
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining('"nam"'),
      locations: [{ line: 2, column: 19 }],
    })
    for (const raw of ["{", "[]", '{"query": 7}', "{}"])
      expect((await client.under("").post("/graphql", raw, { "content-type": "application/json" })).status).toBe(400)
    expect((await client.under("").post("/graphql", "query=x", { "content-type": "text/plain" })).status).toBe(415)
    expect((await client.under("").send("PUT", "/graphql")).status).toBe(405)
  })

  test("takes one operation of several", async () => {
    const query = `query A { files { totalCount } } query B { __typename }`
    const of = (operationName?: string) => client.under("").post("/graphql", { query, operationName })
    expect((await of("A")).body.data).toEqual({ files: { totalCount: 5 } })
    expect((await of("B")).body.data).toEqual({ __typename: "Query" })
    expect([(await of()).status, (await of("C")).status]).toEqual([400, 400])
  })

  test("shows its schema to anyone, which is what introspection tells", async () => {
    const { buildClientSchema, buildSchema, getIntrospectionQuery, printSchema } = await import("graphql")
    const response = await fetch(`${app.url}/graphql/schema`)
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"])
    const shown = buildSchema(await response.text())
    const { body } = await ask(client, getIntrospectionQuery({ specifiedByUrl: true }))
    expect(body.errors).toBeUndefined()
    expect(printSchema(buildClientSchema(body.data))).toBe(printSchema(shown))
  })

  test("is switched off by a setting: nothing is there", async () => {
    const without = await startTestApp({ "no-graphql": "true" })
    try {
      const of = await without.client()
      for (const [method, path] of [
        ["POST", "/graphql"],
        ["GET", "/graphql"],
        ["GET", "/graphql/schema"],
      ] as const)
        expect([path, (await of.under("").send(method, path)).status]).toEqual([path, 404])
      const { paths } = (await (await fetch(`${without.url}/external-docs/docs/json`)).json()) as { paths: object }
      expect(Object.keys(paths)).toContain("/graphql")
    } finally {
      await without.stop()
    }
  }, 60_000)
})
