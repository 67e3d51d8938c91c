/**
 * Every way to files, asked by keys and tokens at random: each shows what an evaluation of the records one by one shows, and
 * nothing of the others.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import fc from "fast-check"
import type { FileRecord } from "../../src/library/record.ts"
import { call, connect } from "../http/mcp/support.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { type Caller, sees, someCaller, someFile, someRequestFilter } from "../support/callers.ts"
import { matches } from "../support/matches.ts"

setDefaultTimeout(120_000)

/** Few enough for one page of any surface. */
const FILES = 24
const CALLERS = 8

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const idsOf = (files: readonly { id: string }[]): string[] => files.map(({ id }) => id).sort()
/** Ids of files wherever they stand in an answer. */
const named = (answer: unknown): Set<string> =>
  new Set(JSON.stringify(answer).match(/\bfile_[0-9a-hjkmnp-tv-z]{22}\b/g))

const ALL = { type: "exists", key: "file.id", value: true }
const GRAPH = `query ($filter: JSON) {
  files(first: 100, filter: $filter) { nodes { id } totalCount }
  search(query: "heron reeds", first: 100, filter: $filter) { nodes { file { id } } }
}`

/** Twice: libraries differ. */
describe.each([1, 2])("library %d", nth => {
  let whole: Client
  let files: FileRecord[]
  const workspace = `library ${nth}`

  beforeAll(async () => {
    whole = await app.client(workspace)
    files = []
    for (const [i, file] of fc.sample(someFile, FILES).entries()) {
      const { context_id, acl, tags, type, n } = file
      const fields = {
        ...(context_id ? { context_id } : {}),
        ...(acl ? { acl: JSON.stringify(acl) } : {}),
        tags: tags.join(","),
        metadata: JSON.stringify(n === null ? {} : { n }),
      }
      const data = `The heron number ${i} stands in the reeds and waits for word ${i}.`
      files.push(...(await whole.index([{ name: `f${i}.${type}`, data }], fields)))
    }
  })

  const clientOf = async ({ key, token }: Caller): Promise<Client> => {
    const client = await app.client(workspace, key)
    if (!token) return client
    return client.scoped(Object.fromEntries(Object.entries(token).filter(([, value]) => value !== null)))
  }

  test("every surface shows what an evaluation of each record shows", async () => {
    const asks = fc.sample(fc.tuple(someCaller, someRequestFilter), CALLERS)
    for (const [caller, filter] of asks) {
      const client = await clientOf(caller)
      const visible = files.filter(file => sees(caller, file))
      const passing = visible.filter(file => filter === null || matches(filter, file))
      const [seen, wanted] = [idsOf(visible), idsOf(passing)]
      const told = (what: string, found: unknown) => ({ caller, filter, what, found })
      const same = (what: string, found: unknown, expected: unknown) =>
        expect(told(what, found)).toEqual(told(what, expected))
      const within = (what: string, answer: unknown) =>
        same(
          what,
          [...named(answer)].filter(id => !seen.includes(id)),
          [],
        )

      const query = filter ? `&filter=${encodeURIComponent(JSON.stringify(filter))}` : ""
      const list = (await client.get(`/libraries?page_size=100${query}`)).body
      same("list", [idsOf(list.data), list.pagination.total_items], [wanted, wanted.length])
      const facets = (await client.get(`/libraries/facets?keys=file.id,file.context_id${query}`)).body
      const values = facets.facets["file.id"].map(({ value }: { value: string }) => value)
      same("facets", [values.sort(), facets.total_files], [wanted, wanted.length])
      const { total, bytes } = (await client.get(`/libraries/summary?${query}`)).body
      same("summary", [total, bytes], [wanted.length, passing.reduce((sum, { size }) => sum + size, 0)])
      for (const mode of ["hybrid", "keyword", "semantic"]) {
        const { body } = await client.post("/search", { query: "heron reeds", mode, limit: 100, filter })
        same(mode, idsOf(body.hits.map((hit: { file: FileRecord }) => hit.file)), wanted)
        same(`${mode}: counts`, [body.total, body.index.searchable_files], [wanted.length, seen.length])
      }
      const { documents } = (await client.post("/semantic-search", { query: "heron reeds", limit: 100, filter })).body
      same("documents", idsOf(documents.map(({ file }: { file: FileRecord }) => file)), wanted)
      for (const { id } of files)
        for (const part of ["", "/content", "/text", "/access", "/events"]) {
          const { status } = await client.get(`/libraries/${id}${part}`)
          same(`${id}${part}`, status, seen.includes(id) ? 200 : 404)
        }
      for (const { id } of files) {
        const { status } = await client.post("/links", { file_id: id })
        same(`link to ${id}`, status, seen.includes(id) ? 201 : 404)
      }
      const would = await client.post("/libraries/bulk", { action: "delete", filter: filter ?? ALL, dry_run: true })
      const { matched, sample } = would.body
      same("bulk", [matched, sample.length], [wanted.length, Math.min(wanted.length, 20)])
      within("bulk", sample)
      const feed = (await client.get("/events?limit=1000")).body.data
      same("events", [...named(feed)].sort(), seen)
      const compatible = client.under("")
      const graph = (await compatible.post("/graphql", { query: GRAPH, variables: { filter } })).body
      same("GraphQL files", [idsOf(graph.data.files.nodes), graph.data.files.totalCount], [wanted, wanted.length])
      const hits: { file: { id: string } }[] = graph.data.search.nodes
      same("GraphQL search", idsOf(hits.map(({ file }) => file)), wanted)
      const listed = (await compatible.get("/v1/files?limit=100")).body.data
      same("/v1/files", idsOf(listed), seen)
      const contexts = [...new Set(visible.flatMap(({ context_id }) => context_id ?? []))].sort()
      const stores = (await compatible.get("/v1/vector_stores?limit=100")).body.data
      same(
        "stores",
        idsOf(stores),
        contexts.map(context => `vs_${context}`),
      )
      const records = (
        await compatible.post("/retrieval", {
          knowledge_id: "*",
          query: "heron reeds",
          retrieval_setting: { top_k: 20, score_threshold: 0 },
        })
      ).body
      within("/retrieval", records)
      const mcp = (await connect(app.url, client, client.credentials)).client
      same("MCP list_files", idsOf((await call(mcp, "list_files")).data.files), seen)
      within("MCP search", (await call(mcp, "search", { query: "heron reeds" })).data)
      await mcp.close()
      within("chat", (await client.post("/start-conversation", { message: "Which heron waits for word 3?" })).body)
      within("run", (await client.post("/agents/run", { task: "Which heron waits for word 3?" })).body)
      const hidden = files.find(({ id }) => !seen.includes(id))
      if (!hidden) continue
      for (const path of ["/start-conversation", "/agents/run"]) {
        const asked = { message: "heron?", task: "heron?", file_ids: [hidden.id] }
        same(path, (await client.post(path, asked)).status, 404)
      }
    }
  })
})
