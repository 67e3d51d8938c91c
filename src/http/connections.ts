/**
 * Keeps the connections of clients from using up what the process may open: files, the database, model servers and
 * reading processes need descriptors as well. The web server takes every connection and tells of none before its first
 * request, so they are counted from outside, and those in excess are ended.
 *
 * A connection is `known` from the first request that showed good credentials. Others have a bound for each address, and
 * all of them go before a known one does when descriptors run short, the oldest first: whoever holds them without
 * asking anything is older than who comes to ask.
 */
import { log } from "../log.ts"
import {
  type ClientSocket,
  clientSockets,
  descriptorLimit,
  keepSpare,
  leastOpen,
  shutDown,
} from "../threads/sockets.ts"

/** What the process needs beside connections: a share of the limit within these bounds. */
const RESERVE = { share: 3 / 8, least: 64, most: 1_024 }
/** After ending some there is room for so many more until the next look. */
const SLACK = 0.9
const LOOK_MS = 100
/** When more than half of the room is taken, a burst may take the rest before the next look. */
const CLOSE_LOOK_MS = 10
/** How often all are looked at when there are some, for the bounds by address and by time. */
const SURVEY_MS = 1_000
/** Descriptors of an idle process: below, there is nothing to look at. */
const IDLE_DESCRIPTORS = 64
/**
 * How long a client may go on sending a request that was answered before its end. One that reads only when it has sent all
 * would find a connection cut off, and no answer: those that have shown credentials get the time for a large upload.
 */
const LINGER_MS = { known: 300_000, stranger: 10_000 }
/** Between two lines of the log about the same. */
const SAY_EVERY_MS = 10_000

export interface System {
  descriptorLimit(): number
  keepSpare(): void
  leastOpen(): number
  clientSockets(): { open: number; sockets: ClientSocket[] }
  shutDown(descriptor: number): void
}

export const systemOf = (port: number): System => ({
  descriptorLimit,
  keepSpare,
  leastOpen,
  clientSockets: () => clientSockets(port),
  shutDown,
})

export interface ConnectionLimits {
  /** Connections of one address that are not known. */
  perAddress: number
  /** Addresses without that bound: everybody behind a proxy on them comes from there. */
  isExempt(address: string): boolean
}

export class Connections {
  private readonly known = new Set<string>()
  /** Peers that were answered amid their request, and until when they may go on. */
  private readonly lingering = new Map<string, number>()
  /** When a connection was first seen. */
  private seen = new Map<string, number>()
  private surveyedAt = 0
  private saidAt = Number.NEGATIVE_INFINITY
  private timer: Timer | undefined
  /** Descriptors that may be open before connections are ended. */
  private readonly room: number

  constructor(
    private readonly system: System,
    private readonly limits: ConnectionLimits,
  ) {
    const limit = system.descriptorLimit()
    const { share, least, most } = RESERVE
    this.room = limit - Math.min(most, Math.max(least, Math.floor(limit * share)))
  }

  start(): void {
    this.system.keepSpare()
    this.lookIn(LOOK_MS)
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }

  /** The peer has shown good credentials. */
  know(peer: string): void {
    this.known.add(peer)
  }

  /** The peer is asking something: what it sent before is over. */
  asks(peer: string): void {
    if (this.lingering.size > 0) this.lingering.delete(peer)
  }

  /** The peer was answered though its request had not come to its end. */
  answeredEarly(peer: string): void {
    const ms = this.known.has(peer) ? LINGER_MS.known : LINGER_MS.stranger
    this.lingering.set(peer, performance.now() + ms)
  }

  /** One look: cheap while few descriptors are open. Returns how many connections it ended. */
  look(now = performance.now()): number {
    const least = this.system.leastOpen()
    const isDue = now - this.surveyedAt >= SURVEY_MS
    const isCrowded = least > IDLE_DESCRIPTORS || this.lingering.size > 0 || this.known.size > IDLE_DESCRIPTORS
    if (least < this.room && !(isDue && isCrowded)) return 0
    return this.survey(now)
  }

  private survey(now: number): number {
    this.surveyedAt = now
    const { open, sockets } = this.system.clientSockets()
    this.remember(sockets, now)
    const ended = new Set<ClientSocket>()
    for (const socket of sockets) if ((this.lingering.get(socket.peer) ?? now) < now) ended.add(socket)
    const strangers = sockets
      .filter(socket => !this.known.has(socket.peer) && !ended.has(socket))
      .sort((a, b) => this.seen.get(a.peer)! - this.seen.get(b.peer)! || a.descriptor - b.descriptor)
    for (const group of Map.groupBy(strangers, ({ address }) => address).values())
      if (!this.limits.isExempt(group[0]!.address))
        for (const socket of group.slice(0, Math.max(0, group.length - this.limits.perAddress))) ended.add(socket)
    if (open - ended.size > this.room) {
      const excess = open - ended.size - Math.floor(this.room * SLACK)
      for (const socket of strangers.filter(socket => !ended.has(socket)).slice(0, excess)) ended.add(socket)
    }
    for (const { descriptor, peer } of ended) {
      this.system.shutDown(descriptor)
      this.lingering.delete(peer)
    }
    if (ended.size > 0) this.say(ended.size, open, now)
    return ended.size
  }

  /** Forgets peers that have left: another may come from the same port. */
  private remember(sockets: readonly ClientSocket[], now: number): void {
    this.seen = new Map(sockets.map(({ peer }) => [peer, this.seen.get(peer) ?? now]))
    for (const peer of this.known) if (!this.seen.has(peer)) this.known.delete(peer)
    for (const peer of this.lingering.keys()) if (!this.seen.has(peer)) this.lingering.delete(peer)
  }

  private say(ended: number, open: number, now: number): void {
    if (now - this.saidAt < SAY_EVERY_MS) return
    this.saidAt = now
    log.warn("connections of clients were ended", { ended, open_descriptors: open, room: this.room })
  }

  private lookIn(ms: number): void {
    this.timer = setTimeout(() => {
      let next = LOOK_MS
      try {
        this.look()
        if (this.system.leastOpen() > this.room / 2) next = CLOSE_LOOK_MS
      } catch (error) {
        log.warn("open connections could not be looked at", { error: String(error) })
        next = SURVEY_MS
      }
      if (this.timer) this.lookIn(next)
    }, ms)
    this.timer.unref()
  }
}
