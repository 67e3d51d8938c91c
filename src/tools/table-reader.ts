/** Runs statements over tables in fenced processes, one statement each. */
import { open } from "node:fs/promises"
import { ChildPool } from "../threads/child-pool.ts"
import { ChildEnded, fencedCommand } from "../threads/fenced-child.ts"
import type { TableReply, TableRequest } from "./table-types.ts"
import { ToolError } from "./tool-error.ts"

export interface TableReader {
  /**
   * @param key who asks: keys share the processes fairly
   * @throws ToolError when the process had to be killed or died
   */
  read(path: string, request: TableRequest, key: string, signal: AbortSignal): Promise<TableReply>
}

const TIMEOUT_MS = 20_000
const MAX_MEMORY_BYTES = 1_000_000_000
/** More at once would starve the rest of the daemon; one workspace uses two of them at most. */
const MAX_PROCESSES = 3
/** Each waits for others for a minute or so at worst. */
const MAX_WAITING = 64

export interface TableProcessesOptions {
  timeoutMs?: number
  maxMemoryBytes?: number
}

export class TableProcesses implements TableReader {
  private readonly pool: ChildPool<TableRequest, TableReply>
  private readonly timeoutMs: number
  private readonly memoryBytes: number

  constructor({ timeoutMs = TIMEOUT_MS, maxMemoryBytes = MAX_MEMORY_BYTES }: TableProcessesOptions = {}) {
    this.timeoutMs = timeoutMs
    this.memoryBytes = maxMemoryBytes
    this.pool = new ChildPool({
      command: fencedCommand("table", { memoryBytes: maxMemoryBytes }),
      places: MAX_PROCESSES,
      waiting: MAX_WAITING,
      refusal: "Too many tables are being queried at present.",
      retryAfterSeconds: 10,
      answersPerChild: 1, // the next table may be another workspace's
      keepWarmMs: 0,
    })
  }

  async read(path: string, request: TableRequest, key: string, signal: AbortSignal): Promise<TableReply> {
    const file = await open(path, "r")
    try {
      const limits = { timeoutMs: this.timeoutMs, memoryBytes: this.memoryBytes }
      return await this.pool.ask(request, key, { limits, signal, files: [file.fd] })
    } catch (error) {
      if (error instanceof ChildEnded) throw new ToolError(this.explain(error))
      if (signal.aborted) throw new ToolError("The query was stopped.")
      throw error
    } finally {
      await file.close()
    }
  }

  stop(): Promise<void> {
    return this.pool.stop()
  }

  private explain({ reason }: ChildEnded): string {
    if (reason === "time") return `The query took longer than ${this.timeoutMs / 1000} s and was stopped. Ask for less.`
    if (reason === "memory") return "The query needed too much memory and was stopped. Ask for less."
    return "The file cannot be read as a table."
  }
}
