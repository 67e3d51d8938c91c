/**
 * bun:sqlite under Kysely, made for disks that are slow. One connection writes: what writes takes turns at it, a whole
 * transaction at a time, so that a statement beside a transaction waits instead of joining it. Another reads, and waits
 * for nothing: a commit that hangs on the disk would else hold up every reader behind it.
 *
 * A statement blocks the thread until it is done, and a commit until the disk is. Between two that took long the event
 * loop turns, so that requests, leases and signals wait for one commit at most and not for the queue of them.
 */
import type { Database as Sqlite } from "bun:sqlite"
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely"
import { commitSeconds } from "../metrics.ts"

/** Long enough for requests to notice; what takes less is not worth a turn of the loop, which costs some 0.05 ms. */
const GIVE_WAY_MS = 5

/** Both are closed with the database. */
export interface Connections {
  writer: Sqlite
  reader: Sqlite
}

export const dialect = (connections: Connections): Dialect => ({
  createDriver: () => new TurnsDriver(connections),
  createAdapter: () => new ConcurrentAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: database => new SqliteIntrospector(database),
})

/** Keeps Kysely from queueing readers behind writers: the driver has its own turns. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class TurnsDriver implements Driver {
  private last: Promise<void> = Promise.resolve()

  constructor(private readonly connections: Connections) {}

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new Turn(this.connections, () => this.next())
  }

  async beginTransaction(connection: Turn): Promise<void> {
    await connection.begin()
  }

  async commitTransaction(connection: Turn): Promise<void> {
    connection.commit()
  }

  async rollbackTransaction(connection: Turn): Promise<void> {
    connection.rollback()
  }

  async releaseConnection(connection: Turn): Promise<void> {
    await connection.end()
  }

  async destroy(): Promise<void> {
    this.connections.reader.close()
    this.connections.writer.close()
  }

  /** Waits for the turns that were asked for before; resolves with what ends this one. */
  private async next(): Promise<() => void> {
    const before = this.last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.last = promise
    await before
    return resolve
  }
}

/** What Kysely holds for one query or one transaction. */
class Turn implements DatabaseConnection {
  /** Set from the first statement that writes until the end. */
  private leave: (() => void) | undefined
  private blockedMs = 0

  constructor(
    private readonly connections: Connections,
    private readonly take: () => Promise<() => void>,
  ) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.leave) {
      if (isRead(query)) return run<R>(this.connections.reader, query)
      this.leave = await this.take()
    }
    return this.timed(() => run<R>(this.connections.writer, query), changedSomething)
  }

  // biome-ignore lint/correctness/useYield: nothing streams rows; the interface wants the method
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("rows are not streamed: read a page of them")
  }

  async begin(): Promise<void> {
    this.leave = await this.take()
    this.connections.writer.run("begin")
  }

  commit(): void {
    this.timed(() => this.connections.writer.run("commit"))
  }

  /** A disk in trouble makes SQLite roll back by itself; the error that tells of it must not be lost for another. */
  rollback(): void {
    if (this.connections.writer.inTransaction) this.connections.writer.run("rollback")
  }

  async end(): Promise<void> {
    if (!this.leave) return
    if (this.blockedMs > GIVE_WAY_MS) await new Promise(resolve => setImmediate(resolve))
    this.leave()
    this.leave = undefined
  }

  private timed<T>(work: () => T, counts: (result: T) => boolean = () => true): T {
    const began = performance.now()
    let committed = true // one that failed has waited for the disk as well
    try {
      const result = work()
      committed = counts(result) && !this.connections.writer.inTransaction
      return result
    } finally {
      const took = performance.now() - began
      this.blockedMs += took
      if (committed) commitSeconds.observe(took / 1000)
    }
  }
}

const changedSomething = ({ rows, numAffectedRows = 0n }: QueryResult<unknown>): boolean =>
  rows.length > 0 || numAffectedRows > 0n
const isRead = ({ query, sql }: CompiledQuery): boolean =>
  query.kind === "SelectQueryNode" || (query.kind === "RawNode" && /^\s*select\b/i.test(sql))

/** Statements are cached by Bun per SQL text. */
function run<R>(sqlite: Sqlite, { sql, parameters }: CompiledQuery): QueryResult<R> {
  const statement = sqlite.query(sql)
  if (statement.columnNames.length > 0) return { rows: statement.all(...(parameters as never[])) as R[] }
  const { changes, lastInsertRowid } = statement.run(...(parameters as never[]))
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
}
