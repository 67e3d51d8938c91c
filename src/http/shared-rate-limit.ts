/**
 * Windows that nodes share in a table of PostgreSQL, by the database's clock. A node takes slices of a tenth of the limit
 * and spends them without asking; near the end of a window it takes what requests wait for, no more. A request passes on a
 * number that was taken for it, within the window that it was taken from: never more than the limit pass in a cluster, and
 * fewer only where a node keeps the rest of its slice.
 */
import { type RawBuilder, sql } from "kysely"
import { log } from "../log.ts"
import type { Database } from "../storage/database.ts"
import { MANY_WINDOWS, type RateLimiter, type Taken, WINDOW_MS, wholeSeconds } from "./rate-limit.ts"

/** Of the limit. */
const SLICE = 1 / 10
/** With so many slices left a window is near its end. */
const NEAR_END_SLICES = 2

/** What this node knows of a window. */
interface Part {
  /** Numbers taken and not spent. */
  held: number
  /** Of the whole cluster, when numbers were last taken; those that other nodes hold count as spent. */
  used: number
  /** Of the limit that a window was used up at; a higher one asks anew. */
  fullAt: number
  /** Milliseconds since the epoch, by the database's clock. */
  resetAt: number
  /** By this process's monotonic clock, before the database's window ends. */
  endsAt: number
  waiting: number
  asking: Promise<void> | undefined
}

export class SharedRateLimiter implements RateLimiter {
  private readonly parts = new Map<string, Part>()
  private sweptAt = performance.now()

  constructor(
    private readonly database: Database,
    private readonly windowMs = WINDOW_MS,
  ) {}

  take(id: string, limit: number): Taken | Promise<Taken> {
    const part = this.partOf(id)
    return spendOf(part, limit) ?? this.wait(id, part, limit)
  }

  private partOf(id: string): Part {
    let part = this.parts.get(id)
    if (!part) {
      if (this.parts.size > MANY_WINDOWS) this.forget()
      part = { held: 0, used: 0, fullAt: 0, resetAt: 0, endsAt: 0, waiting: 0, asking: undefined }
      this.parts.set(id, part)
    }
    return part
  }

  private async wait(id: string, part: Part, limit: number): Promise<Taken> {
    part.waiting++
    try {
      for (;;) {
        part.asking ??= this.ask(id, part, limit).finally(() => {
          part.asking = undefined
        })
        await part.asking
        const taken = spendOf(part, limit)
        if (taken) return taken
      }
    } finally {
      part.waiting--
    }
  }

  /** Takes numbers for those who wait. */
  private async ask(id: string, part: Part, limit: number): Promise<void> {
    this.sweep()
    const began = performance.now() // the database's clock was not further when it gave them
    const wanted = part.waiting
    const slice = Math.max(1, Math.floor(limit * SLICE))
    const { rows } = await sql<{ granted: number; used: number; ends_at: number; now: number }>`
      insert into rate_windows as present (id, granted, used, ends_at)
        values (${id}, ${grant(slice, wanted, limit, sql`0`)}, ${grant(slice, wanted, limit, sql`0`)}, ${NOW} + ${this.windowMs}::bigint)
      on conflict (id) do update set
        granted = ${grant(slice, wanted, limit, USED)},
        used = ${USED} + ${grant(slice, wanted, limit, USED)},
        ends_at = case when ${IS_OVER} then ${NOW} + ${this.windowMs}::bigint else present.ends_at end
      returning granted, used, ends_at, ${NOW} as now`.execute(this.database)
    const { granted, used, ends_at: resetAt, now } = rows[0]!
    // Numbers of a window that is over are void; those of one that goes on stay.
    part.held = (part.resetAt === resetAt ? part.held : 0) + granted
    part.used = used
    part.fullAt = granted === 0 ? limit : 0
    part.resetAt = resetAt
    part.endsAt = began + resetAt - now
  }

  private forget(): void {
    const now = performance.now()
    for (const [id, part] of this.parts) if (now >= part.endsAt && part.waiting === 0) this.parts.delete(id)
  }

  /** Rows of windows that are over, once a window; whichever node comes first. */
  private sweep(): void {
    if (performance.now() - this.sweptAt < WINDOW_MS) return
    this.sweptAt = performance.now()
    sql`delete from rate_windows where ends_at < ${NOW}`
      .execute(this.database)
      .catch(error => log.debug("windows that are over could not be removed", { error }))
  }
}

/** Undefined where the database is to be asked. */
function spendOf(part: Part, limit: number): Taken | undefined {
  const leftMs = part.endsAt - performance.now()
  if (leftMs <= 0) return undefined
  const { resetAt } = part
  const spent = part.used - part.held
  if (spent >= limit || limit <= part.fullAt)
    return { allowed: false, window: { limit, used: limit, resetAt }, retryAfter: wholeSeconds(leftMs) }
  if (part.held === 0) return undefined
  part.held--
  return { allowed: true, window: { limit, used: spent + 1, resetAt } }
}

/** Milliseconds since the epoch; one value in one statement. */
const NOW = sql`(extract(epoch from statement_timestamp()) * 1000)::bigint`
const IS_OVER = sql`present.ends_at <= ${NOW}`
const USED = sql`(case when ${IS_OVER} then 0 else present.used end)`

/** Numbers for a node, of a window of which `used` are taken: a slice while there are several left, else those in need. */
function grant(slice: number, wanted: number, limit: number, used: RawBuilder<unknown>) {
  const left = sql`(${limit}::bigint - ${used})`
  const end = sql`${slice * NEAR_END_SLICES}::bigint`
  return sql`(case when ${left} > ${end} then greatest(${slice}::bigint, least(${wanted}::bigint, ${left} - ${end}))
    else greatest(0, least(${wanted}::bigint, ${left})) end)`
}
