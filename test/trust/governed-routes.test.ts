/**
 * Every route of the table, asked by a real request, does what its declaration says of governance: one row of its action in
 * the audit log or none, and never contents; one request in the usage of whom it was asked by; a refusal where a hold keeps
 * what it would delete; a refusal with a row where the key has not the scope. A route that does otherwise fails by its name,
 * and so does one that no request is known for (`test/support/route-requests.ts`).
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { sql } from "kysely"
import type { AuditRecord } from "../../src/governance/audit/chain.ts"
import schema from "../../src/http/graphql/schema.graphql" with { type: "text" }
import { mcpTools } from "../../src/http/mcp/tools/index.ts"
import type { Declared } from "../../src/http/operation.ts"
import type { Database } from "../../src/storage/database.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { call, connect } from "../http/mcp/support.ts"
import type { Client, TestApp } from "../support/app.ts"
import { openRouteHouse, type RouteHouse } from "../support/route-house.ts"
import { exampleOf, type House, marked, type Request, requestOf } from "../support/route-requests.ts"
import { routes } from "../support/routes.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(120_000)

/** What a daemon does once in its life, or with a provider beside it. */
const SHOWN_ELSEWHERE: Record<string, string> = {
  claimDaemon: "test/access/sessions.test.ts",
  startProviderSignIn: "test/access/oidc/people.test.ts",
  finishProviderSignIn: "test/access/oidc/people.test.ts",
  getMessageImage: "test/chat/images.test.ts",
}
const walked = routes
  .filter(({ declared }) => !(declared!.id in SHOWN_ELSEWHERE))
  .map(({ name, method, path, declared }) => ({
    name,
    method,
    path: path.replace(/:(\w+)/g, "{$1}"),
    declared: declared!,
  }))
type Walked = (typeof walked)[number]

let opened: RouteHouse
let app: TestApp
let house: House
/** Who looks at what became of the requests of others. */
let auditor: Client
let database: Database

beforeAll(async () => {
  opened = await openRouteHouse()
  ;({ app, house } = opened)
  auditor = await app.client()
  database = await openSqlite(app.data)
})
afterAll(async () => {
  await database.destroy()
  await opened.close()
})

/** The one who asks: a key, whoever is signed in to the console, or nobody. */
const credentialsFor = ({ declared }: Walked, key: Client): Record<string, string> =>
  declared.open ? {} : declared.session ? house.admin : key.credentials

async function ask(route: Walked, asked: Request & { at: string }, key = house.owner) {
  const { body } = asked
  const isForm = body instanceof FormData
  const accepts = route.declared.id.startsWith("mcp") ? { accept: "application/json, text/event-stream" } : {}
  const leave = new AbortController()
  const response = await fetch(app.url + asked.at, {
    method: route.method,
    headers: {
      ...accepts,
      ...credentialsFor(route, key),
      ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
      ...asked.headers,
    } as Record<string, string>,
    signal: leave.signal,
    ...(body === undefined || route.method === "GET" ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  const isEndless = route.method === "GET" && response.headers.get("content-type")?.startsWith("text/event-stream")
  const text = isEndless ? "" : await response.text()
  leave.abort()
  return { status: response.status, text, requestId: response.headers.get("x-request-id")! }
}

/** Rows that a request has left. */
async function rowsOf(requestId: string): Promise<AuditRecord[]> {
  const { body } = await auditor.get("/audit?order=desc&limit=50")
  return body.data.filter((row: AuditRecord) => row.request_id === requestId)
}

/** Requests that are counted for a key; of sessions, where none is named. */
async function counted(keyId: string | null): Promise<number> {
  const { body } = await auditor.get("/usage?group_by=key")
  const rows = body.data.filter((row: { key: string | null }) => row.key === keyId)
  return rows.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0)
}
/** Searches that are counted for the workspace. */
async function searched(): Promise<number> {
  const { body } = await auditor.get("/usage?bucket=month")
  return body.data.reduce((sum: number, { searches }: { searches: number }) => sum + searches, 0)
}
const keyOf = ({ declared }: Walked, key = house.owner) => (declared.session ? null : key.key.id)
const isOpen = ({ declared }: Walked) => declared.open === true

/** What holds keep: versions of files, conversations with their messages, runs. */
async function kept(): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`select id || ' ' || sha256 as id from files
    union all select id from conversations union all select id from messages union all select id from agent_runs`.execute(
    database,
  )
  return new Set(rows.map(({ id }) => id))
}

/** End users who are being erased after the answer. */
async function erasing(): Promise<number> {
  return (await sql`select 1 from end_user_erasures`.execute(database)).rows.length
}

const missing = (before: Set<string>, after: Set<string>) => [...before].filter(id => !after.has(id))

/** Tables that tell of requests, of the work of the daemon, and of what is on its way. */
const OF_ITSELF =
  /^(usage_|audit_|sqlite_|rate_windows|traffic|nodes|leases|job|generations|chunk|vector_|idempotent_|webhook|sources|source_|sign_in|event|removals|receipts|retention_passes|reply_|cluster)/
const SEEN_AT = new Set(["last_used_at", "last_signed_in_at", "updated_at"])

/** All that the routes may change. */
async function contents(): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(database)
  const found: Record<string, string> = {}
  for (const { name } of tables.rows) {
    if (OF_ITSELF.test(name)) continue
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(database)
    const text = JSON.stringify(rows, (field, value) => {
      if (SEEN_AT.has(field)) return undefined
      return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value
    })
    found[name] = Bun.hash(text).toString()
  }
  return found
}

describe("a route that succeeds", () => {
  const problems: string[] = []
  const note = (name: string, found: unknown, expected: unknown) => {
    if (!Bun.deepEquals(found, expected))
      problems.push(`${name}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`)
  }
  const ended = () => expect(problems.splice(0)).toEqual([])
  const actions = (rows: AuditRecord[]) => rows.map(({ action, outcome }) => [action, outcome])
  const succeeded = (status: number) => status < 400

  test("changes nothing and leaves no row where it declares nothing, and is counted once", async () => {
    for (const route of walked.filter(({ declared }) => declared.audit === "nothing")) {
      const asked = await requestOf(route.declared, route.path, house)
      const [before, requests] = [await contents(), await counted(keyOf(route))]
      const { status, text, requestId } = await ask(route, asked)
      note(`${route.name} answers`, succeeded(status) ? "well" : [status, text], "well")
      note(`${route.name} audit`, actions(await rowsOf(requestId)), [])
      if (!isOpen(route)) note(`${route.name} requests`, (await counted(keyOf(route))) - requests, 1)
      const after = await contents()
      const changed = Object.keys(after).filter(table => after[table] !== before[table])
      note(`${route.name} changes`, changed, [])
    }
    ended()
  })

  test("leaves exactly one row of its action, is counted once, and deletes what holds keep only where it says so", async () => {
    for (const route of walked.filter(({ declared }) => declared.audit !== "nothing")) {
      const asked = await requestOf(route.declared, route.path, house)
      const [before, requests] = [await kept(), await counted(keyOf(route))]
      const { status, text, requestId } = await ask(route, asked)
      note(`${route.name} answers`, succeeded(status) ? "well" : [status, text], "well")
      const { action } = route.declared.audit as Exclude<Declared["audit"], "nothing">
      note(`${route.name} audit`, actions(await rowsOf(requestId)), [[action, "success"]])
      if (!isOpen(route)) note(`${route.name} requests`, (await counted(keyOf(route))) - requests, 1)
      await until(async () => (await erasing()) === 0)
      const deletes = missing(before, await kept()).length > 0
      const mayDelete = route.declared.held === "refused"
      if (deletes && !mayDelete) note(`${route.name} deletes`, "what a hold may keep", `held: "refused"`)
    }
    ended()
  })

  test("over MCP leaves the row that its tool declares, and is counted once", async () => {
    // `carrel backup`, which the daemon has begun, leaves its own row when it is done
    const backups = () => house.people.call("GET", "/installation/backups", undefined, { ...house.admin })
    await until(async () => (await backups()).body.running === null)
    const { client } = await connect(app.url, house.owner)
    for (const { name, audit } of mcpTools) {
      const params = await argumentsOf(name)
      const [last] = (await auditor.get("/audit?order=desc&limit=1")).body.data
      const requests = await counted(house.owner.key.id)
      const { isError, text } = await call(client, name, params)
      note(`${name} answers`, isError ? text : "well", "well")
      const { body } = await auditor.get(`/audit?after=${last.id}&limit=50`)
      note(`${name} audit`, actions(body.data), audit === "nothing" ? [] : [[audit, "success"]])
      note(`${name} requests`, (await counted(house.owner.key.id)) - requests, 1)
    }
    await client.close()
    ended()
  })

  test("over GraphQL changes nothing, leaves a row for each text that was read, and is counted once; without its scope it is refused", async () => {
    const route = walked.find(({ declared }) => declared.id === "queryGraphql")!
    const known = Object.entries(await graphqlQueries())
    expect(known.map(([field]) => field).sort()).toEqual(graphqlFields.map(({ name }) => name).sort())
    for (const [field, { query, reads }] of known) {
      const [before, requests, searches] = [await contents(), await counted(keyOf(route)), await searched()]
      const { status, text, requestId } = await ask(route, { at: "/graphql", body: { query } })
      note(`${field} answers`, text.includes('"errors"') || text.includes(":null") ? text : status, 200)
      note(`${field} audit`, actions(await rowsOf(requestId)), reads ? [["file.download", "success"]] : [])
      note(`${field} requests`, (await counted(keyOf(route))) - requests, 1)
      note(`${field} searches`, (await searched()) - searches, field === "search" ? 1 : 0)
      const after = await contents()
      note(
        `${field} changes`,
        Object.keys(after).filter(table => after[table] !== before[table]),
        [],
      )
    }
    const keys: Record<string, Client> = {}
    for (const { name, scope } of graphqlFields) {
      const other = scope === "search" ? "usage" : "search"
      keys[other] ??= await app.client("default", { scopes: [other] })
      const body = { query: (await graphqlQueries())[name]!.query }
      const { status, requestId } = await ask(route, { at: "/graphql", body }, keys[other])
      note(`${name} without ${scope} answers`, status, 403)
      note(`${name} without ${scope} audit`, actions(await rowsOf(requestId)), [["request.refuse", "denied"]])
    }
    ended()
  })

  test("is refused by a hold on everything where it declares so, nothing is gone, and each refusal has its row", async () => {
    const refusing = walked.filter(({ declared }) => declared.held === "refused")
    for (const route of refusing) {
      const asked = await requestOf(route.declared, route.path, house)
      const holder = asked.holder ?? house.owner
      const hold = (await holder.post("/holds", { name: "everything" })).body.id
      const before = await kept()
      const { status, text, requestId } = await ask(route, asked)
      const { action } = route.declared.audit as Exclude<Declared["audit"], "nothing">
      note(`${route.name} answers`, [status, text.includes("on_hold")], [409, true])
      note(`${route.name} audit`, actions(await rowsOf(requestId)), [[action, "denied"]])
      note(`${route.name} is gone`, missing(before, await kept()), [])
      await holder.delete(`/holds/${hold}`)
    }
    expect(refusing.length).toBeGreaterThan(10)
    ended()
  })

  test("is refused without its scope by one row, and counted", async () => {
    const [searcher, reader] = [
      await app.client("default", { scopes: ["search"] }),
      await app.client("default", { scopes: ["usage"] }),
    ]
    for (const route of walked.filter(({ declared }) => declared.scope)) {
      const without = route.declared.scope === "search" ? reader : searcher
      const requests = await counted(without.key.id)
      const at = route.path.replace(/\{\w+\}/g, "x_unknown")
      const asked = { at: at.endsWith("/facets") ? `${at}?keys=file.type` : at, body: exampleOf(route.declared.id) }
      const { status, requestId } = await ask(route, asked, without)
      const { audit } = route.declared
      note(`${route.name} answers`, status, 403)
      const action = audit === "nothing" ? "request.refuse" : audit.action
      note(`${route.name} audit`, actions(await rowsOf(requestId)), [[action, "denied"]])
      note(`${route.name} requests`, (await counted(without.key.id)) - requests, 1)
    }
    ended()
  })

  test("and what all of them said stands in no row of the log, but for names of keys and users", async () => {
    const rows = await (await auditor.raw("GET", "/audit.jsonl")).text()
    expect(rows.split("\n").length).toBeGreaterThan(200)
    expect(rows.split("\n").filter(row => row.includes(marked))).toEqual([])
  })
})

/** What can be asked for at the root, with the scope that it needs. */
const graphqlFields = [
  .../\ntype Query \{\n([\s\S]*?)\n\}/.exec(schema)![1]!.matchAll(/^ {2}(\w+)\b[\s\S]*?@scope\(name: "([\w:]+)"\)/gm),
].map(([, name, scope]) => ({ name: name!, scope: scope! }))

/** A query of each of them; `reads` the text of a file. */
let queries: Promise<Record<string, { query: string; reads?: true }>> | undefined
const graphqlQueries = () => {
  queries ??= makeQueries()
  return queries
}
async function makeQueries(): Promise<Record<string, { query: string; reads?: true }>> {
  const [file] = await house.owner.index([{ name: "asked.txt", data: `The ${marked} is asked for.` }])
  const question = { message: `Where is the ${marked}?` }
  const { body: asked } = await house.owner.post("/start-conversation", question)
  const { body: ran } = await house.owner.post("/agents/run", { task: question.message })
  return {
    file: { query: `{ file(id: "${file.id}") { name passages { nodes { text } } } }`, reads: true },
    files: { query: "{ files { totalCount nodes { name tags } } }" },
    search: { query: `{ search(query: "${marked}") { nodes { text } } }` },
    conversation: { query: `{ conversation(id: "${asked.conversation_id}") { id messages { nodes { content } } } }` },
    conversations: { query: `{ conversations(query: "${marked}") { nodes { id title } } }` },
    run: { query: `{ run(id: "${ran.run_id}") { id status steps { nodes { index name } } } }` },
    runs: { query: "{ runs { nodes { id task } } }" },
    usage: { query: "{ usage { nodes { requests searches } } }" },
  }
}

/** Of a tool that an assistant calls. */
async function argumentsOf(name: string): Promise<Record<string, unknown>> {
  const data = `name,count\n${marked},1\n`
  const [table] = await house.owner.index([{ name: `${crypto.randomUUID()}.csv`, data }])
  const given: Record<string, Record<string, unknown>> = {
    search: { query: marked },
    fetch: { id: table.id },
    search_library: { query: marked },
    read_file: { file_id: table.id },
    list_files: {},
    query_table: { file_id: table.id, sql: "select count(*) from data" },
    ask: { question: `Where is the ${marked}?` },
    add_text: { name: "noted.txt", text: marked },
    add_url: { url: `${house.page}&mcp=1` },
  }
  if (!(name in given)) throw new Error(`no arguments of the tool ${name}`)
  return given[name]!
}
