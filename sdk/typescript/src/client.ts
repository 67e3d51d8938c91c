/** The client: one for an application, and for all of its requests at the same time. */
import { Batches } from "./batches.ts"
import { Files } from "./files.ts"
import type { Calls } from "./generated.ts"
import { Agents, Conversations, Events, Keys, Sources, Webhooks } from "./resources.ts"
import { type CallId, type CallOptions, type InputOf, type Options, Transport } from "./transport.ts"

export class Carrel {
  readonly files: Files
  readonly conversations: Conversations
  readonly agents: Agents
  readonly sources: Sources
  readonly events: Events
  readonly webhooks: Webhooks
  readonly batches: Batches
  readonly keys: Keys
  readonly #transport: Transport

  /** @throws TypeError without a token */
  constructor(options: Options = {}) {
    const transport = new Transport(options)
    this.#transport = transport
    this.files = new Files(transport)
    this.conversations = new Conversations(transport)
    this.agents = new Agents(transport)
    this.sources = new Sources(transport)
    this.events = new Events(transport)
    this.webhooks = new Webhooks(transport)
    this.batches = new Batches(transport)
    this.keys = new Keys(transport)
  }

  readonly models = {
    list: (options?: CallOptions): Promise<Calls["listModels"]["answer"]> =>
      this.#transport.call("listModels", {}, options),
  }

  /** Short-lived tokens that can do less than the key that makes them. */
  readonly tokens = {
    create: (body: InputOf<"createToken">["body"], options?: CallOptions): Promise<Calls["createToken"]["answer"]> =>
      this.#transport.call("createToken", { body }, options),
  }

  /** Passages that answer a query. */
  search(query: string | InputOf<"search">["body"], options?: CallOptions): Promise<Calls["search"]["answer"]> {
    return this.#transport.call("search", { body: typeof query === "string" ? { query } : query }, options)
  }

  /** A text without private values. */
  redact(text: string | InputOf<"redact">["body"], options?: CallOptions): Promise<Calls["redact"]["answer"]> {
    return this.#transport.call("redact", { body: typeof text === "string" ? { text } : text }, options)
  }

  /** Any call of the API by its name, as the reference has it. */
  call<Id extends CallId>(id: Id, input: InputOf<Id>, options?: CallOptions): Promise<Calls[Id]["answer"]> {
    return this.#transport.call(id, input, options)
  }
}
