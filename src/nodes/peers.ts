/**
 * The way from one node to another: signed requests to the URL that it gave itself. They carry nobody's credentials: who
 * may see what is decided by the node that was asked by its client.
 */
import http, { type IncomingMessage } from "node:http"
import https from "node:https"
import { StringDecoder } from "node:string_decoder"
import { log } from "../log.ts"
import { toNode } from "../outbound.ts"
import { orAbort } from "../threads/or-abort.ts"
import type { Signatures } from "./signature.ts"

/** A node that does what is asked about. */
export interface Peer {
  id: string
  url: string
}

/** Until the first byte of an answer: longer than a busy node takes, and short for who watches a reply meanwhile. */
const ANSWER_MS = 3_000
/** Between two bytes of a stream, which sends a blank line every `PEER_PING_MS` at least. */
const SILENCE_MS = 6_000
export const PEER_PING_MS = 2_000
/** Where a node says that it can be reached. */
export const ALIVE_PATH = "/_node/alive"
/** Between two looks whether a node is reached again, and how often before somebody else is to find out. */
const SEEK_MS = 2_000
const SEEK_TIMES = 30
/** A line is one event; the largest is the record of a run with all that its tools gave. */
const MAX_LINE_CHARACTERS = 256 * 2 ** 20
const NOTHING = new Uint8Array()

/** The other node is there, and what it was asked for is not. */
export class Refused extends Error {}

export class Peers {
  /** Ids of nodes that were not reached, each looked for in the background: others need not wait to find the same. */
  private readonly unreached = new Set<string>()

  constructor(private readonly signatures: Signatures) {}

  /** False from the first request that was not answered, until one is. */
  isReached(peer: Peer): boolean {
    return !this.unreached.has(peer.id)
  }

  /**
   * What the other node streams, one JSON value a line, as fast as it is taken. Ends when the other node ends it, and when
   * `signal` aborts.
   * @param body asks by POST
   * @throws Error where the node is not reached, refuses or falls silent
   */
  async *stream(
    peer: Peer,
    target: string,
    signal: AbortSignal,
    body?: Uint8Array<ArrayBuffer>,
  ): AsyncGenerator<unknown, void> {
    const watch = new Watch(signal)
    try {
      const answer = await watch.within(
        ANSWER_MS,
        this.request(peer, body ? "POST" : "GET", target, watch.signal, body),
      )
      const chunks = answer[Symbol.asyncIterator]()
      const decoder = new StringDecoder("utf8")
      for (let rest = ""; ; ) {
        const { done, value } = await watch.within(SILENCE_MS, chunks.next())
        if (done) return
        const lines = (rest + decoder.write(value)).split("\n")
        rest = lines.pop()!
        if (rest.length > MAX_LINE_CHARACTERS) throw new Error("a node sent a line without end")
        for (const line of lines) if (line) yield JSON.parse(line)
      }
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Refused)) this.miss(peer)
      throw error
    } finally {
      watch.end()
    }
  }

  /** Waits for the end of something, however long it takes. @returns false where the other node is not reached or refuses */
  async wait(peer: Peer, target: string, signal: AbortSignal): Promise<boolean> {
    try {
      for await (const _ of this.stream(peer, target, signal)) break
      return true
    } catch (error) {
      log.debug("a node could not be asked", { node: peer.id, error: String(error) })
      return false
    }
  }

  /** Has the other node do something, and waits for that. @returns false where it is not reached, refuses, or takes longer than `waitMs` */
  async call(peer: Peer, target: string, waitMs: number, signal?: AbortSignal): Promise<boolean> {
    const watch = new Watch(signal)
    try {
      const answer = await watch.within(waitMs, this.request(peer, "POST", target, watch.signal))
      answer.resume()
      return true
    } catch (error) {
      if (!(signal?.aborted || error instanceof Refused)) this.miss(peer)
      log.debug("a node could not be asked", { node: peer.id, error: String(error) })
      return false
    } finally {
      watch.end()
    }
  }

  private miss(peer: Peer): void {
    if (this.unreached.has(peer.id)) return
    this.unreached.add(peer.id)
    void this.seek(peer).finally(() => this.unreached.delete(peer.id))
  }

  private async seek(peer: Peer): Promise<void> {
    for (let i = 0; i < SEEK_TIMES; i++) {
      await Bun.sleep(SEEK_MS)
      if (await this.call(peer, ALIVE_PATH, ANSWER_MS)) return
    }
  }

  /**
   * Each request has a connection of its own, by the client of `node:http`: `fetch` has room for 256 requests in a process,
   * and those who follow replies would take it from the model servers.
   */
  private request(
    { id, url }: Peer,
    method: string,
    target: string,
    signal: AbortSignal,
    body = NOTHING,
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const headers = this.signatures.sign(id, { method, target, body })
    const options = { method, headers: { ...headers, "content-length": String(body.length) }, signal, agent: false }
    const { request } = url.startsWith("https:") ? https : http
    const there = new URL(target, url)
    toNode(there, () =>
      request(there, options, answer => {
        answer.on("error", () => {}) // told to who reads it; one that nobody reads any more would end the process
        if (answer.statusCode === 200 || answer.statusCode === 204) return resolve(answer)
        answer.resume()
        reject(new Refused(`a node answered ${answer.statusCode}`))
      }),
    )
      .on("error", reject)
      .end(body)
    return promise
  }
}

/** Ends a request whose reader left, or whose node is silent for too long. */
class Watch {
  private readonly abort = new AbortController()
  private readonly leave = () => this.abort.abort(this.reader?.reason)

  constructor(private readonly reader: AbortSignal | undefined) {
    if (reader?.aborted) this.leave()
    reader?.addEventListener("abort", this.leave, { once: true })
  }

  get signal(): AbortSignal {
    return this.abort.signal
  }

  async within<T>(ms: number, work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.abort.abort(new Error("a node does not answer")), ms)
    try {
      return await orAbort(work, this.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  end(): void {
    this.reader?.removeEventListener("abort", this.leave)
    this.abort.abort()
  }
}
