/**
 * bun:sqlite under Kysely, made for disks that are slow. One connection writes, in a thread of its own: what writes takes
 * turns at it, a whole transaction at a time, so that a statement beside a transaction waits instead of joining it. Another
 * reads, on this thread, and waits for nothing: what is read is in memory most of the time, and a commit holds up no reader.
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
import type { Reader } from "./reader.ts"
import { BEGIN, COMMIT, ROLLBACK, type Writer } from "./writer.ts"

/** All are closed with the database. */
export interface Connections {
  writer: Writer
  reader: Sqlite
  apart: Reader
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

  async commitTransaction(): Promise<void> {
    await this.connections.writer.run(COMMIT)
  }

  async rollbackTransaction(): Promise<void> {
    await this.connections.writer.run(ROLLBACK)
  }

  async releaseConnection(connection: Turn): Promise<void> {
    connection.end()
  }

  async destroy(): Promise<void> {
    this.connections.reader.close()
    await this.connections.apart.close()
    await this.connections.writer.close()
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

  constructor(
    private readonly connections: Connections,
    private readonly take: () => Promise<() => void>,
  ) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.leave) {
      if (isRead(query)) return read<R>(this.connections.reader, query)
      this.leave = await this.take()
    }
    const { rows, changes, lastInsertRowid } = await this.connections.writer.run(query.sql, query.parameters)
    return { rows: rows as R[], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  // biome-ignore lint/correctness/useYield: nothing streams rows; the interface wants the method
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("rows are not streamed: read a page of them")
  }

  async begin(): Promise<void> {
    this.leave = await this.take()
    await this.connections.writer.run(BEGIN)
  }

  end(): void {
    this.leave?.()
    this.leave = undefined
  }
}

const isRead = ({ query, sql }: CompiledQuery): boolean =>
  query.kind === "SelectQueryNode" || (query.kind === "RawNode" && /^\s*select\b/i.test(sql))

/** Statements are cached by Bun per SQL text. */
function read<R>(sqlite: Sqlite, { sql, parameters }: CompiledQuery): QueryResult<R> {
  return { rows: sqlite.query(sql).all(...(parameters as never[])) as R[] }
}
