/** The PostgreSQL of a cluster as our database: `pg` under Kysely. Its driver is loaded here, in cluster mode alone. */

import { CompiledQuery, Kysely, PostgresDialect } from "kysely"
import type { Client } from "pg"
import { type Database, readDirectly, type Value } from "../database.ts"
import { MIGRATIONS } from "../migrations/index.ts"
import type { Schema } from "../schema.ts"
import { addressOf } from "./address.ts"
import { checkServer, type Migrations, migrate } from "./migrate.ts"
import { clientConfig, openPool, type PoolSettings } from "./pool.ts"
import { refusalOf } from "./trouble.ts"

export interface PostgresOptions {
  /** Connections at most, where the URL does not say (`pool_size`). Default 10: a server gives 100 to all its clients. */
  poolSize?: number
  /** What the server's operator sees; the URL's `application_name` goes before it. Default `carrel`. */
  applicationName?: string
  /** Longest wait for a connection. Default 5 s. */
  connectTimeoutMs?: number
  /** Longest wait for an answer: a server that takes longer hangs. Default 15 s. */
  queryTimeoutMs?: number
  /** Looks at the server, and at whatever else is to be in order, before anything is written; what it throws ends the opening. */
  before?: (database: Database) => Promise<void>
  /** Asked where the database has migrations which this version does not know: whether it may use it; not, where absent. */
  mayBeNewer?: (database: Database) => Promise<boolean>
}

const POOL_SIZE = 10
const CONNECT_TIMEOUT_MS = 5_000
const QUERY_TIMEOUT_MS = 15_000

/**
 * Opens a database and migrates it forward.
 * @param url see `addressOf`
 * @throws OperatorError for what the operator has to mend, such as credentials, an old server, or tables of another
 *   product; nothing was written then. EngineError while the server cannot be reached: worth another try
 */
export async function openPostgres(
  url: string,
  options: PostgresOptions = {},
  migrations: Migrations = MIGRATIONS,
): Promise<Database> {
  const { client, place, poolSize = options.poolSize ?? POOL_SIZE } = addressOf(url)
  const { applicationName = "carrel", connectTimeoutMs = CONNECT_TIMEOUT_MS } = options
  const open = async (settings: Pick<PoolSettings, "size" | "queryTimeoutMs">): Promise<Database> => {
    const pool = await openPool(client, { ...settings, applicationName, connectTimeoutMs })
    return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  }
  const queryTimeoutMs = options.queryTimeoutMs ?? QUERY_TIMEOUT_MS
  const database = await open({ size: poolSize, queryTimeoutMs })
  const rows = async (text: string, values: readonly Value[]) =>
    (await database.executeQuery(CompiledQuery.raw(numbered(text), [...values]))).rows
  readDirectly(database, { changeMark: () => undefined, rows, apart: rows })
  try {
    await checkServer(database, place)
    await options.before?.(database)
    const patient = await open({ size: 1, queryTimeoutMs: 0 })
    const mayBeNewer = async () => (await options.mayBeNewer?.(database)) === true
    await migrate(patient, place, migrations, mayBeNewer).finally(() => patient.destroy())
  } catch (error) {
    await database.destroy()
    throw refusalOf(error, place) ?? error
  }
  return database
}

/**
 * Makes connections outside of the pool, not connected yet.
 * @param way `direct`: to the server itself, past a PgBouncer, for what belongs to a session, such as LISTEN
 */
export async function postgresClients(
  url: string,
  way: "usual" | "direct" = "usual",
  { applicationName = "carrel", connectTimeoutMs = CONNECT_TIMEOUT_MS }: PostgresOptions = {},
): Promise<() => Client> {
  const { Client } = (await import("pg")).default
  const { client, direct } = addressOf(url)
  const config = clientConfig(way === "direct" ? direct : client, { applicationName, connectTimeoutMs })
  return () => new Client(config)
}

/** `?` as PostgreSQL counts its parameters. */
function numbered(text: string): string {
  let count = 0
  return text.replaceAll("?", () => `$${++count}`)
}
