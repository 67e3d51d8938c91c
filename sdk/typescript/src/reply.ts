/** A reply while it is written: its events, its text, and what it is in the end. */
import { ConnectionError } from "./api-error.ts"
import { errorIn, resumed } from "./event-stream.ts"
import type { Calls, MessageCompletedEvent } from "./generated.ts"
import { ROUTES } from "./generated.ts"
import type { CallOptions, Request, Transport } from "./transport.ts"

export type ReplyEvent = Calls["followConversation"]["event"]
/** The stored reply, as `message_completed` tells it, and whose it is. */
export type FinalMessage = MessageCompletedEvent["data"] & { conversation_id: string }

/**
 * Read it once: by `for await` over its events, by `text()`, or by `finalMessage()` alone. The server writes the reply to its end
 * whether somebody reads or not; `conversations.cancel` stops it.
 */
export class ReplyStream implements AsyncIterable<ReplyEvent> {
  /** Known from the first event on. */
  conversationId: string | undefined
  messageId: string | undefined
  #final: MessageCompletedEvent["data"] | undefined
  #error: Error | undefined
  readonly #events: AsyncGenerator<ReplyEvent, void>

  /** @param first the request that begins the reply; undefined to follow the newest one of `conversationId` */
  constructor(
    transport: Transport,
    first: Request | undefined,
    conversationId: string | undefined,
    options: CallOptions,
  ) {
    this.conversationId = conversationId
    const key = options.idempotencyKey ?? crypto.randomUUID()
    let begun = first === undefined
    this.#events = resumed<ReplyEvent>({
      signal: options.signal,
      retryMs: options.retryMs ?? transport.retryMs,
      seen: event => this.#see(event),
      open: (after, signal) => {
        const follows = begun && this.conversationId !== undefined
        if (after !== undefined) begun = true
        if (first && (!follows || after === undefined))
          return transport.open({ ...first, options: { ...options, signal, idempotencyKey: key } })
        return transport.open({
          route: ROUTES.followConversation,
          input: { path: { conversation_id: this.conversationId! } },
          accept: "text/event-stream",
          options: { ...options, signal },
          ...(after === undefined ? {} : { lastEventId: `${after}` }),
        })
      },
    })
  }

  #see(event: ReplyEvent): void {
    if (event.event === "conversation_created" || event.event === "message_started")
      this.conversationId = event.data.conversation_id
    if (event.event === "message_started") this.messageId = event.data.message_id
    else if (event.event === "message_completed") this.#final = event.data
    else if (event.event === "error") this.#error = errorIn(event)
  }

  /** An `error` event is told like the others; `text` and `finalMessage` throw it. */
  [Symbol.asyncIterator](): AsyncIterator<ReplyEvent> {
    return this.#events
  }

  /** The text alone, piece by piece. @throws ApiError where the reply failed */
  async *text(): AsyncGenerator<string, void> {
    for await (const event of this) if (event.event === "message_delta") yield event.data.text
    if (this.#error) throw this.#error
  }

  /** Reads to the end. @throws ApiError where the reply failed */
  async finalMessage(): Promise<FinalMessage> {
    for await (const _ of this);
    if (this.#error) throw this.#error
    if (!this.#final) throw new ConnectionError("the stream ended without the reply")
    return { ...this.#final, conversation_id: this.conversationId! }
  }
}
