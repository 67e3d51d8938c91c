/** A query asks the database as often for a hundred objects as for two, whatever lies below them, on both databases. */
import { beforeAll, expect, test } from "bun:test"
import type { KyselyPlugin } from "kysely"
import { ensureWorkspace } from "../../../src/access/keys.ts"
import { ownerColumns } from "../../../src/access/owner.ts"
import { SCOPES } from "../../../src/access/principal.ts"
import { wholeOf } from "../../../src/access/view.ts"
import { RunStore } from "../../../src/agents/run-store.ts"
import { emptyMessage } from "../../../src/chat/conversation-rows.ts"
import { ConversationStore } from "../../../src/chat/conversation-store.ts"
import { DEFAULT_SETTINGS } from "../../../src/chat/settings.ts"
import type { GraphqlHouse } from "../../../src/http/graphql/call.ts"
import { answer } from "../../../src/http/graphql/engine.ts"
import { Library } from "../../../src/library/library.ts"
import { insertChunks, markStaged, publishGenerations, reserve } from "../../../src/storage/chunks.ts"
import { type Database, keepDirectReads } from "../../../src/storage/database.ts"
import { addFile } from "../../storage/conformance/file-rows.ts"
import { onBoth } from "../../storage/conformance/sides.ts"
import { anAccount } from "../../support/accounts.ts"

/** What the stores take has passed the guard; here it need not. */
// biome-ignore lint/suspicious/noExplicitAny: as if it had
const passed = (value: unknown): any => value

const MANY = 100
const PASSAGES = 3
const OWNER = { id: "node_1" }
const number = (at: number) => String(at).padStart(3, "0")

async function addFileWithPassages(database: Database, id: string): Promise<void> {
  await addFile(database, id, { chunk_count: PASSAGES })
  const [generation] = await reserve(database, [{ fileId: id, generation: 1, count: PASSAGES }], OWNER.id)
  const place = { page: 1, sheet: null, slide: null, member: null, section: null }
  const chunks = Array.from({ length: PASSAGES }, (_, at) => ({
    ...{ start: at * 10, end: at * 10 + 9, place, context: null, sections: undefined, text: `${id} ${at}` },
  }))
  const workspaceId = await ensureWorkspace(database)
  await insertChunks(
    database,
    [{ workspaceId, generation: generation!, ordinal: 0, chunks: passed(chunks) }],
    new AbortController().signal,
  )
  await markStaged(database, [generation!])
  await database.transaction().execute(trx => publishGenerations(trx, [{ fileId: id, generation: 1 }]))
}

async function addConversation(database: Database, id: string, fileId: string): Promise<void> {
  const workspaceId = await ensureWorkspace(database)
  const store = new ConversationStore(database)
  const settings = { ...DEFAULT_SETTINGS }
  await store.transaction(async trx => {
    const owner = ownerColumns(wholeOf(workspaceId), null)
    await store.create(passed({ id, workspaceId, owner, title: id, model: "m", settings, additionalMetadata: {} }), trx)
    const position = { page: null, sheet: null, slide: null, member: null, section: null, start: 0, end: 1 }
    const citations = JSON.stringify([{ index: 1, file_id: fileId, chunk_id: "c", name: "n", position }])
    for (const [at, role] of (["user", "assistant", "user"] as const).entries())
      await trx
        .insertInto("messages")
        .values({ ...emptyMessage(id, role), citations, content: `${id} ${at}`, position: at * 2 + 1 })
        .execute()
  })
}

async function addRun(database: Database): Promise<void> {
  const store = new RunStore(database, OWNER as never)
  const described = { task: "t", model: "m", request: { tools: [] }, additionalMetadata: {}, nerCount: 0 }
  const view = wholeOf(await ensureWorkspace(database))
  const [startedAt, deadlineAt] = [new Date(), new Date(Date.now() + 60_000)]
  const run = { view, keyId: "key_1", endUser: null, described: passed(described), startedAt, deadlineAt }
  const id = await store.insert(run, undefined)
  const step = passed({ call: { id: "c", name: "search", arguments: {} }, startedAt: startedAt.toISOString() })
  await store.saveSteps(id, anAccount(), new Map([1, 2, 3].map(at => [at, step])), new Map())
}

/** The same database, which counts what it is asked. */
function counting(database: Database) {
  const count = { statements: 0 }
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      count.statements++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const counted = database.withPlugin(plugin) as Database
  keepDirectReads(database, counted, rows => {
    count.statements++
    return rows
  })
  return { counted, count }
}

const SEARCH_HITS = (limit: number) =>
  Array.from({ length: limit }, (_, at) => ({
    ...{ id: `chunk_${at}`, score: 1, relevance: 1, text: "t", highlights: [] },
    file: { id: `file_${number(at)}`, name: "n", type: "txt", context_id: null, tags: [] },
    position: { page: null, sheet: null, slide: null, member: null, section: null, start: 0, end: 1 },
  }))

/** Each with how often it may ask, for any number of objects. */
const QUERIES: Record<string, [query: string, statements: number]> = {
  "files with passages": [
    "query ($n: Int) { files(first: $n, sort: name, order: asc) { nodes { id passages(first: 2) { nodes { text } pageInfo { hasNextPage } totalCount } } } }",
    2,
  ],
  "files with passages of two lengths": [
    "query ($n: Int) { files(first: $n) { nodes { a: passages(first: 1) { nodes { id } } b: passages(first: 2) { nodes { id } } } } }",
    3,
  ],
  "conversations with messages, and the files that they cite": [
    "query ($n: Int) { conversations(first: $n) { nodes { id messages(first: 2) { nodes { id content images { size } citations { file { name } } } } } } }",
    4,
  ],
  "runs with steps and approvals": [
    "query ($n: Int) { runs(first: $n) { nodes { id steps(first: 2) { nodes { index name } } approvals { id } } totalCount } }",
    4,
  ],
  "hits with the records of their files": [
    `query ($n: Int) { search(query: "x", first: $n) { nodes { file { record { sha256 passages(first: 1) { nodes { id } } } } } } }`,
    2,
  ],
}

onBoth(open => {
  let house: GraphqlHouse
  let count: { statements: number }
  let view: ReturnType<typeof wholeOf>

  beforeAll(async () => {
    const database = await open()
    for (let at = 0; at < MANY; at++) {
      await addFileWithPassages(database, `file_${number(at)}`)
      await addConversation(database, `conv_${number(at)}`, `file_${number(at)}`)
      await addRun(database)
    }
    view = wholeOf(await ensureWorkspace(database))
    const { counted, count: counts } = counting(database)
    count = counts
    house = {
      library: new Library({ database: counted } as never),
      chat: { lists: new ConversationStore(counted).lists },
      agents: { lists: new RunStore(counted, OWNER as never).lists },
      usage: { read: async () => [] },
      search: { search: async ({ limit }) => passed({ hits: SEARCH_HITS(limit), total: MANY }) },
      links: passed({ linkTo: () => "http://localhost/view/x" }),
      fileTypes: new Map(),
    }
  }, 120_000)

  const ask = async (query: string, n: number) => {
    count.statements = 0
    const principal = passed({ view, scopes: SCOPES, holderId: "key_1", keyId: "key_1", workspaceId: view.workspaceId })
    const caller = {
      principal,
      requestId: "req_1",
      address: "",
      endpoint: "POST /graphql",
      signal: new AbortController().signal,
    }
    const { result } = await answer(house, { query, variables: { n } }, caller)
    expect(result.errors).toBeUndefined()
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    return { data: result.data as any, statements: count.statements }
  }

  for (const [name, [query, statements]] of Object.entries(QUERIES))
    test(`${name}: ${statements} statements for 2 and for ${MANY}`, async () => {
      const few = await ask(query, 2)
      const many = await ask(query, MANY)
      const [list] = Object.values(many.data) as { nodes: unknown[] }[]
      expect([list!.nodes.length, few.statements, many.statements]).toEqual([MANY, statements, statements])
    })

  test("each object gets its own", async () => {
    const { data: files } = await ask(QUERIES["files with passages"]![0], MANY)
    for (const { id, passages } of files.files.nodes)
      expect(passages).toEqual({
        nodes: [{ text: `${id} 0` }, { text: `${id} 1` }],
        pageInfo: { hasNextPage: true },
        totalCount: PASSAGES,
      })
    const { data } = await ask(QUERIES["conversations with messages, and the files that they cite"]![0], MANY)
    for (const { id, messages } of data.conversations.nodes) {
      expect(messages.nodes.map((message: { content: string }) => message.content)).toEqual([`${id} 0`, `${id} 1`])
      expect(messages.nodes[0].citations).toEqual([{ file: { name: `file_${id.slice(5)}.txt` } }])
    }
  })

  test("a list below each object goes on behind its cursor, also over gaps", async () => {
    const { data } = await ask(
      "query ($n: Int) { conversations(first: $n) { nodes { messages(first: 2) { pageInfo { endCursor hasNextPage } } } } }",
      1,
    )
    const { endCursor, hasNextPage } = data.conversations.nodes[0].messages.pageInfo
    expect(hasNextPage).toBe(true)
    const next = await ask(
      `query ($n: Int) { conversations(first: $n) { nodes { id messages(first: 2, after: "${endCursor}") { nodes { content } pageInfo { hasNextPage hasPreviousPage } } } } }`,
      1,
    )
    const [{ id, messages }] = next.data.conversations.nodes
    expect(messages).toEqual({
      nodes: [{ content: `${id} 2` }],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    })
  })

  const everything = async (list: string, more: string) => {
    const read: string[] = []
    for (let after = ""; ; ) {
      const cursor = after ? `, after: "${after}"` : ""
      const query = `query ($n: Int) { ${list}(first: $n${more}${cursor}) { nodes { id } pageInfo { hasNextPage endCursor } } }`
      const { data } = await ask(query, 30)
      const { nodes, pageInfo } = data[list]
      read.push(...nodes.map(({ id }: { id: string }) => id))
      if (!pageInfo.hasNextPage) return read
      after = pageInfo.endCursor
    }
  }

  test("lists are read to their end in every order, each entry once", async () => {
    const orders = ["created_at", "updated_at", "name", "size", "status"].flatMap(sort =>
      ["asc", "desc"].map(
        order => `, sort: ${sort}, order: ${order}, filter: {type: "gt", key: "file.size", value: 0}`,
      ),
    )
    for (const [list, more] of [...orders.map(more => ["files", more]), ["conversations", ""], ["runs", ""]]) {
      const read = await everything(list!, more!)
      expect([list, more, read.length, new Set(read).size]).toEqual([list, more, MANY, MANY])
    }
    const byName = await everything("files", ", sort: name, order: asc")
    expect(byName).toEqual([...byName].sort())
    expect(await everything("files", ", sort: name, order: desc")).toEqual(byName.toReversed())
  })

  test("aliases of one object share what is read of it", async () => {
    const query = `{ ${Array.from({ length: 50 }, (_, at) => `a${at}: file(id: "file_${number(at)}") { name }`).join(" ")} }`
    const { data, statements } = await ask(query, 1)
    expect([Object.keys(data).length, statements]).toEqual([50, 1])
  })
})
