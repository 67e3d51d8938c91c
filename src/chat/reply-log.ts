/**
 * The events of replies in the database, so that nodes which do not reach the one that writes a reply can go on with its
 * stream: with the same events under the same numbers, those of the last moments missing. Kept as long after the reply as
 * its writer keeps its own.
 */
import { sql } from "kysely"
import type { Database, Executor } from "../storage/database.ts"
import type { NumberedEvent } from "./events.ts"
import { readEvent } from "./replay.ts"

/** How long the events of an ended reply can be replayed. */
const KEPT_MS = 5 * 60_000

export class ReplyLog {
  private sweptAt = 0

  constructor(private readonly database: Database) {}

  /** @param events in order, no number missing; some of them may be there already */
  async add(executor: Executor, messageId: string, events: readonly NumberedEvent[]): Promise<void> {
    const [first, last] = [events[0], events.at(-1)]
    if (!first || !last) return
    await executor
      .insertInto("reply_events")
      .values({
        message_id: messageId,
        first_event: first.id,
        last_event: last.id,
        events: JSON.stringify(events),
        saved_at: new Date().toISOString(),
      })
      .onConflict(conflict =>
        conflict
          .columns(["message_id", "first_event"])
          .doUpdateSet(eb => ({ events: eb.ref("excluded.events"), last_event: eb.ref("excluded.last_event") }))
          .whereRef("excluded.last_event", ">", "reply_events.last_event"),
      )
      .execute()
  }

  /**
   * Those after number `after`, as far as none is missing.
   * @returns isWhole: the last event of the reply is among them, or is `after`
   */
  async after(messageId: string, after: number): Promise<{ events: NumberedEvent[]; isWhole: boolean }> {
    const rows = await this.database
      .selectFrom("reply_events")
      .select("events")
      .where("message_id", "=", messageId)
      .where("last_event", ">=", after)
      .orderBy("first_event")
      .execute()
    const stored = rows.flatMap(row => (JSON.parse(row.events) as unknown[]).map(readEvent))
    const events: NumberedEvent[] = []
    for (const event of stored) if (event.id === after + events.length + 1) events.push(event)
    const last = events.at(-1) ?? stored.find(({ id }) => id === after)
    return { events, isWhole: last?.event === "done" }
  }

  async has(messageId: string): Promise<boolean> {
    const row = await this.database
      .selectFrom("reply_events")
      .select("message_id")
      .where("message_id", "=", messageId)
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  }

  /** Of a reply that is written anew. */
  async clear(executor: Executor, messageId: string): Promise<void> {
    await executor.deleteFrom("reply_events").where("message_id", "=", messageId).execute()
  }

  /** Removes what is kept long enough; does nothing when called again soon. */
  async sweep(): Promise<void> {
    const now = Date.now()
    if (now - this.sweptAt < KEPT_MS / 5) return
    this.sweptAt = now
    const horizon = new Date(now - KEPT_MS).toISOString()
    await sql`
      delete from reply_events where message_id in (
        select message_id from reply_events group by message_id having max(saved_at) < ${horizon}
      ) and exists (select 1 from messages where messages.id = message_id and finish_reason is not null)
    `.execute(this.database)
  }
}
