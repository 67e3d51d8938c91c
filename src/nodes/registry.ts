/** The rows of nodes. Every time is the database's: clocks of nodes differ. */
import { sql } from "kysely"
import { newId } from "../id.ts"
import type { Database, Executor } from "../storage/database.ts"
import type { NodeRole, NodesTable } from "../storage/nodes.ts"
import { timeOf } from "../storage/shared.ts"

export interface NodeDescription {
  /** For people. */
  name: string
  /** Where other nodes reach it; null where there are none. */
  url: string | null
  role: NodeRole
  /** Of the product. */
  version: string
}

/** Ended nodes are kept so long, for people who look. */
const KEPT_MS = 24 * 3_600_000
/** A node that lives is seen several times meanwhile. */
const SEEN_MS = 15_000

/** @returns the id of the new node */
export async function enter(
  database: Executor,
  description: NodeDescription,
  id: string = newId("node"),
): Promise<string> {
  const now = timeOf(database)
  await database
    .insertInto("nodes")
    .values({ id, ...description, started_at: now, seen_at: now, ended_at: null })
    .execute()
  await database.deleteFrom("nodes").where("ended_at", "<", timeOf(database, -KEPT_MS)).execute()
  return id
}

/** @returns what the database's clock showed; undefined when the node has been declared dead */
export async function renew(database: Database, id: string): Promise<string | undefined> {
  const row = await database
    .updateTable("nodes")
    .set({ seen_at: timeOf(database) })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .returning("seen_at")
    .executeTakeFirst()
  return row?.seen_at
}

/** @returns those that ended by this call, and by no other */
export async function endSilent(database: Database, self: string, deadAfterMs: number): Promise<string[]> {
  const rows = await database
    .updateTable("nodes")
    .set({ ended_at: timeOf(database) })
    .where("ended_at", "is", null)
    .where("id", "!=", self)
    .where("seen_at", "<", timeOf(database, -deadAfterMs))
    .returning("id")
    .execute()
  return rows.map(({ id }) => id)
}

export async function end(database: Database, id: string): Promise<void> {
  await database
    .updateTable("nodes")
    .set({ ended_at: timeOf(database) })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .execute()
}

/** Where one process at a time uses the database, all that are in its rows are of former ones. */
export async function endAll(database: Executor): Promise<void> {
  await database
    .updateTable("nodes")
    .set({ ended_at: timeOf(database) })
    .where("ended_at", "is", null)
    .execute()
}

/** Those that were seen a moment ago, for a command that wants none of them. */
export function livingNodes(database: Database): Promise<NodesTable[]> {
  return database
    .selectFrom("nodes")
    .selectAll()
    .where("ended_at", "is", null)
    .where("seen_at", ">", timeOf(database, -SEEN_MS))
    .execute()
}

/** Those that take part, the longest first. */
export function alive(database: Database): Promise<NodesTable[]> {
  return database.selectFrom("nodes").selectAll().where("ended_at", "is", null).orderBy("started_at").execute()
}

export function find(database: Database, id: string): Promise<NodesTable | undefined> {
  return database.selectFrom("nodes").selectAll().where("id", "=", id).executeTakeFirst()
}

/** What the database's clock shows. */
export async function readClock(database: Database): Promise<number> {
  const { rows } = await sql<{ now: string }>`select ${timeOf(database)} as now`.execute(database)
  return Date.parse(rows[0]!.now)
}
