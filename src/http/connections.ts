/**
 * Keeps the connections of clients from using up what the process may open: files, the database, model servers and
 * reading processes need descriptors as well. The web server takes every connection and tells of none before its first
 * request, so they are counted from outside, and those in excess are ended.
 *
 * A connection is `known` from the first request that showed good credentials. Others have a bound for each address, and
 * go before a known one does when descriptors run short, the oldest first: whoever holds them without asking anything is
 * older than who comes to ask. Where known ones alone take all the room, those of the key that holds the most are ended,
 * and the newest strangers stay: a health check is one of them. Connections of other nodes are never ended: each stands for
 * a client that is counted where it asked.
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
/** The newest strangers, which go last. */
const NEWEST = 16
/** What uploads may take of the room; each needs a connection and a file. */
const UPLOAD_SHARE = { ofRoom: 1 / 2, descriptors: 2 }
/** After ending some there is room for so many more until the next look. */
const SLACK = 0.9
const LOOK_MS = 100
/** When more than half of the room is taken, a burst may take the rest before the next look. */
const CLOSE_LOOK_MS = 10
/** With fewer descriptors a burst of a few hundred connections, which take a tenth of a second, would take all of them. */
const FEW = { descriptors: 4_096, lookMs: 10, closeLookMs: 1 }
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

/** Descriptors that may be open before connections are ended. */
function roomWithin(limit: number): number {
  const { share, least, most } = RESERVE
  return limit - Math.min(most, Math.max(least, Math.floor(limit * share)))
}

/** Uploads for which this process has descriptors, beside as much of everything else. */
export function mostUploads(): number {
  if (process.platform !== "linux") return Number.POSITIVE_INFINITY
  const { ofRoom, descriptors } = UPLOAD_SHARE
  return Math.max(1, Math.floor((roomWithin(descriptorLimit()) * ofRoom) / descriptors))
}

export class Connections {
  /** Peers that have shown good credentials: of which key, and when they asked last. */
  private readonly known = new Map<string, { keyId: string; askedAt: number }>()
  /** Peers that are nodes of this cluster. */
  private readonly nodes = new Set<string>()
  /** Peers that were answered amid their request, and until when they may go on. */
  private readonly lingering = new Map<string, number>()
  /** When a connection was first seen. */
  private seen = new Map<string, number>()
  private surveyedAt = 0
  private saidAt = Number.NEGATIVE_INFINITY
  private timer: Timer | undefined
  /** Descriptors that may be open. */
  private readonly room: number
  private readonly lookMs: number
  private readonly closeLookMs: number

  constructor(
    private readonly system: System,
    private readonly limits: ConnectionLimits,
  ) {
    const limit = system.descriptorLimit()
    this.room = roomWithin(limit)
    this.lookMs = limit < FEW.descriptors ? FEW.lookMs : LOOK_MS
    this.closeLookMs = limit < FEW.descriptors ? FEW.closeLookMs : CLOSE_LOOK_MS
  }

  start(): void {
    this.system.keepSpare()
    this.lookIn(this.lookMs)
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }

  /** The peer asks with good credentials of a key. */
  know(peer: string, keyId: string): void {
    this.known.set(peer, { keyId, askedAt: performance.now() })
  }

  /** The peer is another node. */
  admit(peer: string): void {
    this.nodes.add(peer)
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
    const isCrowded =
      least > IDLE_DESCRIPTORS || this.lingering.size > 0 || this.known.size + this.nodes.size > IDLE_DESCRIPTORS
    if (least < this.room && !(isDue && isCrowded)) return 0
    return this.survey(now)
  }

  private survey(now: number): number {
    this.surveyedAt = now
    const { open, sockets: all } = this.system.clientSockets()
    this.remember(all, now)
    const sockets = all.filter(({ peer }) => !this.nodes.has(peer))
    const ended = new Set<ClientSocket>()
    for (const socket of sockets) if ((this.lingering.get(socket.peer) ?? now) < now) ended.add(socket)
    const strangers = sockets
      .filter(socket => !this.known.has(socket.peer) && !ended.has(socket))
      .sort((a, b) => this.seen.get(a.peer)! - this.seen.get(b.peer)! || a.descriptor - b.descriptor)
    for (const group of Map.groupBy(strangers, ({ address }) => address).values())
      if (!this.limits.isExempt(group[0]!.address))
        for (const socket of group.slice(0, Math.max(0, group.length - this.limits.perAddress))) ended.add(socket)
    this.makeRoom(
      open,
      strangers.filter(socket => !ended.has(socket)),
      sockets.filter(socket => this.known.has(socket.peer) && !ended.has(socket)),
      ended,
    )
    for (const { descriptor, peer } of ended) {
      this.system.shutDown(descriptor)
      this.lingering.delete(peer)
    }
    if (ended.size > 0) this.say(ended.size, open, now)
    return ended.size
  }

  /** Adds to `ended` those that go because descriptors run short, if they do. */
  private makeRoom(open: number, strangers: ClientSocket[], known: ClientSocket[], ended: Set<ClientSocket>): void {
    const wanted = Math.floor(this.room * SLACK)
    const end = (candidates: Iterable<ClientSocket>) => {
      if (open - ended.size <= this.room) return
      for (const socket of candidates) {
        if (open - ended.size <= wanted) return
        ended.add(socket)
      }
    }
    end(strangers.slice(0, -NEWEST))
    end(this.fromLargestHolders(known))
    end(strangers.slice(-NEWEST))
  }

  /** One after the other of the key that has the most left: the answered ones first, then those that asked longest ago. */
  private *fromLargestHolders(sockets: ClientSocket[]): Generator<ClientSocket> {
    const rank = ({ peer }: ClientSocket) => (this.lingering.has(peer) ? 0 : this.known.get(peer)!.askedAt)
    const holdings = [...Map.groupBy(sockets, ({ peer }) => this.known.get(peer)!.keyId).values()]
    for (const holding of holdings) holding.sort((a, b) => rank(b) - rank(a))
    for (;;) {
      const largest = holdings.reduce((most, holding) => (holding.length > most.length ? holding : most), [])
      const socket = largest.pop()
      if (!socket) return
      yield socket
    }
  }

  /** Forgets peers that have left: another may come from the same port. */
  private remember(sockets: readonly ClientSocket[], now: number): void {
    this.seen = new Map(sockets.map(({ peer }) => [peer, this.seen.get(peer) ?? now]))
    for (const peers of [this.known, this.lingering, this.nodes])
      for (const peer of peers.keys()) if (!this.seen.has(peer)) peers.delete(peer)
  }

  private say(ended: number, open: number, now: number): void {
    if (now - this.saidAt < SAY_EVERY_MS) return
    this.saidAt = now
    log.warn("connections of clients were ended", { ended, open_descriptors: open, room: this.room })
  }

  private lookIn(ms: number): void {
    this.timer = setTimeout(() => {
      let next = this.lookMs
      try {
        this.look()
        if (this.system.leastOpen() > this.room / 2) next = this.closeLookMs
      } catch (error) {
        log.warn("open connections could not be looked at", { error: String(error) })
        next = SURVEY_MS
      }
      if (this.timer) this.lookIn(next)
    }, ms)
    this.timer.unref()
  }
}
