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
    const data: EventRecord[] = []
    let place = await this.place(view, after)
    for (let isEnd = false; !isEnd && data.length < limit; ) {
      const read = await readEvents(this.options.database, view, { after: place, types, limit: limit - data.length })
      data.push(...read.rows.map(toEventRecord))
      place = read.upTo
      isEnd = read.isEnd
      if (!isEnd) await Bun.sleep(0) // a long look past what is not the caller's is no stop for all others
    }
    const passed = types && data.length < limit ? await this.lastHeard(view, place) : undefined
    return { data, next: passed ?? data.at(-1)?.id ?? after ?? null }
  }

  /** Of any type: who asks for rare ones comes on with the others, and is not left behind with an event that is swept. */
  private async lastHeard(view: View, upTo: number): Promise<string | undefined> {
    const { database } = this.options
    const recent = database
      .selectFrom("events")
      .selectAll()
      .where("workspace_id", "=", view.workspaceId)
      .where("seq", "<=", upTo)
      .orderBy("seq", "desc")
      .limit(WINDOW)
    const event = await database
      .selectFrom(recent.as("events"))
      .select("id")
      .where(heardBy(database, view))
      .orderBy("seq", "desc")
      .limit(1)
      .executeTakeFirst()
    return event?.id
  }

  /** What came after, and whatever comes, until the signal aborts. To be called once `check` found nothing wrong. */
  async *follow(view: View, { after, types }: Omit<FeedRequest, "limit">, signal: AbortSignal) {
    const { database, pulse } = this.options
    for (let place = await this.place(view, after); !signal.aborted; ) {
      const known = pulse.mark()
      const { rows, upTo, isEnd } = await readEvents(database, view, { after: place, types, limit: PAGE })
      for (const row of rows) yield toEventRecord(row)
      place = upTo
      await (isEnd ? pulse.beat(known, signal) : Bun.sleep(0))
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

/** Events that one query looks at: most of them may be none of the caller's. */
const WINDOW = 2_000

/**
 * The next events that a caller hears of. Those of a workspace are numbered in the order of their commits, so that what is
 * read up to a number stays what there is up to it.
 * @returns `upTo`: where to go on from, beyond the last row where what follows is none of the caller's; `isEnd`: there is
 *   nothing behind it yet
 */
export async function readEvents(
  database: Executor,
  view: View,
  { after, types, limit }: Reading,
): Promise<{ rows: EventRow[]; upTo: number; isEnd: boolean }> {
  // Looked up first: what comes meanwhile is found the next time.
  const last = await lastEvent(database, view.workspaceId)
  if (last <= after) return { rows: [], upTo: after, isEnd: true }
  const ofWorkspace = database
    .selectFrom("events")
    .where("workspace_id", "=", view.workspaceId)
    .where("seq", ">", after)
    .where("seq", "<=", last)
    .orderBy("seq")
  const rows = await database
    .selectFrom(ofWorkspace.selectAll().limit(WINDOW).as("events"))
    .select(["seq", "id", "type", "data", "created_at"])
    .where(heardBy(database, view))
    .$if(Boolean(types), query => query.where("type", "in", [...types!]))
    .orderBy("seq")
    .limit(limit)
    .execute()
  if (rows.length === limit) return { rows, upTo: rows.at(-1)!.seq, isEnd: rows.at(-1)!.seq === last }
  const end = await ofWorkspace
    .select("seq")
    .offset(WINDOW - 1)
    .limit(1)
    .executeTakeFirst()
  return { rows, upTo: end?.seq ?? last, isEnd: end === undefined || end.seq === last }
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
