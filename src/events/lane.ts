/**
 * Sends to one receiver, one event after the other, while this node holds the webhook: those of the feed in their order, and
 * in turn with them those whose time has come again. What came of it is noted for many at a time, so that an event may be
 * sent twice when the process dies between, and never not at all: the receiver tells by `webhook-id`.
 *
 *   in the feed ─sent─→ succeeded                       the cursor moves on, some are listed
 *        └─not taken──→ pending ─its time─→ sent again …  a row of `webhook_deliveries`
 *                          └─ no attempt left ─→ failed, and the webhook is disabled
 */
import type { Holder } from "../access/holders.ts"
import { type View, withinBoth } from "../access/view.ts"
import { log } from "../log.ts"
import type { Database } from "../storage/database.ts"
import type { WebhookDeliveriesTable, WebhooksTable } from "../storage/events.ts"
import { timeOf } from "../storage/shared.ts"
import { pause } from "../threads/or-abort.ts"
import { type EventRow, lastEvent, readEvents } from "./feed.ts"
import { type Attempted, disable, LostWebhook, note } from "./notes.ts"
import type { Pulse } from "./pulse.ts"
import type { Outcome, Receiver } from "./receiver.ts"
import { holdAfter, isPatient, waitAfter } from "./retries.ts"
import { heardBy } from "./visible.ts"

/** Events read at a time. */
const PAGE = 200
/** Of those that are sent again. */
const DUE = 50
/** What was sent is noted at least so often, and after so many. */
const NOTE_MS = 1_000
/** And while there is nothing to send. */
const IDLE_NOTE_MS = 250
const NOTE_AFTER = 500
/** What a slow receiver is sent goes by a look at its rights that is not older. */
const VIEW_MS = 1_000
/** Where the database does not answer. */
const AGAIN_MS = 2_000

/** What somebody sees now; undefined for who has no access any more. */
export interface HolderViews {
  find(holderId: string, workspaceId: string): Promise<Pick<Holder, "view"> | undefined>
}

export interface LaneOptions {
  database: Database
  webhook: WebhooksTable
  /** Id of this node, which holds the webhook. */
  owner: string
  receiver: Receiver
  pulse: Pulse
  holders: HolderViews
}

type Due = WebhookDeliveriesTable

/** The receiver is not to be asked again. */
class Ended extends Error {}

export class Lane {
  private cursor: number
  private notedCursor: number
  private attempted: Attempted[] = []
  private notedAt = performance.now()
  /** In a row. */
  private failures = 0
  /** By `performance.now()`: nothing is sent before, and nothing new. */
  private quietUntil = 0
  private heldUntil = 0

  constructor(private readonly options: LaneOptions) {
    this.cursor = options.webhook.cursor
    this.notedCursor = this.cursor
  }

  /** Until the signal aborts, the webhook is disabled, or another node has it. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { webhook, receiver } = this.options
    while (!signal.aborted)
      try {
        await this.work(signal)
      } catch (error) {
        if (error instanceof Ended) await this.end(error.message).catch(reason => log.warn(NOT_DISABLED, { reason }))
        if (error instanceof Ended || error instanceof LostWebhook) break
        if (signal.aborted) break
        log.warn("events could not be sent", { webhook_id: webhook.id, error })
        await pause(AGAIN_MS, signal).catch(() => {})
      }
    receiver.close()
    await this.note().catch(() => {}) // sent again then
  }

  private async end(reason: string): Promise<void> {
    await this.note()
    await disable(this.options.database, this.options.webhook, reason)
  }

  private async work(signal: AbortSignal): Promise<void> {
    await this.note() // what could not be noted before
    while (!signal.aborted) {
      const mark = this.options.pulse.mark()
      const now = performance.now()
      const view = now >= this.quietUntil && (await this.isPending()) ? await this.view() : undefined
      const due = view ? await this.due() : []
      const { rows, upTo, isEnd } = view && now >= this.heldUntil ? await this.fresh(view) : this.nothing()
      const sent = view ? await this.send({ view, due, fresh: rows }, signal) : "held"
      if (sent === "all") this.cursor = upTo
      if (sent === "some" || (sent === "all" && (due.length + rows.length > 0 || !isEnd))) continue
      if (performance.now() - this.notedAt > IDLE_NOTE_MS) await this.note()
      const beat = this.options.pulse.beat(mark, signal)
      await (this.attempted.length > 0 ? Promise.race([beat, Bun.sleep(IDLE_NOTE_MS)]) : beat)
    }
  }

  /** Whether there may be something to send. */
  private async isPending(): Promise<boolean> {
    const { database, webhook } = this.options
    if ((await lastEvent(database, webhook.workspace_id)) > this.cursor) return true
    return (await this.due(1)).length > 0
  }

  /** What it may hear of now. @throws Ended when whoever it belongs to has no access any more */
  private async view(): Promise<View> {
    const { webhook, holders } = this.options
    const made = JSON.parse(webhook.view) as View
    const holder = await holders.find(webhook.holder, webhook.workspace_id)
    if (!holder) throw new Ended("the key, token or user that it belongs to has no access any more")
    return { ...withinBoth(made, holder.view), own: made.own ?? holder.view.own }
  }

  private async fresh(view: View) {
    const { database, webhook } = this.options
    const types = webhook.types === null ? null : (JSON.parse(webhook.types) as string[])
    return readEvents(database, view, { after: this.cursor, types, limit: this.failures > 0 ? 1 : PAGE })
  }

  private nothing = (): Awaited<ReturnType<typeof readEvents>> => ({ rows: [], upTo: this.cursor, isEnd: true })

  private due(limit = DUE): Promise<Due[]> {
    const { database, webhook } = this.options
    return database
      .selectFrom("webhook_deliveries")
      .selectAll()
      .where("webhook_id", "=", webhook.id)
      .where("next_at", "<=", timeOf(database))
      .orderBy("next_at")
      .orderBy("seq")
      .limit(limit)
      .execute()
  }

  /**
   * In turn. @returns `some` where the look at what it may hear of is too old for the rest; `held` where the receiver asks
   * for quiet, or fails too often
   */
  private async send(
    { view, due, fresh }: { view: View; due: Due[]; fresh: EventRow[] },
    signal: AbortSignal,
  ): Promise<"all" | "some" | "held"> {
    const known = await this.eventsOf(view, due)
    const until = performance.now() + VIEW_MS
    let isOld = false
    for (let at = 0; at < Math.max(due.length, fresh.length); at++) {
      isOld = at > 0 && performance.now() > until
      if (isOld) break
      const again = due[at]
      if (again) await this.sendAgain(again, known.get(again.seq), signal)
      if (performance.now() < this.quietUntil) break
      const row = fresh[at]
      if (!row) continue
      if (performance.now() < this.heldUntil) break
      const lastAt = new Date().toISOString()
      const outcome = await this.options.receiver.send(messageOf(row), signal)
      const { seq, id: eventId, type } = row
      this.cursor = seq
      this.came({ seq, eventId, type, isAgain: false, attempts: 0, tries: 0, firstAt: lastAt }, outcome, lastAt)
      await this.noteWhenDue()
    }
    if (due.length > 0) await this.note() // else they would be found again
    if (isOld) return "some"
    const isAll = this.cursor >= (fresh.at(-1)?.seq ?? 0) && performance.now() >= this.quietUntil
    return isAll ? "all" : "held"
  }

  private async sendAgain(row: Due, event: EventRow | undefined, signal: AbortSignal): Promise<void> {
    if (performance.now() < this.quietUntil) return
    const { seq, event_id: eventId, type, attempts, tries, first_at: firstAt } = row
    const lastAt = new Date().toISOString()
    const before = { seq, eventId, type, isAgain: true, attempts, tries, firstAt }
    if (event) this.came(before, await this.options.receiver.send(messageOf(event), signal), lastAt)
    else this.attempted.push({ ...before, status: "failed", outcome: NOT_TOLD, lastAt })
    await this.noteWhenDue()
  }

  /** Those of the deliveries that are still kept, and still its to hear of, by their number. */
  private async eventsOf(view: View, due: readonly Due[]): Promise<Map<number, EventRow>> {
    if (due.length === 0) return new Map()
    const { database } = this.options
    const rows = await database
      .selectFrom("events")
      .select(["seq", "id", "type", "data", "created_at"])
      .where(
        "seq",
        "in",
        due.map(({ seq }) => seq),
      )
      .where(heardBy(database, view))
      .execute()
    return new Map(rows.map(row => [row.seq, row]))
  }

  /** @throws Ended once the receiver is to be left alone */
  private came(
    before: Pick<Attempted, "seq" | "eventId" | "type" | "isAgain" | "attempts" | "tries" | "firstAt">,
    outcome: Outcome,
    lastAt: string,
  ): void {
    const { error, statusCode, retryAfterMs } = outcome
    const tries = before.tries + 1
    if (error === null) {
      this.failures = 0
      this.attempted.push({ ...before, status: "succeeded", attempts: before.attempts + 1, tries, outcome, lastAt })
      return
    }
    this.failures++
    this.heldUntil = performance.now() + holdAfter(this.failures)
    if (retryAfterMs !== undefined) this.quietUntil = performance.now() + retryAfterMs
    const isFree = retryAfterMs !== undefined && isPatient(before.firstAt)
    const attempts = before.attempts + (isFree ? 0 : 1)
    const waitMs = isFree ? retryAfterMs : waitAfter(attempts)
    const isLast = waitMs === undefined || statusCode === GONE
    this.attempted.push({
      ...{ ...before, attempts, tries, outcome, lastAt },
      ...(waitMs === undefined ? { status: "failed" } : { status: "pending", waitMs }),
    })
    if (isLast)
      throw new Ended(
        statusCode === GONE
          ? "the receiver answered 410: it wants no more events"
          : `an event was not taken in ${tries} attempts: ${error}`,
      )
  }

  private async noteWhenDue(): Promise<void> {
    if (this.attempted.length >= NOTE_AFTER || performance.now() - this.notedAt > NOTE_MS) await this.note()
  }

  private async note(): Promise<void> {
    const { database, webhook, owner } = this.options
    this.notedAt = performance.now()
    if (this.attempted.length === 0 && this.cursor - this.notedCursor < MOVED) return
    const attempted = this.attempted
    const { cursor } = this
    await note(database, webhook, owner, { cursor, attempted })
    this.attempted = []
    this.notedCursor = cursor
  }
}

/** Events of others, or of other types, after which the cursor is noted though nothing was sent. */
const MOVED = 10_000
const GONE = 410
const NOT_DISABLED = "a webhook could not be disabled"
const NOT_TOLD: Outcome = {
  statusCode: null,
  response: null,
  error: "the event is not kept any more, or no longer for this webhook to hear of",
  durationMs: 0,
  retryAfterMs: undefined,
}

/** As it is signed and sent. */
const messageOf = ({ id, type, data, created_at }: EventRow) => ({
  id,
  body: JSON.stringify({ type, timestamp: created_at, data: JSON.parse(data) }),
})
