/**
 * Connections to PostgreSQL, made for servers that fail over, hang, or stand behind a PgBouncer that pools by transaction:
 * nothing outlives a transaction, neither settings nor prepared statements, and a connection in doubt is not used again.
 */
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely"
import type { ClientConfig, Pool, PoolClient } from "pg"
import { EngineError } from "../../errors.ts"
import { log } from "../../log.ts"
import { asEngineError } from "./trouble.ts"

export interface PoolSettings {
  size: number
  applicationName: string
  /** Longest wait for a connection. */
  connectTimeoutMs: number
  /** Longest wait for an answer; 0 for as long as it takes. */
  queryTimeoutMs: number
}

/** How long a server keeps the locks of a node that died, or hangs, in the middle of a transaction. */
const IDLE_IN_TRANSACTION_MS = 10_000
const BEGIN = "begin"
const ROLLBACK = "rollback"
/** Connections that nobody used for so long are closed. */
const IDLE_MS = 60_000
/** So that a server that comes back, or a balancer, sees its share of connections again. */
const LIFETIME_S = 1_800

export async function openPool(client: ClientConfig, settings: PoolSettings): Promise<PostgresPool> {
  const { Pool, types } = (await import("pg")).default
  const { size, queryTimeoutMs } = settings
  const pool = new Pool({
    ...clientConfig(client, settings),
    max: size,
    query_timeout: queryTimeoutMs,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: LIFETIME_S,
    types: {
      getTypeParser: ((oid: number, format: "text") =>
        NUMBERS.has(oid) ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  })
  // Without a listener, a connection that breaks while nobody waits for it would end the process.
  pool.on("error", error => log.info("an idle connection to PostgreSQL ended", { error: error.message }))
  pool.on("connect", each => each.on("error", () => {})) // whoever waits for it is told
  const begin = boundedBegin(queryTimeoutMs)
  return { connect: async () => new Connection(await connected(pool), begin), end: () => pool.end(), options: {} }
}

/** One round trip. Within a transaction the server as well gives up what nobody waits for any more. */
const boundedBegin = (queryTimeoutMs: number): string =>
  `begin; set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}; set local statement_timeout = ${queryTimeoutMs}`

/** What each connection has in common, those outside of the pool included. */
export const clientConfig = (
  client: ClientConfig,
  { applicationName, connectTimeoutMs }: Pick<PoolSettings, "applicationName" | "connectTimeoutMs">,
): ClientConfig => ({
  application_name: applicationName,
  ...client,
  connectionTimeoutMillis: connectTimeoutMs,
  keepAlive: true,
})

/** int8 and numeric, by their ids in PostgreSQL's catalog: counts, sums and ids, all below 2^53. */
const NUMBERS = new Set([20, 1700])

/** Whatever keeps us out is the server's trouble, a password that it no longer takes included. */
async function connected(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (cause) {
    throw new EngineError("database", (cause as Error).message, { cause })
  }
}

class Connection implements PostgresPoolClient {
  /** It did not answer, or said that it serves no longer: what comes next of it may be the answer to another question. */
  private isDoubtful = false

  /** @param begin what begins a transaction */
  constructor(
    private readonly client: PoolClient,
    private readonly begin: string,
  ) {}

  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(
    text: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): PostgresCursor<R> | Promise<PostgresQueryResult<R>> {
    if (typeof text !== "string") throw new Error("rows are not streamed: read a page of them")
    return this.ask<R>(text, parameters)
  }

  private async ask<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    if (this.isDoubtful && text === ROLLBACK) return { command: "ROLLBACK", rowCount: 0, rows: [] }
    try {
      const result = await this.client.query(text === BEGIN ? this.begin : text, storable(parameters))
      return result as unknown as PostgresQueryResult<R>
    } catch (cause) {
      const error = asEngineError(cause)
      if (error instanceof EngineError) this.isDoubtful = true
      throw error
    }
  }

  release(destroy = false): void {
    this.client.release(destroy || this.isDoubtful)
  }
}

/** PostgreSQL has no text with a zero in it; a replacement character keeps all positions. */
const storable = (parameters: readonly unknown[]): unknown[] =>
  parameters.map(value =>
    typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value,
  )
