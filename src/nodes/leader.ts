/**
 * Work that one node at a time does for all: sweeps, a change of the embedding model, mending. A node leads as long as its
 * row of `leases` is renewed, by the database's clock; what it does must not harm when a former leader still does it for a
 * moment.
 */
import { log, Trouble } from "../log.ts"
import type { Database } from "../storage/database.ts"
import { isGivenUp } from "../storage/owners.ts"
import { timeOf } from "../storage/shared.ts"
import { orAbort, pause } from "../threads/or-abort.ts"
import type { Node } from "./nodes.ts"

/** Begins when the node begins to lead; `signal` aborts when it no longer does. */
export type LeadersWork = (signal: AbortSignal) => Promise<void>

export interface Leadership extends AsyncDisposable {
  readonly isLeader: boolean
  /** Carries `work` out each time that this node begins to lead, and at once where it leads already. */
  whileLeader(work: LeadersWork): void
}

export interface LeaderTiming {
  /** Another node may lead so long after the last renewal. */
  leaseMs: number
  renewMs: number
}

const TIMING: LeaderTiming = { leaseMs: 15_000, renewMs: 3_000 }
/** Share of a lease after which its holder no longer counts on it: the rest is for what is under way to end. */
const TRUSTED_SHARE = 2 / 3
/** Longest wait for work that is to end, such as a look at a file on a disk that hangs. */
const END_MS = 500
/** There is one kind of leader. */
const NAME = "leader"

/** Whoever is alone leads. */
export class AloneLeader implements Leadership {
  readonly isLeader = true
  private readonly term = new Term()

  whileLeader(work: LeadersWork): void {
    this.term.begin(work)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.term.end()
  }
}

export interface LeaderOptions {
  database: Database
  node: Pick<Node, "id" | "isMember">
  timing?: Partial<LeaderTiming>
}

export class Leader implements Leadership {
  private readonly timing: LeaderTiming
  private readonly works = new Set<LeadersWork>()
  private readonly trouble = new Trouble({ begins: "who leads cannot be settled", ends: "who leads is settled again" })
  private readonly stop = new AbortController()
  private term: { work: Term; renewedAt: number; nodeId: string } | undefined
  private readonly running: Promise<void>
  private readonly watch: Timer

  constructor(private readonly options: LeaderOptions) {
    this.timing = { ...TIMING, ...options.timing }
    this.running = this.run()
    this.watch = setInterval(() => this.check(), this.timing.renewMs / 3)
  }

  get isLeader(): boolean {
    this.check()
    return this.term !== undefined
  }

  whileLeader(work: LeadersWork): void {
    this.works.add(work)
    this.term?.work.begin(work)
  }

  /** Waits for what the leader does, and lets another lead. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.watch)
    this.stop.abort(new Error("the node left"))
    await this.running
    const { term } = this
    this.term = undefined
    if (!term) return
    await term.work.end()
    await orAbort(
      this.options.database.deleteFrom("leases").where("name", "=", NAME).where("node_id", "=", term.nodeId).execute(),
      AbortSignal.timeout(this.timing.renewMs),
    ).catch(() => {}) // it ends by itself
  }

  private async run(): Promise<void> {
    const { signal } = this.stop
    while (!signal.aborted) {
      try {
        await this.renew()
        this.trouble.clear()
      } catch (error) {
        this.trouble.note(error)
      }
      await pause(this.timing.renewMs, signal).catch(() => {})
    }
  }

  private async renew(): Promise<void> {
    const { node } = this.options
    if (!node.isMember) return
    const nodeId = node.id
    const began = performance.now()
    const leads = await orAbort(this.take(nodeId), AbortSignal.timeout(this.timing.renewMs))
    if (this.stop.signal.aborted && !this.term) return
    if (!leads) return this.lose()
    if (this.term?.nodeId === nodeId) {
      this.term.renewedAt = began
      return
    }
    this.lose()
    log.info("this node leads", { node: nodeId })
    this.term = { work: new Term(), renewedAt: began, nodeId }
    for (const work of this.works) this.term.work.begin(work)
  }

  /** @returns whether the lease is this node's now */
  private async take(nodeId: string): Promise<boolean> {
    const { database } = this.options
    const row = await database
      .insertInto("leases")
      .values({ name: NAME, node_id: nodeId, until: timeOf(database, this.timing.leaseMs) })
      .onConflict(conflict =>
        conflict
          .column("name")
          .doUpdateSet(eb => ({ node_id: eb.ref("excluded.node_id"), until: eb.ref("excluded.until") }))
          .where(eb =>
            eb.or([
              eb("leases.node_id", "=", nodeId),
              eb("leases.until", "<", timeOf(database)),
              isGivenUp("leases.node_id"),
            ]),
          ),
      )
      .returning("node_id")
      .executeTakeFirst()
    return row !== undefined
  }

  private check(): void {
    const { term, timing, options } = this
    if (!term) return
    const isOld = performance.now() - term.renewedAt > timing.leaseMs * TRUSTED_SHARE
    if (isOld || !options.node.isMember || options.node.id !== term.nodeId) this.lose()
  }

  private lose(): void {
    const { term } = this
    if (!term) return
    this.term = undefined
    log.info("this node no longer leads", { node: term.nodeId })
    void term.work.end()
  }
}

/** The time for which a node leads, with what it does meanwhile. */
class Term {
  private readonly abort = new AbortController()
  private readonly running = new Set<Promise<void>>()

  begin(work: LeadersWork): void {
    const { signal } = this.abort
    if (signal.aborted) return
    const run = work(signal)
      .catch(error => {
        if (!signal.aborted) log.warn("work of the leader failed", { error })
      })
      .finally(() => this.running.delete(run))
    this.running.add(run)
  }

  async end(): Promise<void> {
    this.abort.abort(new Error("this node no longer leads"))
    await Promise.race([Promise.all(this.running), Bun.sleep(END_MS)])
  }
}
