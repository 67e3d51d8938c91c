/**
 * Whose work is under way. A reply, a run, a leased job and a generation that is being written name the node that does it;
 * with the node's end the work is given up, and whoever looks may end it or take it over. Writes for such work name the
 * owner, so that those of a node that was declared dead, and does not know it yet, find nothing.
 */
import { type RawBuilder, sql } from "kysely"

export interface Owner {
  /** Of the node as it is now: one that was declared dead and came back has another. */
  readonly id: string
}

/** Whether the owner that a column such as `messages.owner` names has ended, or is not known. */
export const isGivenUp = (column: string): RawBuilder<boolean> =>
  sql<boolean>`not exists (select 1 from nodes where nodes.id = ${sql.ref(column)} and nodes.ended_at is null)`
