/** The other words of the API: each a thin layer over the generated calls. */
import { resumed } from "./event-stream.ts"
import { type Calls, type EventRecord, ROUTES, type Run } from "./generated.ts"
import { looked } from "./looks.ts"
import { everyOf } from "./pages.ts"
import { ReplyStream } from "./reply.ts"
import { Resource } from "./resource.ts"
import { wait } from "./retries.ts"
import type { CallOptions, InputOf } from "./transport.ts"
import { verify } from "./webhooks.ts"

export type Asked = InputOf<"createConversation">["body"]
export type AskedAgain = InputOf<"sendMessage">["body"]
export type RunEvent = Calls["watchRun"]["event"]
type Answer<Id extends keyof Calls> = Calls[Id]["answer"]

const STREAM = "text/event-stream"
const BETWEEN_LOOKS_MS = 2_000

export class Conversations extends Resource {
  /** Asks in a new conversation; the reply comes as a stream. */
  stream(message: string | Asked, options: CallOptions = {}): ReplyStream {
    const body = typeof message === "string" ? { message } : message
    const request = { route: ROUTES.createConversation, input: { body }, accept: STREAM, options }
    return new ReplyStream(this.transport, request, undefined, options)
  }

  /** Asks on in a conversation. */
  send(id: string, message: string | AskedAgain, options: CallOptions = {}): ReplyStream {
    const body = typeof message === "string" ? { message } : message
    const input = { path: { conversation_id: id }, body }
    return new ReplyStream(this.transport, { route: ROUTES.sendMessage, input, accept: STREAM, options }, id, options)
  }

  /** Writes a reply anew. */
  regenerate(id: string, messageId: string, body: object = {}, options: CallOptions = {}): ReplyStream {
    const input = { path: { conversation_id: id, message_id: messageId }, body }
    const request = { route: ROUTES.regenerateMessage, input, accept: STREAM, options }
    return new ReplyStream(this.transport, request, id, options)
  }

  /** The newest reply, from its beginning, as long as it is written. */
  follow(id: string, options: CallOptions = {}): ReplyStream {
    return new ReplyStream(this.transport, undefined, id, options)
  }

  cancel(id: string, options?: CallOptions): Promise<Answer<"cancelReply">> {
    return this.transport.call("cancelReply", { path: { conversation_id: id } }, options)
  }

  list(
    query: Omit<NonNullable<InputOf<"listConversations">["query"]>, "page" | "page_size"> = {},
    options?: CallOptions,
  ) {
    return everyOf((page, page_size) =>
      this.transport.call("listConversations", { query: { ...query, page, page_size } }, options),
    )
  }

  get(id: string, options?: CallOptions): Promise<Answer<"getConversation">> {
    return this.transport.call("getConversation", { path: { conversation_id: id } }, options)
  }

  update(id: string, body: InputOf<"updateConversation">["body"], options?: CallOptions) {
    return this.transport.call("updateConversation", { path: { conversation_id: id }, body }, options)
  }

  delete(id: string, options?: CallOptions): Promise<undefined> {
    return this.transport.call("deleteConversation", { path: { conversation_id: id } }, options)
  }
}

export class Agents extends Resource {
  /** The run, once it has ended. It goes on where the call is given up: `start` tells its id first. */
  async run(body: InputOf<"runAgent">["body"], options: CallOptions = {}): Promise<Run> {
    const { run_id } = await this.start(body, options)
    return this.wait(run_id, options)
  }

  /** Begins a run, which goes on by itself. */
  start(body: InputOf<"runAgent">["body"], options?: CallOptions): Promise<Run> {
    return this.transport.call("runAgent", { body, header: { Prefer: "respond-async" } }, options)
  }

  /** The run, once it has ended or waits for an approval. */
  wait(id: string, options: CallOptions = {}): Promise<Run> {
    return looked(
      () => this.get(id, options),
      ({ status }) => status !== "running",
      options.signal,
    )
  }

  /** Its events from the first on, as they happen. */
  follow(id: string, options: CallOptions = {}): AsyncGenerator<RunEvent, void> {
    return resumed<RunEvent>({
      signal: options.signal,
      retryMs: options.retryMs ?? this.transport.retryMs,
      open: (after, signal) =>
        this.transport.open({
          ...{ route: ROUTES.watchRun, input: { path: { run_id: id } }, accept: STREAM },
          options: { ...options, signal },
          ...(after === undefined ? {} : { lastEventId: `${after}` }),
        }),
    })
  }

  cancel(id: string, options?: CallOptions): Promise<Run> {
    return this.transport.call("cancelRun", { path: { run_id: id } }, options)
  }

  decide(id: string, approvalId: string, body: InputOf<"decideApproval">["body"], options?: CallOptions) {
    return this.transport.call("decideApproval", { path: { run_id: id, approval_id: approvalId }, body }, options)
  }

  get(id: string, options?: CallOptions): Promise<Run> {
    return this.transport.call("getRun", { path: { run_id: id } }, options)
  }

  list(query: Omit<NonNullable<InputOf<"listRuns">["query"]>, "page" | "page_size"> = {}, options?: CallOptions) {
    return everyOf((page, page_size) =>
      this.transport.call("listRuns", { query: { ...query, page, page_size } }, options),
    )
  }

  delete(id: string, options?: CallOptions): Promise<undefined> {
    return this.transport.call("deleteRun", { path: { run_id: id } }, options)
  }
}

export class Sources extends Resource {
  create(body: InputOf<"createSource">["body"], options?: CallOptions) {
    return this.transport.call("createSource", { body }, options)
  }
  list(options?: CallOptions) {
    return everyOf((page, page_size) => this.transport.call("listSources", { query: { page, page_size } }, options))
  }
  get(id: string, options?: CallOptions) {
    return this.transport.call("getSource", { path: { source_id: id } }, options)
  }
  update(id: string, body: InputOf<"updateSource">["body"], options?: CallOptions) {
    return this.transport.call("updateSource", { path: { source_id: id }, body }, options)
  }
  delete(id: string, options?: CallOptions) {
    return this.transport.call("deleteSource", { path: { source_id: id } }, options)
  }
  sync(id: string, body: InputOf<"syncSource">["body"] = {}, options?: CallOptions) {
    return this.transport.call("syncSource", { path: { source_id: id }, body }, options)
  }
}

/** Where a reader of events keeps how far it has come. */
export interface Cursor {
  load(): Promise<string | undefined> | string | undefined
  /** Called once the events up to that one were taken. */
  save(id: string): Promise<void> | void
}

export interface FollowEvents extends CallOptions {
  /** Only these. */
  types?: readonly string[]
  /** Reads on behind what it holds, and is told of each event that was taken. */
  cursor?: Cursor
  /** Ends where there are no more, in place of waiting. */
  once?: boolean
  /** Between two looks; 2 000. */
  pauseMs?: number
}

export class Events extends Resource {
  /** One page: what came after an event. */
  list(query: InputOf<"listEvents">["query"] = {}, options?: CallOptions): Promise<Answer<"listEvents">> {
    return this.transport.call("listEvents", { query }, options)
  }

  /**
   * Every event, each once, as they come. With a cursor each one counts as taken when the next is asked for, and the last page
   * when its end is reached.
   */
  async *follow({
    types,
    cursor,
    once,
    pauseMs = BETWEEN_LOOKS_MS,
    ...options
  }: FollowEvents = {}): AsyncGenerator<EventRecord, void> {
    let after = await cursor?.load()
    for (;;) {
      const query = { ...(after ? { after } : {}), ...(types ? { types: types.join(",") } : {}), limit: 500 }
      const { data } = await this.list(query, options)
      for (const event of data) {
        yield event
        after = event.id
        await cursor?.save(after)
      }
      if (data.length > 0) continue
      if (once) return
      await wait(pauseMs, options.signal)
    }
  }
}

export class Webhooks extends Resource {
  /** As `verifyWebhook`, which needs no client. */
  readonly verify = verify

  create(body: InputOf<"createWebhook">["body"], options?: CallOptions) {
    return this.transport.call("createWebhook", { body }, options)
  }
  list(options?: CallOptions) {
    return everyOf((page, page_size) => this.transport.call("listWebhooks", { query: { page, page_size } }, options))
  }
  update(id: string, body: InputOf<"changeWebhook">["body"], options?: CallOptions) {
    return this.transport.call("changeWebhook", { path: { webhook_id: id }, body }, options)
  }
  delete(id: string, options?: CallOptions) {
    return this.transport.call("deleteWebhook", { path: { webhook_id: id } }, options)
  }
}

export class Keys extends Resource {
  /** The secret parts are told this once. Not tried again after a cut: a second key would be left behind. */
  create(body: InputOf<"createKey">["body"], options?: CallOptions) {
    return this.transport.call("createKey", { body }, options)
  }
  list(options?: CallOptions) {
    return everyOf((page, page_size) => this.transport.call("listKeys", { query: { page, page_size } }, options))
  }
  update(id: string, body: InputOf<"updateKey">["body"], options?: CallOptions) {
    return this.transport.call("updateKey", { path: { id }, body }, options)
  }
  /** Gives the key new secrets; not tried again after a cut, as `create`. */
  rotate(id: string, body: InputOf<"rotateKey">["body"] = {}, options?: CallOptions) {
    return this.transport.call("rotateKey", { path: { id }, body }, options)
  }
  revoke(id: string, options?: CallOptions) {
    return this.transport.call("revokeKey", { path: { id } }, options)
  }
}
