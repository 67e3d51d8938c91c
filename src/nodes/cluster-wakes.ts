/**
 * Hints between nodes, by NOTIFY on a connection that does nothing else: outside transactions, since commits that notify
 * wait for each other, and gathered for a moment, so that a burst is one statement. The connection must lead to the server
 * itself (`direct` of the URL): a pooler that hands connections out by transaction loses LISTEN.
 */
import type { Client } from "pg"
import { Trouble } from "../log.ts"
import { orAbort } from "../threads/or-abort.ts"
import { type Channel, LocalWakes, nameOf, type Wakes } from "./wakes.ts"

/** What is published within it goes together. */
const GATHER_MS = 20
/** Everybody who waits looks this often, whatever was heard: hints may be lost. */
const POLL_MS = 1_000
/** A connection that says nothing may be dead: it is asked. */
const ASK_EVERY_MS = 5_000
/** Longest wait for an answer of the server. */
const ANSWER_MS = 5_000
/** Before another attempt to connect. */
const AGAIN_MS = 500
/** PostgreSQL takes payloads of less than 8000 bytes. */
const PAYLOAD_BYTES = 7_900
/** More at once are not told one by one: everybody who waits looks. */
const MAX_NAMES = 2_000
const CHANNEL = "carrel"
const EVERYTHING = "*"

export interface ClusterWakesOptions {
  /** A new connection to the database, which is not connected yet. */
  client: () => Client
  pollMs?: number
}

export class ClusterWakes implements Wakes, AsyncDisposable {
  private readonly local = new LocalWakes()
  /** Told apart from others by its hints: what it published was heard here already. */
  private readonly self = crypto.randomUUID().slice(0, 8)
  private readonly trouble = new Trouble({ begins: "hints between nodes are not heard", ends: "hints are heard again" })
  private readonly poll: Timer
  private readonly stopped = Promise.withResolvers<void>()
  private readonly names = new Set<string>()
  private gathering: Timer | undefined
  private client: Client | undefined
  private stopping = false
  private readonly running: Promise<void>

  constructor(private readonly options: ClusterWakesOptions) {
    this.poll = setInterval(() => this.local.wakeAll(), options.pollMs ?? POLL_MS)
    this.running = this.run()
  }

  publish(channel: Channel, key = ""): void {
    this.local.publish(channel, key)
    this.names.add(nameOf(channel, key))
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined
      void this.send()
    }, GATHER_MS)
  }

  listen(channel: Channel, key: string, listener: () => void): () => void {
    return this.local.listen(channel, key, listener)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping = true
    clearInterval(this.poll)
    clearTimeout(this.gathering)
    await this.send()
    this.stopped.resolve()
    await this.running
  }

  /** Listens, on one connection after the other. */
  private async run(): Promise<void> {
    while (!this.stopping) {
      const client = this.options.client()
      try {
        await this.listenOn(client)
      } catch (error) {
        if (!this.stopping) this.trouble.note(error)
      } finally {
        this.client = undefined
        void client.end().catch(() => {})
      }
      if (!this.stopping) await Promise.race([Bun.sleep(AGAIN_MS), this.stopped.promise])
    }
  }

  /** Until the connection is lost, or all is to end. */
  private async listenOn(client: Client): Promise<void> {
    const lost = new Promise<Error>(resolve => {
      client.on("error", resolve)
      client.on("end", () => resolve(new Error("the connection was closed")))
    })
    client.on("notification", ({ payload }) => this.hear(payload ?? ""))
    await inTime(client.connect())
    await inTime(client.query(`listen ${CHANNEL}`))
    this.client = client
    this.trouble.clear()
    this.local.wakeAll() // what was said meanwhile was not heard
    for (;;) {
      const end = await Promise.race([lost, this.stopped.promise, Bun.sleep(ASK_EVERY_MS).then(() => "quiet" as const)])
      if (end === undefined) return
      if (end instanceof Error) throw end
      await inTime(client.query("select 1"))
    }
  }

  private hear(payload: string): void {
    const [from, ...names] = payload.split("\n")
    if (from === this.self) return
    for (const name of names)
      if (name === EVERYTHING) this.local.wakeAll()
      else this.local.wake(name)
  }

  /** Never rejects: a hint that is lost is made up for by the poll. */
  private async send(): Promise<void> {
    const names = this.names.size > MAX_NAMES ? [EVERYTHING] : [...this.names]
    this.names.clear()
    const { client } = this
    if (!client || names.length === 0) return
    await inTime(
      client.query("select pg_notify($1, payload) from unnest($2::text[]) as payload", [
        CHANNEL,
        payloadsOf(this.self, names),
      ]),
    ).catch(error => this.trouble.note(error))
  }
}

/** Lines of names under the sender's, none longer than PostgreSQL takes. */
function payloadsOf(sender: string, names: readonly string[]): string[] {
  const payloads: string[] = []
  let bytes = PAYLOAD_BYTES
  for (const name of names) {
    const length = Buffer.byteLength(name) + 1
    if (sender.length + length > PAYLOAD_BYTES) continue // no key of ours is that long
    if (bytes + length > PAYLOAD_BYTES) {
      payloads.push(sender)
      bytes = sender.length
    }
    payloads.push(`${payloads.pop()}\n${name}`)
    bytes += length
  }
  return payloads
}

/** @throws Error when it takes longer than a server in order does */
const inTime = <T>(work: Promise<T>): Promise<T> => orAbort(work, AbortSignal.timeout(ANSWER_MS))
