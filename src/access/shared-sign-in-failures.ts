/** Failures to sign in that nodes share in a table of PostgreSQL, by the database's clock. */
import { sql } from "kysely"
import { log } from "../log.ts"
import type { Database, Executor } from "../storage/database.ts"
import { delayAfter, FORGET_MS, keysOf, type SignInFailures, type Try } from "./sign-in-brake.ts"

/** A place to wait is free again so long after its delay, should its node have died. */
const WAITING_LEEWAY_MS = 2_000
const SWEEP_MS = 60_000

export class SharedSignInFailures implements SignInFailures {
  private sweptAt = performance.now()

  constructor(private readonly database: Database) {}

  begin(account: string, address: string): Promise<Try> {
    this.sweep()
    const keys = keysOf(account, address)
    return this.database.transaction().execute(async trx => {
      const rows = await held(trx, keys)
      const delay = Math.max(...rows.map(({ failures }) => delayAfter(failures)))
      if (delay === 0) {
        await count(trx, keys)
        return { counted: true }
      }
      const [, place] = keys
      if (rows.some(({ key, waits }) => key === place && waits)) return { refused: true, delay }
      await sql`update sign_in_failures set waiting_until = ${NOW} + ${delay + WAITING_LEEWAY_MS} where key = ${place}`.execute(
        trx,
      )
      return { waits: delay }
    })
  }

  async waited(account: string, address: string): Promise<void> {
    const keys = keysOf(account, address)
    await this.database.transaction().execute(async trx => {
      await held(trx, keys)
      await count(trx, keys)
      await sql`update sign_in_failures set waiting_until = 0 where key = ${keys[1]}`.execute(trx)
    })
  }

  /** The place of an address that waits stays taken. */
  async clear(account: string, address: string): Promise<void> {
    const keys = keysOf(account, address)
    await this.database.transaction().execute(async trx => {
      await held(trx, keys)
      await sql`update sign_in_failures set failures = 0 where key in (${keys[0]}, ${keys[1]})`.execute(trx)
    })
  }

  private sweep(): void {
    if (performance.now() - this.sweptAt < SWEEP_MS) return
    this.sweptAt = performance.now()
    sql`delete from sign_in_failures where last_at < ${NOW} - ${FORGET_MS} and waiting_until < ${NOW}`
      .execute(this.database)
      .catch(error => log.debug("old failures to sign in could not be removed", { error }))
  }
}

/** Milliseconds since the epoch; not the transaction's, which may have waited for its turn. */
const NOW = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`

interface Held {
  key: string
  failures: number
  /** A try waits. */
  waits: boolean
}

/** The rows of the keys, made where there are none; others wait for them till the end of the transaction. */
async function held(trx: Executor, [account, address]: readonly [string, string]): Promise<Held[]> {
  const { rows } = await sql<Held>`
    insert into sign_in_failures as present (key, failures, last_at, waiting_until)
      values (${account}, 0, ${NOW}, 0), (${address}, 0, ${NOW}, 0)
    on conflict (key) do update set
      failures = case when ${NOW} - present.last_at > ${FORGET_MS} then 0 else present.failures end
    returning key, failures, waiting_until > ${NOW} as waits`.execute(trx)
  return rows
}

const count = (trx: Executor, [account, address]: readonly [string, string]) =>
  sql`update sign_in_failures set failures = failures + 1, last_at = ${NOW} where key in (${account}, ${address})`.execute(
    trx,
  )
