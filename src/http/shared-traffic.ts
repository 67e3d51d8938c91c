/** Requests of all nodes per key and minute, in a table of PostgreSQL: each node adds its own every few seconds. */
import { sql } from "kysely"
import { Trouble } from "../log.ts"
import type { Database } from "../storage/database.ts"
import { MINUTES, type Traffic } from "./traffic.ts"

/** What other nodes show lags so far behind. */
const ADD_MS = 5_000

export class SharedTraffic implements Traffic, AsyncDisposable {
  private pending = new Map<string, number>()
  private adding: Promise<void> = Promise.resolve()
  private readonly round: ReturnType<typeof setInterval>
  private readonly trouble = new Trouble({ begins: "requests cannot be noted for the console's plots" })

  constructor(private readonly database: Database) {
    this.round = setInterval(() => void this.add(), ADD_MS)
    this.round.unref()
  }

  count(keyId: string): void {
    this.pending.set(keyId, (this.pending.get(keyId) ?? 0) + 1)
  }

  async lastHour(keyIds: readonly string[]): Promise<Map<string, number[]>> {
    await this.add()
    if (keyIds.length === 0) return new Map()
    const { rows } = await sql<{ key_id: string; age: number; requests: number }>`
      select key_id, ${THIS_MINUTE} - minute as age, requests from traffic
      where key_id = any(${[...keyIds]}::text[]) and minute > ${THIS_MINUTE} - ${MINUTES}::bigint`.execute(
      this.database,
    )
    const hours = new Map<string, number[]>()
    for (const { key_id, age, requests } of rows) {
      const minutes = hours.get(key_id) ?? new Array<number>(MINUTES).fill(0)
      hours.set(key_id, minutes)
      minutes[MINUTES - 1 - Math.max(0, age)]! += requests
    }
    return hours
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.round)
    await this.add()
  }

  /** Adds what has come since the last time, one after the other; what cannot be added is tried again. */
  private add(): Promise<void> {
    this.adding = this.adding.then(() => this.addPending())
    return this.adding
  }

  private async addPending(): Promise<void> {
    const { pending } = this
    if (pending.size === 0) return
    this.pending = new Map()
    // In one order, so that nodes wait for each other instead of for ever.
    const rows = [...pending].sort(([left], [right]) => (left < right ? -1 : 1))
    try {
      await sql`
        insert into traffic as present (key_id, minute, requests)
          select key_id, ${THIS_MINUTE}, requests
          from unnest(${rows.map(([id]) => id)}::text[], ${rows.map(([, count]) => count)}::bigint[]) as added (key_id, requests)
        on conflict (key_id, minute) do update set requests = present.requests + excluded.requests`.execute(
        this.database,
      )
      await sql`delete from traffic where minute <= ${THIS_MINUTE} - ${MINUTES}::bigint`.execute(this.database)
      this.trouble.clear()
    } catch (error) {
      for (const [keyId, requests] of pending) this.pending.set(keyId, (this.pending.get(keyId) ?? 0) + requests)
      this.trouble.note(error)
    }
  }
}

/** Since the epoch, by the database's clock. */
const THIS_MINUTE = sql`floor(extract(epoch from statement_timestamp()) / 60)::bigint`
