/**
 * What a key may use: requests and tokens of a day in UTC, and bytes that it holds. What a request begins within the quota
 * it ends. Scoped tokens use their key's.
 */
import { sql } from "kysely"
import { type Quota, stored } from "../../access/limits.ts"
import type { View } from "../../access/view.ts"
import { AppError } from "../../errors.ts"
import { quotaRefusals } from "../../metrics.ts"
import type { Database, Executor } from "../../storage/database.ts"
import type { Measure } from "../../storage/usage.ts"
import { isPostgres } from "../../storage/words.ts"

const DAY_MS = 86_400_000
/** Seconds after which asking again makes sense where bytes are held until files go. */
const RETRY_BYTES_S = 3_600

/** A request that is to be counted. */
interface Asking {
  workspaceId: string
  keyId: string
  limit: number
}

interface Day {
  day: string
  used: number
}

export class Quotas {
  /** Requests of this day, of keys with a quota of them; on one machine alone. */
  private readonly days = new Map<string, Day | Promise<Day>>()

  /** @param settle makes the database know what was counted here */
  constructor(
    private readonly database: Database,
    private readonly settle: () => Promise<void>,
  ) {}

  /** Counts one request. @throws AppError quota_exceeded */
  async takeRequest(asking: Asking): Promise<void> {
    const isTaken = isPostgres(this.database) ? await this.takeShared(asking) : await this.takeHere(asking)
    if (!isTaken) throw exceeded("requests_per_day", asking.limit)
  }

  /** The key has no quota of requests now: what is known of its day would miss those that pass. */
  forget(keyId: string): void {
    if (this.days.size > 0) this.days.delete(keyId)
  }

  /** Looks before a model is asked. @throws AppError quota_exceeded */
  async needTokens(view: View): Promise<void> {
    const limit = (await quotaOf(this.database, view))?.tokens_per_day
    if (limit === undefined) return
    await this.settle()
    const used = await usedToday(this.database, view.workspaceId, keyOf(view)!, ["prompt_tokens", "completion_tokens"])
    if (used >= limit) throw exceeded("tokens_per_day", limit)
  }

  private async takeHere(asking: Asking): Promise<boolean> {
    const { keyId, limit } = asking
    const day = dayNow()
    let known = await this.days.get(keyId)
    if (known?.day !== day) {
      // Whoever came meanwhile has begun to look already.
      const present = this.days.get(keyId)
      const looking = present instanceof Promise ? present : this.look(asking, day)
      this.days.set(keyId, looking)
      known = await looking.catch(error => {
        this.days.delete(keyId)
        throw error
      })
      this.days.set(keyId, known)
    }
    if (known.used >= limit) return false
    known.used++
    return true
  }

  private async look({ workspaceId, keyId }: Asking, day: string): Promise<Day> {
    await this.settle()
    return { day, used: await usedToday(this.database, workspaceId, keyId, ["requests"]) }
  }

  /** One row for all nodes; the commit need not wait for the disk, for which the nodes' own counts stand in. */
  private async takeShared({ workspaceId, keyId, limit }: Asking): Promise<boolean> {
    const day = dayNow()
    return this.database.transaction().execute(async trx => {
      await sql`set local synchronous_commit = off`.execute(trx)
      const add = () =>
        sql<{ taken: boolean }>`update usage_days
          set requests = requests + case when requests < ${limit}::bigint then 1 else 0 end
          from (select requests as before from usage_days where key_id = ${keyId} and day = ${day} for update) as former
          where key_id = ${keyId} and day = ${day} returning before < ${limit}::bigint as taken`.execute(trx)
      const { rows } = await add()
      if (rows[0]) return rows[0].taken
      const before = await usedToday(trx, workspaceId, keyId, ["requests"])
      await sql`delete from usage_days where key_id = ${keyId} and day < ${day}`.execute(trx)
      await sql`insert into usage_days (key_id, day, requests) values (${keyId}, ${day}, ${before})
        on conflict (key_id, day) do nothing`.execute(trx)
      return (await add()).rows[0]!.taken
    })
  }
}

/** In the transaction that takes files in, behind their rows. @throws AppError quota_exceeded, which undoes it */
export async function refuseBeyondQuota(executor: Executor, view: View): Promise<void> {
  const limit = (await quotaOf(executor, view))?.bytes_stored
  if (limit !== undefined && (await heldBy(executor, keyOf(view)!)) > limit) throw exceeded("bytes_stored", limit)
}

/** Bytes that the key may still take; infinite without a quota. */
export async function roomOf(executor: Executor, view: View): Promise<{ room: number; limit: number }> {
  const limit = (await quotaOf(executor, view))?.bytes_stored ?? Number.POSITIVE_INFINITY
  return { limit, room: limit === Number.POSITIVE_INFINITY ? limit : limit - (await heldBy(executor, keyOf(view)!)) }
}

async function heldBy(executor: Executor, keyId: string): Promise<number> {
  const { held } = await executor
    .selectFrom("files")
    .select(eb => eb.fn.coalesce(eb.fn.sum<number>("size"), sql<number>`0`).as("held"))
    .where("payer_key", "=", keyId)
    .executeTakeFirstOrThrow()
  return Number(held)
}

const keyOf = ({ author }: View): string | undefined => (author?.type === "key" ? author.id : undefined)

async function quotaOf(executor: Executor, view: View): Promise<Quota | null> {
  const id = keyOf(view)
  if (id === undefined) return null
  const row = await executor.selectFrom("api_keys").select("quota").where("id", "=", id).executeTakeFirst()
  return stored<Quota>(row?.quota ?? null)
}

async function usedToday(
  executor: Executor,
  workspaceId: string,
  keyId: string,
  measures: readonly Measure[],
): Promise<number> {
  const sum = sql.join(
    measures.map(name => sql.ref(name)),
    sql` + `,
  )
  const mine = sql`workspace_id = ${workspaceId} and key_id = ${keyId} and hour >= ${dayNow()}`
  const { rows } = await sql<{ used: number }>`select coalesce(sum(used), 0) as used from (
    select ${sum} as used from usage_hours where ${mine}
    union all select ${sum} as used from usage_entries where ${mine}) as counted`.execute(executor)
  return Number(rows[0]!.used)
}

const dayNow = (): string => new Date().toISOString().slice(0, 10)

/** Of a day it is reset at midnight in UTC; bytes come free when files are deleted, and no time is told. */
export function exceeded(quota: keyof Quota, limit: number): AppError {
  quotaRefusals.inc({ quota })
  const midnight = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS
  const isOfDay = quota !== "bytes_stored"
  return new AppError("quota_exceeded", {
    message: isOfDay
      ? `the key has used up its ${quota} (${limit}) for today`
      : `the key would hold more than its ${limit} bytes: delete files, or ask for a larger quota`,
    details: [{ quota, limit, resets_at: isOfDay ? new Date(midnight).toISOString() : null }],
    retryAfter: isOfDay ? Math.max(1, Math.ceil((midnight - Date.now()) / 1_000)) : RETRY_BYTES_S,
  })
}
