/** A receiver of webhooks, which verifies what comes with the package of the standard. */
import { Webhook } from "standardwebhooks"
import { until } from "./until.ts"

export interface ReceivedMessage {
  /** `webhook-id` */
  id: string
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: data of every event
  data: any
  /** Milliseconds since the epoch. */
  at: number
  /** Space between two of them where two secrets sign. */
  signature: string
}

export interface TestReceiver {
  url: string
  /** What came and was signed rightly. */
  messages: ReceivedMessage[]
  /** What came otherwise. */
  refused: string[]
  /** What is answered; 204 at first. */
  answer: (message: ReceivedMessage, signal: AbortSignal) => Response | Promise<Response>
  secret: string
  /** Ids of what it is about, once so many messages came. */
  came(count: number): Promise<string[]>
  stop(): void
}

/** @param hostname address that it listens on */
export function startReceiver(port = 0, hostname = "127.0.0.1"): TestReceiver {
  const server = Bun.serve({
    port,
    hostname,
    idleTimeout: 0,
    async fetch(request) {
      const text = await request.text()
      const headers = Object.fromEntries(request.headers)
      try {
        // biome-ignore lint/suspicious/noExplicitAny: as it comes
        const { type, data } = new Webhook(receiver.secret).verify(text, headers) as any
        const message = {
          id: headers["webhook-id"]!,
          type,
          data,
          at: Date.now(),
          signature: headers["webhook-signature"]!,
        }
        receiver.messages.push(message)
        return await receiver.answer(message, request.signal)
      } catch (error) {
        receiver.refused.push(`${error}: ${text}`)
        return new Response(null, { status: 401 })
      }
    },
  })
  const receiver: TestReceiver = {
    url: server.url.href,
    messages: [],
    refused: [],
    answer: () => new Response(null, { status: 204 }),
    secret: "",
    async came(count) {
      await until(() => receiver.messages.length >= count)
      return receiver.messages.map(({ data }) => data.id)
    },
    stop: () => void server.stop(true),
  }
  return receiver
}
