/** Nodes that share one database and ask each other, as far as replies need: no models, what is written is told by the test. */

import { ensureWorkspace } from "../../src/access/keys.ts"
import type { FinishedReply } from "../../src/chat/conversation-rows.ts"
import { ConversationStore } from "../../src/chat/conversation-store.ts"
import type { ChatEvent, GuardedEvent, NumberedEvent } from "../../src/chat/events.ts"
import { LiveOverNodes } from "../../src/chat/live-over-nodes.ts"
import { LiveReply, type StopReason } from "../../src/chat/live-reply.ts"
import { Replies } from "../../src/chat/replies.ts"
import { ReplyLog } from "../../src/chat/reply-log.ts"
import { ReplyStore } from "../../src/chat/reply-store.ts"
import { fromStore, type Guarded, NOTHING } from "../../src/guarded.ts"
import { nodeDoor } from "../../src/http/node-door.ts"
import { newId } from "../../src/id.ts"
import { Peers } from "../../src/nodes/peers.ts"
import { Signatures } from "../../src/nodes/signature.ts"
import type { Database } from "../../src/storage/database.ts"
import { anAccount } from "./accounts.ts"
import type { DatabaseKind } from "./databases.ts"

const SECRET = "the secret of this cluster"

export interface TestNode {
  id: string
  store: ConversationStore
  replyStore: ReplyStore
  replies: Replies
  live: LiveOverNodes
  /** What other nodes are asking of it at this moment. */
  asked(): number
  /** Whether it found that the other one does not answer. */
  misses(other: TestNode): boolean
  /** Others reach it no more, or again; it goes on writing. */
  cut(): void
  /** Others reach something in its place that takes what they ask and never answers. @returns what they asked so far */
  swallow(): () => string
  mend(): void
  /** Nothing of it is left but its row, which says that it ended. */
  die(): Promise<void>
}

/** A reply that is written as the test says. */
export interface Script {
  conversationId: string
  messageId: string
  live: LiveReply
  say(...texts: string[]): void
  /** Ends as its writer ends it. */
  end(): Promise<void>
}

export interface TwoNodes {
  database: Database
  a: TestNode
  b: TestNode
  begin(node: TestNode): Promise<Script>
  stop(): Promise<void>
}

export async function startTwoNodes({ open }: DatabaseKind): Promise<TwoNodes> {
  const stack = new AsyncDisposableStack()
  const database = await open(stack)
  const workspaceId = await ensureWorkspace(database, "default")
  const start = async (name: string): Promise<TestNode> => {
    const id = newId("node")
    const signatures = new Signatures(SECRET, { id })
    const log = new ReplyLog(database)
    const store = new ConversationStore(database)
    const replyStore = new ReplyStore(database, { id }, log)
    const replies = new Replies(replyStore, 1_000)
    const peers = new Peers(signatures)
    const live = new LiveOverNodes({ store, replyStore, log, replies, peers })
    const chat = {
      written: (messageId: string) => replies.byMessage(messageId),
      cancelWritten: async (messageId: string) => {
        const written = replies.byMessage(messageId)
        return written !== undefined && !written.ended && replies.cancel(written.conversationId)
      },
    }
    // biome-ignore lint/suspicious/noExplicitAny: no runs here
    const door = nodeDoor({ signatures, chat, mcp: {} as never, agents: {} as any })
    const open = (port: number) =>
      Bun.serve({
        port,
        hostname: "127.0.0.1",
        idleTimeout: 255,
        fetch: async (request, server) =>
          (await door(request, () => server.timeout(request, 0))) ?? new Response(null, { status: 404 }),
      })
    let server = open(0)
    const port = server.port!
    stack.defer(() => server.stop(true))
    const now = new Date().toISOString()
    const row = { id, name, url: server.url.origin, role: "all" as const, version: "1", started_at: now, seen_at: now }
    await database
      .insertInto("nodes")
      .values({ ...row, ended_at: null })
      .execute()
    const cut = () => void server.stop(true)
    return {
      id,
      store,
      replyStore,
      replies,
      live,
      asked: () => server.pendingRequests,
      misses: ({ id: other }) => !peers.isReached({ id: other, url: "" }),
      cut,
      swallow() {
        cut()
        let asked = ""
        const data = (_: unknown, bytes: Buffer) => {
          asked += bytes.toString()
        }
        const listener = Bun.listen({ hostname: "127.0.0.1", port, socket: { data } })
        stack.defer(() => listener.stop(true))
        return () => asked
      },
      mend: () => {
        server = open(port)
      },
      async die() {
        cut()
        await database.updateTable("nodes").set({ ended_at: now }).where("id", "=", id).execute()
      },
    }
  }
  const [a, b] = [await start("a"), await start("b")]
  return {
    database,
    a,
    b,
    begin: node => begin(node, database, workspaceId),
    async stop() {
      await Promise.all([a.replies.stop(0), b.replies.stop(0)])
      await stack.disposeAsync()
    },
  }
}

async function begin(node: TestNode, database: Database, workspace_id: string): Promise<Script> {
  const conversationId = newId("conv")
  const now = new Date().toISOString()
  const texts = { title: "t", model: "m", settings: "{}", additional_metadata: "{}", file_ids: "[]" }
  const times = { created_at: now, updated_at: now }
  await database
    .insertInto("conversations")
    .values({ id: conversationId, workspace_id, ...texts, ...times, ner_count: 0, context_tokens: null })
    .execute()
  const row = await node.store.addReply(conversationId, { model: "m", redaction: null, owner: node.id }, database)
  const live = new LiveReply(conversationId, row.id, row.owner)
  let content: Guarded<string> = NOTHING
  const said = Promise.withResolvers<void>()
  const tell = ({ event, data }: ChatEvent) => live.push({ event, data: fromStore(data) } as GuardedEvent)
  const write = async () => {
    await Promise.race([said.promise, new Promise(stop => live.abort.signal.addEventListener("abort", stop))])
    const reason = live.abort.signal.reason as StopReason | undefined
    const finishReason = reason === "cancelled" ? "cancelled" : reason ? "error" : "stop"
    await node.replyStore.finish(
      live,
      fromStore({ ...FINISHED, content, finishReason }) as Guarded<FinishedReply>,
      anAccount(),
    )
    tell({
      event: "message_completed",
      data: {
        ...{ message_id: row.id, content, citations: [], finish_reason: finishReason, ner_count: 0 },
        usage: { prompt_tokens: 1, completion_tokens: 2 },
        timings: { search_ms: 1, first_token_ms: 2, total_ms: 3 },
      },
    })
    tell({ event: "done", data: {} })
  }
  node.replies.take(conversationId)
  node.replies.begin(live, {
    write,
    madeCount: 0,
    made: async () => undefined,
    get content() {
      return content
    },
  })
  const started = { message_id: row.id, conversation_id: conversationId, model: "m", user_message_id: "" }
  tell({ event: "message_started", data: started })
  return {
    conversationId,
    messageId: row.id,
    live,
    say(...texts) {
      for (const text of texts) {
        content = (content + text) as Guarded<string>
        tell({ event: "message_delta", data: { text: fromStore(text) } })
      }
    },
    async end() {
      said.resolve()
      await live.finished
    },
  }
}

const FINISHED = {
  citations: [],
  sources: [],
  error: null,
  warnings: [],
  nerCount: 0,
  toolCalls: 0,
  promptTokens: 1,
  completionTokens: 2,
  contextTokens: null,
}

/** Follows a conversation on a node, from after an event. */
export async function follow(
  node: TestNode,
  { conversationId }: Pick<Script, "conversationId">,
  after = 0,
  until: (event: NumberedEvent) => boolean = () => false,
): Promise<NumberedEvent[]> {
  const reply = (await node.live.find(conversationId))!
  const leaving = new AbortController()
  const events: NumberedEvent[] = []
  for await (const event of reply.follow(after, leaving.signal)) {
    events.push(event)
    if (until(event)) leaving.abort()
  }
  return events
}

export const namesOf = (events: readonly NumberedEvent[]): string[] => events.map(({ event }) => event)
export const textIn = (events: readonly NumberedEvent[]): string =>
  events.map(each => (each.event === "message_delta" ? each.data.text : "")).join("")
