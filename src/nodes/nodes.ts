/**
 * This process among the nodes that share a database. A membership is
 *   held    ← join: a row of its own, whose id is the fence of all that is begun under it; renewed by a heartbeat
 *   lost    ← it could not be renewed for so long that others may soon take the node for dead, or they have: the node stops
 *             what is under way, of which nothing counts any more, and joins anew under another id
 *   left    ← the process ends
 * Nodes that have not been seen for a while are declared dead by whoever notices first. What they had under way is given up
 * then (`deaths`), and looked for again now and then: the one that noticed may have died of it.
 */
import { diskTrouble, OperatorError } from "../errors.ts"
import { newId } from "../id.ts"
import { log, Trouble } from "../log.ts"
import type { Database } from "../storage/database.ts"
import type { NodesTable } from "../storage/nodes.ts"
import type { Owner } from "../storage/owners.ts"
import { orAbort, pause } from "../threads/or-abort.ts"
import {
  alive,
  end,
  endAll,
  endSilent,
  enter,
  find,
  livingNodes,
  type NodeDescription,
  readClock,
  renew,
} from "./registry.ts"

export interface NodeTiming {
  heartbeatMs: number
  /** A node that has not been seen for so long is declared dead. */
  deadAfterMs: number
  /** A node stops itself so long after its last renewal: well before others may take it for dead. */
  stopAfterMs: number
  /** How often to look for what the dead had under way, though nobody died just now. */
  lookAgainMs: number
}

const TIMING: NodeTiming = { heartbeatMs: 3_000, deadAfterMs: 15_000, stopAfterMs: 10_000, lookAgainMs: 30_000 }
/** A clock that is further off makes nonsense of times that people and clients see. */
const MAX_CLOCK_OFFSET_MS = 60_000

/** This process as others know it. */
export interface Node extends Owner, AsyncDisposable {
  /** Whether what it writes for its work counts at this moment. */
  readonly isMember: boolean
  /** Of the present membership; aborts when it is lost or left. */
  readonly signal: AbortSignal
  /** Calls back when the membership is lost: what is under way is to stop. */
  onLost(listener: () => void): void
  /** Those that take part, this one among them. */
  alive(): Promise<NodesTable[]>
  /** Undefined for one that ended long ago. */
  find(id: string): Promise<NodesTable | undefined>
}

/**
 * The one process of an installation on one machine: whoever was there before has ended. A disk that is full keeps nobody
 * from reading what is there: that the process began is then not noted, and nobody needs to know.
 */
export async function joinAlone(database: Database, description: NodeDescription): Promise<Node> {
  const id = newId("node")
  await database
    .transaction()
    .execute(async trx => {
      await endAll(trx)
      await enter(trx, description, id)
    })
    .catch(error => {
      if (diskTrouble(error) !== "full") throw error
    })
  const leaving = new AbortController()
  return {
    id,
    isMember: true,
    signal: leaving.signal,
    onLost: () => {},
    alive: () => alive(database),
    find: wanted => find(database, wanted),
    // Nothing is written: the disk may take nothing, and the next start ends what it finds.
    [Symbol.asyncDispose]: async () => leaving.abort(new Error("the node left")),
  }
}

export interface NodesOptions {
  database: Database
  description: NodeDescription
  /**
   * Gives up what nodes had under way that have ended (`isGivenUp`), those that ended before included. To be idempotent: it
   * is called on several nodes, from time to time though nobody ended just now, and again when it failed.
   */
  deaths: () => Promise<void>
  timing?: Partial<NodeTiming>
}

export class Nodes implements Node {
  private readonly timing: NodeTiming
  private readonly lost = new Set<() => void>()
  private readonly trouble = new Trouble({ begins: "the node cannot be renewed", ends: "the node is renewed again" })
  private readonly stop = new AbortController()
  private membership: { id: string; abort: AbortController; renewedAt: number }
  /** When to look next for what the dead had under way. */
  private lookAt = performance.now()
  private looking: Promise<void> | undefined
  /** At the last renewal. */
  private clock: { at: number; databaseMs: number } | undefined
  /** Not before then are others declared dead. */
  private judgesAt = 0
  private readonly running: Promise<void>
  private readonly watch: Timer

  private constructor(
    private readonly options: NodesOptions,
    id: string,
    joinedAt: number,
  ) {
    this.timing = { ...TIMING, ...options.timing }
    this.membership = { id, abort: new AbortController(), renewedAt: joinedAt }
    this.running = this.run()
    // Apart from the heartbeat, which may hang in the database.
    this.watch = setInterval(() => this.check(), this.timing.heartbeatMs / 6)
  }

  /** @throws OperatorError for a clock that is wrong: nothing is written then */
  static async join(options: NodesOptions): Promise<Nodes> {
    await refuseWrongClock(options.database)
    const joinedAt = performance.now()
    return new Nodes(options, await enter(options.database, options.description), joinedAt)
  }

  get id(): string {
    return this.membership.id
  }

  get signal(): AbortSignal {
    return this.membership.abort.signal
  }

  get isMember(): boolean {
    this.check()
    return !this.signal.aborted
  }

  onLost(listener: () => void): void {
    this.lost.add(listener)
  }

  alive(): Promise<NodesTable[]> {
    return alive(this.options.database)
  }

  find(id: string): Promise<NodesTable | undefined> {
    return find(this.options.database, id)
  }

  /** Leaves: others need not wait to see that this node has ended. What it had under way is to have ended before. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.watch)
    this.stop.abort(new Error("the node left"))
    await this.running
    await Promise.race([this.looking, Bun.sleep(this.timing.heartbeatMs)])
    const { id, abort } = this.membership
    abort.abort(this.stop.signal.reason)
    await this.inTime(end(this.options.database, id)).catch(error =>
      log.warn("the node could not say that it leaves", { node: id, error }),
    )
  }

  private async run(): Promise<void> {
    const { signal } = this.stop
    while (!signal.aborted) {
      const began = performance.now()
      try {
        await this.beat()
        this.trouble.clear()
      } catch (error) {
        if (!signal.aborted) this.trouble.note(error)
      }
      const rest = Math.max(0, began + this.timing.heartbeatMs - performance.now())
      await pause(rest, signal).catch(() => {})
    }
  }

  private async beat(): Promise<void> {
    const { database } = this.options
    if (this.signal.aborted) await this.rejoin()
    const { membership } = this
    const began = performance.now() // the database's clock was not further when it took the renewal
    const seenAt = await this.inTime(renew(database, membership.id))
    if (seenAt === undefined) return this.lose("the node was declared dead by another")
    membership.renewedAt = began
    this.compare(began, Date.parse(seenAt))
    if (began >= this.judgesAt) await this.endSilent()
    if (performance.now() >= this.lookAt)
      this.looking ??= this.giveUp().finally(() => {
        this.looking = undefined
      })
  }

  /** Where the database's clock was set, or a server with another took over, everybody looks silent until he is heard again. */
  private compare(at: number, databaseMs: number): void {
    const { clock, timing } = this
    this.clock = { at, databaseMs }
    if (!clock) return
    const jumpMs = databaseMs - clock.databaseMs - (at - clock.at)
    if (Math.abs(jumpMs) < timing.deadAfterMs / 3) return
    log.warn("the clock of the database was set", { seconds: Math.round(jumpMs / 1000) })
    this.judgesAt = at + timing.deadAfterMs
  }

  private async endSilent(): Promise<void> {
    const ended = await this.inTime(endSilent(this.options.database, this.id, this.timing.deadAfterMs))
    if (ended.length === 0) return
    log.warn("nodes were declared dead", { nodes: ended })
    this.lookAt = 0
  }

  /** Beside the heartbeat: there may be much to give up. What fails is tried again with the next one. */
  private async giveUp(): Promise<void> {
    this.lookAt = performance.now() + this.timing.lookAgainMs
    try {
      await this.options.deaths()
    } catch (error) {
      this.lookAt = 0
      if (!this.stop.signal.aborted) log.warn("what ended nodes had under way could not be given up", { error })
    }
  }

  /** Under another id: what was begun under the former one finds nothing to write to. */
  private async rejoin(): Promise<void> {
    const { database, description } = this.options
    const former = this.membership.id
    await this.inTime(end(database, former))
    const joinedAt = performance.now()
    const id = await this.inTime(enter(database, description))
    this.membership = { id, abort: new AbortController(), renewedAt: joinedAt }
    this.lookAt = 0
    log.info("the node joined anew", { node: id, former })
  }

  private check(): void {
    const { renewedAt, abort } = this.membership
    const silentMs = performance.now() - renewedAt
    if (!abort.signal.aborted && silentMs > this.timing.stopAfterMs)
      this.lose(`the node was not renewed for ${Math.round(silentMs / 1000)} s`)
  }

  private lose(why: string): void {
    const { id, abort } = this.membership
    if (abort.signal.aborted || this.stop.signal.aborted) return
    log.error(`${why}: it stops what it does`, { node: id })
    abort.abort(new Error(why))
    for (const listener of this.lost) listener()
  }

  /** A server that hangs must not hold up the heartbeat for longer than the time between two of them. */
  private inTime<T>(work: Promise<T>): Promise<T> {
    return orAbort(work, AbortSignal.timeout(this.timing.heartbeatMs))
  }
}

/** A heartbeat and a half. */
const RENEWED_MS = 4_500
const LOOK_MS = 250

/**
 * One that was killed leaves its row behind for a while; one that lives renews it.
 * @param withinMs in which a node that lives is renewed
 * @throws OperatorError where another node is reached under this URL
 */
export async function refuseTakenUrl(database: Database, url: string, withinMs = RENEWED_MS): Promise<void> {
  const there = async () => (await livingNodes(database)).filter(node => node.url === url)
  const before = new Map((await there()).map(({ id, seen_at }) => [id, seen_at]))
  for (const end = performance.now() + withinMs; before.size > 0 && performance.now() < end; await Bun.sleep(LOOK_MS)) {
    const other = (await there()).find(({ id, seen_at }) => seen_at !== (before.get(id) ?? seen_at))
    if (other)
      throw new OperatorError(`the node ${other.name} is at work under the URL ${url}`, {
        hint: "give every node a --node-url of its own, under which the others reach it",
      })
  }
}

/** @throws OperatorError naming the difference */
export async function refuseWrongClock(database: Database): Promise<void> {
  const before = Date.now()
  const there = await readClock(database)
  const offsetMs = (before + Date.now()) / 2 - there
  if (Math.abs(offsetMs) <= MAX_CLOCK_OFFSET_MS) return
  const seconds = Math.round(Math.abs(offsetMs) / 1000)
  throw new OperatorError(
    `the clock of this machine is ${seconds} s ${offsetMs > 0 ? "ahead of" : "behind"} that of the database`,
    { hint: "set both by the same time service (NTP), then start again" },
  )
}
