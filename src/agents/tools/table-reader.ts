/** Starts, watches and, past its time or memory, kills the processes that read tables. */
import { readFileSync } from "node:fs"
import type { TableReply, TableRequest } from "./table-types.ts"
import { ToolError } from "./tool-error.ts"

export interface TableReader {
  /** @throws ToolError when the process had to be killed or died */
  read(request: TableRequest, signal: AbortSignal): Promise<TableReply>
}

const TIMEOUT_MS = 20_000
const MAX_MEMORY_BYTES = 1_000_000_000
/** Shorter than a bomb needs to fill the memory from half the limit. */
const WATCH_INTERVAL_MS = 50
/** More at once would starve the rest of the daemon. */
const MAX_PROCESSES = 2

export interface TableProcessesOptions {
  timeoutMs?: number
  maxMemoryBytes?: number
}

export class TableProcesses implements TableReader {
  private running = 0
  private readonly waiting: (() => void)[] = []

  /** @param command argument vector that starts the table process */
  constructor(
    private readonly command: string[],
    private readonly options: TableProcessesOptions = {},
  ) {}

  async read(request: TableRequest, signal: AbortSignal): Promise<TableReply> {
    if (this.running >= MAX_PROCESSES) await new Promise<void>(resolve => this.waiting.push(resolve))
    else this.running++
    try {
      signal.throwIfAborted()
      return await this.run(request, signal)
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.running--
    }
  }

  private async run(request: TableRequest, signal: AbortSignal): Promise<TableReply> {
    const { timeoutMs = TIMEOUT_MS, maxMemoryBytes = MAX_MEMORY_BYTES } = this.options
    const child = Bun.spawn(this.command, {
      stdin: new Blob([JSON.stringify(request)]),
      stdout: "pipe",
      stderr: "ignore",
      env: { PATH: "/usr/bin:/bin" },
    })
    let problem: string | undefined
    const kill = (why: string) => {
      problem ??= why
      child.kill("SIGKILL")
    }
    const stop = () => kill("The query was stopped.")
    signal.addEventListener("abort", stop, { once: true })
    const timer = setTimeout(
      () => kill(`The query took longer than ${timeoutMs / 1000} s and was stopped. Ask for less.`),
      timeoutMs,
    )
    const watch = setInterval(() => {
      if (residentBytes(child.pid) > maxMemoryBytes)
        kill("The query needed too much memory and was stopped. Ask for less.")
    }, WATCH_INTERVAL_MS)
    try {
      const output = await new Response(child.stdout).text()
      await child.exited
      if (problem) throw new ToolError(problem)
      return parseReply(output)
    } finally {
      clearTimeout(timer)
      clearInterval(watch)
      signal.removeEventListener("abort", stop)
    }
  }
}

function parseReply(output: string): TableReply {
  try {
    return JSON.parse(output) as TableReply
  } catch {
    throw new ToolError("The file cannot be read as a table.")
  }
}

/** 0 where the system does not tell. */
function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096
  } catch {
    return 0
  }
}
