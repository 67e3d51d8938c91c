/** Tells ahead of what would come as a surprise: keys that expire, and a disk that fills. Each is told once. */
import { statfs } from "node:fs/promises"
import { sql } from "kysely"
import { log } from "../log.ts"
import type { Database, Trx } from "../storage/database.ts"
import { timeOf } from "../storage/shared.ts"
import { pause } from "../threads/or-abort.ts"
import { emit } from "./outbox.ts"

const DAY_MS = 24 * 3_600_000
/** Days before its end at which a key is told of. */
const DAYS_AHEAD = [7, 1]
const LOOK_MS = 60_000
/** Keys of one look. */
const KEYS = 500
/** Free space is enough again at this multiple of the threshold: it does not tell at every file that comes and goes. */
const RECOVERED = 1.1

/** Calls `look` now and then until the signal aborts. */
export async function everyMinute(look: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await look().catch(error => {
      if (!signal.aborted) log.warn("what comes could not be told ahead", { error })
    })
    await pause(LOOK_MS, signal).catch(() => {})
  }
}

/** `key.expiring`, seven days and one day before the end; at once for a key that lasts no longer. */
export async function tellOfKeys(database: Database): Promise<void> {
  for (const [at, days] of [...DAYS_AHEAD.entries()].reverse()) {
    const nearer = DAYS_AHEAD[at + 1] ?? 0
    const keys = await database
      .selectFrom("api_keys")
      .select(["id", "workspace_id", "expires_at"])
      .where("revoked_at", "is", null)
      .where("expires_at", ">", timeOf(database, nearer * DAY_MS))
      .where("expires_at", "<=", timeOf(database, days * DAY_MS))
      .where(
        sql<boolean>`not exists (select 1 from event_marks
          where name = 'key ' || api_keys.id || ${` ${days} `} || api_keys.expires_at)`,
      )
      .limit(KEYS)
      .execute()
    for (const { id, workspace_id, expires_at } of keys)
      await database.transaction().execute(async trx => {
        if (await mark(trx, `key ${id} ${days} ${expires_at}`))
          await emit(trx, workspace_id, [{ type: "key.expiring", data: { id, expires_at } }])
      })
  }
}

export interface WatchedDisk {
  /** What it is called in the event: of one machine `storage`, of several the node's name. */
  id: string
  directory: string
  /** 0: it is never low. */
  lowBytes: number
  /** Tests say what is free. */
  free?: (directory: string) => Promise<number>
}

/** `storage.low` in every workspace, and again only after there was enough space. */
export async function tellOfStorage(database: Database, disk: WatchedDisk): Promise<void> {
  const { id, directory, lowBytes, free = freeBytes } = disk
  const left = await free(directory)
  const name = `storage ${id}`
  if (left >= lowBytes * RECOVERED) {
    // Looked for first: a disk that has space is the rule.
    const told = await database.selectFrom("event_marks").select("name").where("name", "=", name).executeTakeFirst()
    if (told) await database.deleteFrom("event_marks").where("name", "=", name).execute()
    return
  }
  if (left >= lowBytes) return
  await database.transaction().execute(async trx => {
    if (!(await mark(trx, name))) return
    const workspaces = await trx.selectFrom("workspaces").select("id").orderBy("id").execute()
    for (const workspace of workspaces)
      await emit(trx, workspace.id, [
        { type: "storage.low", data: { id, free_bytes: left, threshold_bytes: lowBytes } },
      ])
  })
}

/** @returns false where it was told already */
async function mark(trx: Trx, name: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("event_marks")
    .values({ name, created_at: timeOf(trx) })
    .onConflict(conflict => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
