/** A workspace is deleted amid requests of keys and of console sessions: each is answered by the contract, and nothing of it is left. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { ApiKeys } from "../../src/access/keys.ts"
import { usersAdd } from "../../src/access/users.ts"
import type { Database } from "../../src/storage/database.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { Client, startTestApp, type TestApp } from "../support/app.ts"
import { filesHolding } from "../support/held.ts"
import { nodeSettings } from "../support/node-settings.ts"
import { LLAMA, startOllama } from "../support/ollama.ts"
import { PASSWORD, People, type Session } from "../support/people.ts"
import { until } from "../support/until.ts"

const PLANTED = "quendelbach"
const places = mkdtempSync(join(tmpdir(), "carrel-amid-"))
const keyFile = join(places, "key")
writeFileSync(keyFile, "ab".repeat(32), { mode: 0o600 })
mkdirSync(join(places, "source"))
for (let i = 0; i < 40; i++) writeFileSync(join(places, "source", `${i}.txt`), `The ${PLANTED} has ${i} herons.`)
const ollama = await startOllama([LLAMA])
ollama.server.scenes.add("slow", { text: "herons ".repeat(200), delayMs: 10 })
afterAll(() => {
  ollama.server.stop()
  rmSync(places, { recursive: true, force: true })
})

interface Kind {
  name: string
  settings: Record<string, string>
  open(app: TestApp): Promise<Database>
}

const KINDS: Kind[] = [{ name: "one machine", settings: {}, open: ({ data }) => openSqlite(data) }]
const node = (await nodeSettings())?.()
if (node) {
  const { port, ...settings } = node
  KINDS.push({ name: "a node of several", settings, open: () => openPostgres(settings["database-url"]!) })
}

type Ask = (client: Client, n: number) => Promise<Response>

const model = LLAMA.name
const form = (n: number): FormData => {
  const data = new FormData()
  for (let i = 0; i < 4; i++)
    data.append("files", new Blob([`${PLANTED} ${n}, part ${i}. `.repeat(300)]), `${PLANTED}-${n}-${i}.txt`)
  return data
}
/** An upload that takes its time. */
const slowForm = (n: number): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async start(controller) {
      const write = (text: string) => controller.enqueue(Buffer.from(text))
      write(`--b\r\ncontent-disposition: form-data; name="files"; filename="slow-${n}.txt"\r\n\r\n`)
      for (let i = 0; i < 20; i++) {
        write(`${PLANTED} wades slowly, ${n}. `.repeat(50))
        await Bun.sleep(20)
      }
      write("\r\n--b--\r\n")
      controller.close()
    },
  })

const first = async (client: Client, path: string): Promise<string> => {
  const { body } = await client.get(path)
  return body?.data?.at(-1)?.id ?? "file_01m7y48vkz3s85f1acdta2"
}

const ASKED: Readonly<Record<string, Ask>> = {
  upload: (client, n) => client.raw("POST", "/upload", form(n)),
  "slow upload": (client, n) =>
    client.raw("POST", "/upload", slowForm(n), { "content-type": "multipart/form-data; boundary=b" }),
  text: (client, n) => client.raw("POST", "/libraries/text", { text: `${PLANTED} ${n}`, name: `t${n}` }),
  list: client => client.raw("GET", "/libraries"),
  change: async (client, n) =>
    client.raw("PATCH", `/libraries/${await first(client, "/libraries")}`, { tags: [`t${n}`] }),
  delete: async client => client.raw("DELETE", `/libraries/${await first(client, "/libraries")}`),
  content: async client => client.raw("GET", `/libraries/${await first(client, "/libraries")}/content`),
  bulk: (client, n) =>
    client.raw("POST", "/libraries/bulk", {
      action: "patch",
      filter: { type: "eq", key: "file.type", value: "txt" },
      patch: { tags: [`bulk${n}`] },
    }),
  search: (client, n) => client.raw("POST", "/search", { query: `${PLANTED} ${n}` }),
  chat: (client, n) => client.raw("POST", "/start-conversation", { message: `Where is ${PLANTED} ${n}?`, model }),
  stream: (client, n) => client.raw("POST", "/conversations", { message: `case-slow ${PLANTED} ${n}?`, model }),
  run: (client, n) => client.raw("POST", "/agents/run", { task: `case-slow Find ${PLANTED} ${n}.`, model }),
  batch: (client, n) =>
    client.raw("POST", "/batches", {
      requests: Array.from({ length: 5 }, (_, i) => ({
        custom_id: `c${i}`,
        method: "POST",
        url: "/external/search",
        body: { query: `${PLANTED} ${n}` },
      })),
    }),
  schedule: (client, n) =>
    client.raw("POST", "/schedules", {
      name: `s${n}`,
      every: "1h",
      request: { url: "/external/search", body: { query: PLANTED } },
    }),
  source: (client, n) =>
    client.raw("POST", "/sources", { type: "folder", name: `s${n}`, config: { path: join(places, "source") } }),
  token: client => client.raw("POST", "/tokens", { scopes: ["search"] }),
  webhook: (client, n) => client.raw("POST", "/webhooks", { url: `https://example.org/${n}`, types: ["file.deleted"] }),
  usage: client => client.raw("GET", "/usage"),
  audit: client => client.raw("GET", "/audit"),
}

describe.each(KINDS)("on $name", ({ name, settings, open }) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({
      "ollama-host": ollama.server.url,
      "encryption-key-file": keyFile,
      "source-root": join(places, "source"),
      ...settings,
    })
  }, 60_000)
  afterAll(() => app.stop())

  async function withRecords<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await open(app)
    return work(database).finally(() => database.destroy())
  }

  /** Somebody signed in to the workspace, who is in another one as well. @returns the session's token */
  async function memberOf(people: People, admin: Session, workspaceId: string, round: number): Promise<string> {
    const member = { email: `member-${round}@example.org`, password: PASSWORD }
    const { id } = await withRecords(database => usersAdd(database, member))
    await people.call("PUT", `/workspaces/${workspaceId}/members/${id}`, {}, { ...admin })
    const own = await people.signIn(member.email)
    expect((await people.call("PATCH", "/me", { workspace_id: workspaceId }, { ...own })).status).toBe(200)
    return own.authorization.slice("Bearer ".length)
  }

  test("every request is answered by the contract, all later ones with 401, and nothing of the workspace is left", async () => {
    const people = new People(app)
    const admin = { email: "root@example.org", password: PASSWORD, admin: true }
    await withRecords(database => usersAdd(database, admin))
    const session = await people.signIn(admin.email)
    for (let round = 0; round < 3; round++) {
      const made = await people.call("POST", "/workspaces", { name: `amid-${round}` }, session)
      const key = await withRecords(database => new ApiKeys(database).create(made.body.id, { name: "test" }))
      const client = new Client(() => app.url, key)
      const callers = { key: client, session: client.bearer(await memberOf(people, session, made.body.id, round)) }
      let [asked, deleted, ended, running] = [0, false, false, 0]
      const wrong: string[] = []
      const statuses = new Map<string, Set<number>>()
      const ask = async (name: string, request: Ask, by: Client) => {
        const late = deleted
        running++
        const response = await request(by, ++asked)
        const text = await response.text()
        running--
        const seen = statuses.get(name) ?? new Set()
        statuses.set(name, seen.add(response.status))
        const isWrong = late ? ![401, 429].includes(response.status) : response.status >= 500 && response.status !== 503
        if (isWrong || text.includes("internal_error"))
          wrong.push(`${name} ${late} ${response.status} ${text.slice(-300)}`)
        return response.status
      }
      const workers = Object.entries(callers).flatMap(([kind, by]) =>
        Object.entries(ASKED).map(async ([name, request]) => {
          // After its first 401 none asks again: who goes on with wrong credentials is answered 429.
          while (!ended && (await ask(`${kind} ${name}`, request, by)) !== 401);
        }),
      )
      await Bun.sleep(700 + 300 * round)
      const removed = await people.call("DELETE", `/workspaces/${made.body.id}`, undefined, session)
      deleted = true
      await Bun.sleep(600)
      ended = true
      await until(() => running === 0)
      await Promise.all(workers)
      if (Bun.env.SEEN) console.log(Object.fromEntries([...statuses].map(([name, seen]) => [name, [...seen].join()])))
      expect([removed.status, removed.body]).toEqual([204, undefined])
      expect(wrong).toEqual([])
      const left = () => withRecords(database => rowsOf(database, made.body.id))
      await until(async () => Object.keys(await left()).length === 0).catch(async () =>
        expect(await left()).toEqual({}),
      )
    }
  }, 240_000)

  test.skipIf(name !== "one machine")(
    "no bytes of them lie in the data directory",
    async () => {
      const stored = () => ["blobs", "texts"].flatMap(folder => filesHolding(join(app.data, folder), ""))
      const left = () => [...filesHolding(app.data, PLANTED), ...stored()]
      await until(() => left().length === 0, { everyMs: 500 }).catch(() => expect(left()).toEqual([]))
    },
    120_000,
  )
})

/** Rows of the tables that keep none of a workspace that is gone, by table. */
async function rowsOf(database: Database, workspaceId: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const { name, columns } of await database.introspection.getTables()) {
    if (/^(audit|usage|receipt)/.test(name) || !columns.some(column => column.name === "workspace_id")) continue
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}
      where workspace_id = ${workspaceId}`.execute(database)
    if (Number(rows[0]!.n) > 0) found[name] = Number(rows[0]!.n)
  }
  return found
}
