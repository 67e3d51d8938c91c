/**
 * Runs statements over tables in fenced processes. A process serves one version of one file and sheet, and keeps the table
 * for the next statement: what a statement does to it, were it to break out of SQLite, reaches no other file.
 */
import { open } from "node:fs/promises"
import { ChildPool } from "../threads/child-pool.ts"
import { ChildEnded, type FencedChild, fencedCommand } from "../threads/fenced-child.ts"
import type { TableReply, TableRequest } from "./table-types.ts"
import { ToolError } from "./tool-error.ts"

/** A file whose table is read. */
export interface TableFile {
  /** Names its workspace, the file and its bytes: other bytes have another. */
  version: string
  /** A copy on this machine; asked for where the table is not kept. */
  local(signal: AbortSignal): Promise<{ path: string } & AsyncDisposable>
  /** Calls `listener` when the file has changed or is gone. @returns ends that */
  listen(listener: () => void): () => void
}

export interface TableReader {
  /**
   * @param key who asks: keys share the processes fairly
   * @throws ToolError when the process had to be killed or died
   */
  read(file: TableFile, request: TableRequest, key: string, signal: AbortSignal): Promise<TableReply>
}

const TIMEOUT_MS = 20_000
const MAX_MEMORY_BYTES = 1_000_000_000
/** At work or with a table that is kept. More at once would starve the rest of the daemon; one workspace uses two of them at most. */
const MAX_PROCESSES = 3
/** Each waits for others for a minute or so at worst. */
const MAX_WAITING = 64
/** Statements come within moments of each other: those of one answer, and of the next questions. */
const KEEP_MS = 120_000
/** A larger table is read anew. One of 50 000 rows and 20 columns takes a third of that. */
const MAX_KEPT_BYTES = 400_000_000
/** After so many statements a process is replaced, because libraries leak. */
const MAX_STATEMENTS = 1_000

export interface TableProcessesOptions {
  timeoutMs?: number
  maxMemoryBytes?: number
}

type TableProcess = FencedChild<TableRequest, TableReply>

export class TableProcesses implements TableReader {
  private readonly pool: ChildPool<TableRequest, TableReply>
  private readonly timeoutMs: number
  private readonly memoryBytes: number
  /** Their files have changed since. */
  private readonly stale = new WeakSet<TableProcess>()
  private readonly working = new WeakSet<TableProcess>()

  constructor({ timeoutMs = TIMEOUT_MS, maxMemoryBytes = MAX_MEMORY_BYTES }: TableProcessesOptions = {}) {
    this.timeoutMs = timeoutMs
    this.memoryBytes = maxMemoryBytes
    this.pool = new ChildPool({
      command: fencedCommand("table", { memoryBytes: maxMemoryBytes }),
      places: MAX_PROCESSES,
      waiting: MAX_WAITING,
      refusal: "Too many tables are being queried at present.",
      retryAfterSeconds: 10,
      answersPerChild: MAX_STATEMENTS,
      keepWarmMs: KEEP_MS,
      maxWarmBytes: MAX_KEPT_BYTES,
    })
  }

  async read(file: TableFile, request: TableRequest, key: string, signal: AbortSignal): Promise<TableReply> {
    const table = JSON.stringify([file.version, request.sheet?.trim().toLowerCase() ?? null])
    try {
      return await this.pool.use(key, signal, child => this.ask(child, file, request, signal), table)
    } catch (error) {
      if (error instanceof ChildEnded) throw new ToolError(this.explain(error))
      if (signal.aborted) throw new ToolError("The query was stopped.")
      throw error
    }
  }

  stop(): Promise<void> {
    return this.pool.stop()
  }

  /** Processes there are, and for tests whether a table was kept. */
  get pids(): number[] {
    return this.pool.pids
  }

  private async ask(
    child: TableProcess,
    file: TableFile,
    request: TableRequest,
    signal: AbortSignal,
  ): Promise<TableReply> {
    this.working.add(child)
    try {
      const reply = await (child.asked === 0
        ? this.first(child, file, request, signal)
        : this.next(child, request, signal))
      if (this.stale.has(child) || (!reply.ok && !reply.table)) await child.kill()
      return reply
    } catch (error) {
      if (!child.ended) await child.kill() // it has no table
      throw error
    } finally {
      this.working.delete(child)
    }
  }

  /** Reads the table, which is kept until the file changes. */
  private async first(
    child: TableProcess,
    file: TableFile,
    request: TableRequest,
    signal: AbortSignal,
  ): Promise<TableReply> {
    const ignore = file.listen(() => {
      this.stale.add(child)
      if (!this.working.has(child)) void child.kill()
    })
    void child.exited.then(ignore)
    await using copy = await file.local(signal)
    const opened = await open(copy.path, "r")
    try {
      return await this.next(child, request, signal, [opened.fd])
    } finally {
      await opened.close()
    }
  }

  private next(child: TableProcess, request: TableRequest, signal: AbortSignal, files: number[] = []) {
    const limits = { timeoutMs: this.timeoutMs, memoryBytes: this.memoryBytes }
    return child.ask(request, { limits, signal, files })
  }

  private explain({ reason }: ChildEnded): string {
    if (reason === "time") return `The query took longer than ${this.timeoutMs / 1000} s and was stopped. Ask for less.`
    if (reason === "memory") return "The query needed too much memory and was stopped. Ask for less."
    return "The file cannot be read as a table."
  }
}
