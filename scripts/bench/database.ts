/**
 * What stores cost on SQLite and on PostgreSQL: median and p95 of one operation after the other, the CPU of this process,
 * and how often it asks the server, each a round trip of the network between them.
 *
 *   bun scripts/bench/database.ts postgres://…    an empty database, which is left as it is filled
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { ApiKeys, ensureWorkspace } from "../../src/access/keys.ts"
import { wholeOf } from "../../src/access/view.ts"
import { ConversationStore } from "../../src/chat/conversation-store.ts"
import { LiveReply } from "../../src/chat/live-reply.ts"
import { ReplyStore } from "../../src/chat/reply-store.ts"
import { DEFAULT_SETTINGS } from "../../src/chat/settings.ts"
import { newId } from "../../src/id.ts"
import { JobQueue } from "../../src/jobs/queue.ts"
import { FileList } from "../../src/library/file-list.ts"
import type { Database } from "../../src/storage/database.ts"
import { openPostgres } from "../../src/storage/postgres/open.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { anAccount } from "../../test/support/accounts.ts"

const FILES = 10_000
const FILES_PER_INSERT = 500
const WARM_UP = 100
const TIMES = 1_000

const OWNER = { id: "node_1" }
const ENDED = passed({
  ...{ content: "Two weeks.", citations: [], sources: [], finishReason: "stop", error: null, warnings: [] },
  ...{ nerCount: 0, promptTokens: 10, completionTokens: 5, contextTokens: 4096 },
})

const [url] = process.argv.slice(2)
if (!url) throw new Error("usage: bun scripts/bench/database.ts postgres://user:password@host:port/database")

let asked = 0
const { query } = pg.Client.prototype
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  asked++
  return (query as (...args: unknown[]) => unknown).apply(this, args)
} as typeof query

const directory = mkdtempSync(join(tmpdir(), "carrel-bench-"))
const sides = { SQLite: await openSqlite(directory), PostgreSQL: await openPostgres(url) }
for (const [side, database] of Object.entries(sides)) {
  const operations = await prepare(database)
  for (const [name, operation] of Object.entries(operations)) console.log(side, name, await measure(operation))
  await database.destroy()
}
rmSync(directory, { recursive: true })
process.exit(0)

async function measure(operation: () => Promise<unknown>): Promise<string> {
  for (let i = 0; i < WARM_UP; i++) await operation()
  const [askedBefore, cpuBefore] = [asked, process.cpuUsage()]
  const times: number[] = []
  for (let i = 0; i < TIMES; i++) {
    const began = performance.now()
    await operation()
    times.push(performance.now() - began)
  }
  const { user, system } = process.cpuUsage(cpuBefore)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(share * TIMES)]!.toFixed(2)
  const cpu = ((user + system) / 1000 / TIMES).toFixed(2)
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)}, CPU ${cpu}, round trips ${(asked - askedBefore) / TIMES}`
}

async function prepare(database: Database): Promise<Record<string, () => Promise<unknown>>> {
  const workspaceId = await ensureWorkspace(database)
  await addFiles(database, workspaceId)
  const [keys, list, queue] = [new ApiKeys(database), new FileList(database), new JobQueue(database)]
  const made = await keys.create(workspaceId, { name: "bench" })
  const credentials = { clientId: made.client_id, privateKey: made.private_key, secret: made.secret }
  const store = new ConversationStore(database)
  const page = { sort: "created_at", order: "desc", page: 1, pageSize: 20 } as const
  const replies = new ReplyStore(database, OWNER, undefined)
  return {
    "credentials of a request": async () => keys.recall(credentials) ?? (await keys.verify(credentials)),
    "credentials, verified anew": () => keys.verify(credentials),
    [`20 of ${FILES} files`]: () => list.page(wholeOf(workspaceId), page),
    [`20 of ${FILES} files by tag and part of the name`]: () =>
      list.page(wholeOf(workspaceId), { ...page, tags: ["a"], name: "99" }),
    "enqueue, lease and complete a job": async () => {
      const job = { task: "bench", subject: newId("file"), workspaceId, lane: "ordinary" } as const
      await database.transaction().execute(trx => queue.enqueue(trx, [job]))
      const [leased] = await queue.lease("bench", "ordinary", 1)
      await database.transaction().execute(trx => queue.complete(trx, [leased!]))
    },
    "a conversation with a message and an empty reply": () => begin(),
    "the same, and the reply's end": async () => {
      const reply = await begin()
      await replies.finish(new LiveReply(reply.conversation_id, reply.id, OWNER.id), ENDED, anAccount())
    },
  }

  function begin() {
    return store.transaction(async trx => {
      const id = newId("conv")
      const conversation = { id, workspaceId, title: "t", model: "m", settings: DEFAULT_SETTINGS }
      await store.create(passed({ ...conversation, additionalMetadata: {} }), trx)
      await store.addUserMessage(id, passed({ content: "How long?", nerCount: 0, redaction: null }), trx)
      return store.addReply(id, { model: "m", redaction: null, owner: OWNER.id }, trx)
    })
  }
}

/** What the stores take has passed the guard; here it need not. */
// biome-ignore lint/suspicious/noExplicitAny: as if it had
function passed(value: unknown): any {
  return value
}

async function addFiles(database: Database, workspaceId: string): Promise<void> {
  const row = (n: number) => {
    const at = new Date(1_700_000_000_000 + n * 1_000).toISOString()
    const id = `file_${String(n).padStart(6, "0")}`
    return {
      ...{ id, workspace_id: workspaceId, name: `report ${n}.txt`, name_folded: `report ${n}.txt`, type: "txt" },
      ...{ mime_type: "text/plain", size: n, sha256: id, status: "searchable" as const, stage: null, progress: 1 },
      ...{ error_code: null, error_message: null, warnings: "[]", attempts: 1, page_count: null, ocr_page_count: 0 },
      ...{ chunk_count: 3, character_count: 2_000, context_id: null, tags: '["a","b"]', metadata: "{}" },
      ...{ created_at: at, updated_at: at, indexed_at: at, blob: id, generation: 1, live_generation: 1, live_blob: id },
    }
  }
  for (let from = 0; from < FILES; from += FILES_PER_INSERT)
    await database
      .insertInto("files")
      .values(Array.from({ length: FILES_PER_INSERT }, (_, i) => row(from + i)))
      .execute()
}
