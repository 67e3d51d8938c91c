/** The feed: events of a workspace in the order in which they happened, page by page or as they come. */
import { type Selectable, sql } from "kysely"
import type { View } from "../access/view.ts"
import { invalid } from "../errors.ts"
import type { Database, Executor } from "../storage/database.ts"
import type { EventsTable } from "../storage/events.ts"
import type { Pulse } from "./pulse.ts"
import type { EventRecord, EventType } from "./types.ts"
import { heardBy } from "./visible.ts"

export interface FeedRequest {
  /** Id of an event: only what came after it. */
  after?: string | undefined
  types?: readonly EventType[] | undefined
  limit: number
}

export type EventRow = Pick<Selectable<EventsTable>, "seq" | "id" | "type" | "data" | "created_at">

/** Events read at a time by who follows. */
const PAGE = 200

export interface FeedOptions {
  database: Database
  pulse: Pulse
  /** Events are kept so long. */
  keptDays: number
}

export class EventFeed {
  constructor(private readonly options: FeedOptions) {}

  /**
   * `next` is what goes as `after` into the next request, whether or not there is more yet; null while there is nothing.
   * @throws AppError invalid_request for an `after` that is unknown here
   */
  async page(view: View, { after, types, limit }: FeedRequest): Promise<{ data: EventRecord[]; next: string | null }> {
    const { database } = this.options
    const { rows } = await readEvents(database, view, { after: await this.place(view, after), types, limit })
    return { data: rows.map(toEventRecord), next: rows.at(-1)?.id ?? after ?? null }
  }

  /** What came after, and whatever comes, until the signal aborts. To be called once `check` found nothing wrong. */
  async *follow(view: View, { after, types }: Omit<FeedRequest, "limit">, signal: AbortSignal) {
    const { database, pulse } = this.options
    for (let place = await this.place(view, after); !signal.aborted; ) {
      const known = pulse.mark()
      const { rows, upTo } = await readEvents(database, view, { after: place, types, limit: PAGE })
      for (const row of rows) yield toEventRecord(row)
      place = upTo
      if (rows.length < PAGE) await pulse.beat(known, signal)
    }
  }

  /** @throws AppError invalid_request */
  async check(view: View, after: string | undefined): Promise<void> {
    await this.place(view, after)
  }

  private async place(view: View, after: string | undefined): Promise<number> {
    if (after === undefined) return 0
    const event = await this.options.database
      .selectFrom("events")
      .select("seq")
      .where("id", "=", after)
      .where("workspace_id", "=", view.workspaceId)
      .executeTakeFirst()
    if (event) return event.seq
    throw invalid(
      "after",
      `names no event that is kept: they are for ${this.options.keptDays} days. Leave it out to begin with the oldest, and compare what is there (GET /external/libraries) where events may have been missed`,
    )
  }
}

interface Reading {
  /** `seq` behind which to begin. */
  after: number
  types?: readonly string[] | null | undefined
  limit: number
}

/**
 * The next events that a caller hears of. Those of a workspace are numbered in the order of their commits, so that what is
 * read up to a number stays what there is up to it.
 * @returns `upTo`: where to go on from; beyond the last row where there was no other
 */
export async function readEvents(
  database: Executor,
  view: View,
  { after, types, limit }: Reading,
): Promise<{ rows: EventRow[]; upTo: number }> {
  // Looked up first: what comes meanwhile is found the next time.
  const last = await lastEvent(database, view.workspaceId)
  if (last <= after) return { rows: [], upTo: after }
  const rows = await database
    .selectFrom("events")
    .select(["seq", "id", "type", "data", "created_at"])
    .where("seq", ">", after)
    .where("seq", "<=", last)
    .where(heardBy(database, view))
    .$if(Boolean(types), query => query.where("type", "in", [...types!]))
    .orderBy("seq")
    .limit(limit)
    .execute()
  return { rows, upTo: rows.length < limit ? last : rows.at(-1)!.seq }
}

/** `seq` of the newest event of a workspace; 0 where there is none. */
export async function lastEvent(executor: Executor, workspaceId: string): Promise<number> {
  const row = await executor
    .selectFrom("events")
    .select(sql<number | null>`max(seq)`.as("seq"))
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst()
  return Number(row?.seq ?? 0)
}

const toEventRecord = ({ id, type, data, created_at }: EventRow): EventRecord => ({
  id,
  type: type as EventType,
  timestamp: created_at,
  data: JSON.parse(data),
})
