/**
 * A child process behind the fence (see fence.ts): where anything runs that a document, a caller or a model could turn
 * against the daemon or make endless. It answers one request at a time, and is killed when a request takes too long, too
 * much memory or too many threads, or when nobody waits for it any more. It never outlives the daemon.
 */
import { closeSync, fstatSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import type { Subprocess } from "bun"
import { selfCommand } from "../native/self.ts"
import { sendDescriptors, socketPair } from "./descriptors.ts"
import type { FencePlan, FenceReport } from "./fence.ts"
import { linesOf } from "./lines.ts"

/** Daemon → child: one line. Open files go beside it. */
export interface ParentMessage<Ask> {
  ask: Ask
  fileCount: number
}

/** Child → daemon: one line. `ready` comes first and once, `answer` ends a request. */
export type ChildMessage<Answer, Progress> = { ready: FenceReport } | { progress: Progress } | { answer: Answer }

export interface ChildLimits {
  timeoutMs: number
  /** Time on a processor, which a busy machine does not shorten; unbounded where absent. */
  cpuMs?: number
  /** Memory that is its own or shared, mapped files aside, bytes. */
  memoryBytes: number
  /** By how much the given files may grow, together: those that lie in memory. Bounded by the fence alone where absent. */
  writtenBytes?: number
}

export interface AskOptions<Progress> {
  limits: ChildLimits
  signal: AbortSignal
  /** Open files for the child, which gets copies of the descriptors. */
  files?: number[]
  /** `allowMore` moves the deadline. */
  onProgress?: (progress: Progress, allowMore: (ms: number) => void) => void
}

/** Why a child came to its end while it worked; `stopped`: its pool was. */
export class ChildEnded extends Error {
  constructor(
    readonly reason: "time" | "memory" | "died" | "stopped",
    message: string,
  ) {
    super(message)
  }
}

const WATCH_MS = 50
/** The runtime has ten, and some for each processor; each further one is memory that a limit on memory sees late. */
const MAX_THREADS = 64 + 2 * availableParallelism()
/** Of one reply; parsing so much takes the daemon ten milliseconds. */
const MAX_LINE_BYTES = 2 ** 20
/** The rest of the memory limit is for WebAssembly and for what lies outside of the collector's heap. */
const HEAP_SHARE = 0.25
/** What the kernel itself refuses lies above what the watch allows, which looks now and then only. */
const HARD_MEMORY_FACTOR = 4
const MAX_FILE_BYTES = 8 * 2 ** 30

export interface FenceOptions {
  /** `limits.memoryBytes` of the requests to come. */
  memoryBytes: number
  /** What it may open by itself: nothing by default. */
  readable?: string[]
}

/** Argument vector of a fenced child. @param command Carrel's hidden command that runs in it */
export function fencedCommand(command: string, { memoryBytes, readable = [] }: FenceOptions): string[] {
  const plan: FencePlan = {
    command: [...selfCommand(), command],
    parent: process.pid,
    readable,
    fileBytes: MAX_FILE_BYTES,
    memoryBytes: memoryBytes * HARD_MEMORY_FACTOR,
    // The only variable it gets. Without it, on a machine with much memory, a text of 600 MB leaves 1 GB of garbage
    // before the first collection; with it, the reader stays at 330 MB.
    environment: { BUN_JSC_forceRAMSize: String(Math.floor(memoryBytes * HEAP_SHARE)) },
  }
  return [...selfCommand(), "fenced", JSON.stringify(plan)]
}

interface Open {
  onAnswer(answer: unknown): void
  onProgress(progress: unknown): void
  onEnd(error: ChildEnded): void
}

export class FencedChild<Ask, Answer, Progress = never> {
  ended = false
  asked = 0
  /** What its last request was allowed. */
  private allowedBytes = Number.POSITIVE_INFINITY
  /** What holds of the fence; rejects with ChildEnded where the child did not come up. */
  readonly ready: Promise<FenceReport>
  private readonly process: Subprocess<"pipe", "pipe", "ignore">
  private readonly filesSocket: number
  readonly exited: Promise<void>
  private open: Open | undefined

  constructor(command: string[]) {
    const [own, other] = socketPair()
    this.filesSocket = own
    try {
      this.process = Bun.spawn(command, { stdio: ["pipe", "pipe", "ignore", other], env: {} }) as Subprocess<
        "pipe",
        "pipe",
        "ignore"
      >
    } catch (error) {
      closeSync(own)
      throw error
    } finally {
      closeSync(other)
    }
    const ready = Promise.withResolvers<FenceReport>()
    ready.promise.catch(() => {}) // who asks first hears of it
    this.ready = ready.promise
    this.exited = this.process.exited.then(() => {
      this.ended = true
      closeSync(own)
      const error = new ChildEnded("died", `the process ended (${this.process.signalCode ?? this.process.exitCode})`)
      ready.reject(error)
      this.open?.onEnd(error)
    })
    void this.listen(ready.resolve)
  }

  get pid(): number {
    return this.process.pid
  }

  /** Without mapped files. */
  get memoryBytes(): number {
    return usageOf(this.pid).memoryBytes
  }

  /** Whether it holds more than its last request was allowed, which nothing but an attack does once it has answered. */
  get isTooLarge(): boolean {
    return this.memoryBytes > this.allowedBytes
  }

  /** @throws ChildEnded, or the reason of the signal; the child is then killed */
  async ask(ask: Ask, { limits, signal, files = [], onProgress }: AskOptions<Progress>): Promise<Answer> {
    if (this.open) throw new Error("a child answers one request at a time")
    this.asked++
    this.allowedBytes = limits.memoryBytes
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    promise.catch(() => {}) // nobody waits for it where the abort came first
    const watch = new Watch(this.pid, { limits, files }, reject)
    const abort = () => reject(signal.reason)
    signal.addEventListener("abort", abort)
    this.open = {
      onAnswer: answer => resolve(answer as Answer),
      onProgress: progress => onProgress?.(progress as Progress, ms => watch.allow(ms)),
      onEnd: reject,
    }
    try {
      signal.throwIfAborted()
      if (this.ended) throw new ChildEnded("died", "the process has ended")
      if (files.length > 0) sendDescriptors(this.filesSocket, files)
      this.send({ ask, fileCount: files.length })
      return await promise
    } catch (error) {
      await this.kill() // half way through a request it is of no more use
      throw error
    } finally {
      watch.stop()
      signal.removeEventListener("abort", abort)
      this.open = undefined
    }
  }

  async kill(): Promise<void> {
    this.ended = true
    this.process.kill("SIGKILL")
    await this.exited
  }

  private send(message: ParentMessage<Ask>): void {
    const { stdin } = this.process
    // A child that ends while it is spoken to is heard of by its end.
    const ignore = () => {}
    Promise.try(() => stdin.write(`${JSON.stringify(message)}\n`)).catch(ignore)
    Promise.try(() => stdin.flush()).catch(ignore)
  }

  private async listen(ready: (report: FenceReport) => void): Promise<void> {
    try {
      for await (const line of linesOf(this.process.stdout, MAX_LINE_BYTES)) {
        const message = JSON.parse(line) as ChildMessage<unknown, unknown>
        if ("ready" in message) ready(message.ready)
        else if ("answer" in message) this.open?.onAnswer(message.answer)
        else if ("progress" in message) this.open?.onProgress(message.progress)
      }
    } catch (error) {
      // What cannot be read was not written by our code.
      this.open?.onEnd(new ChildEnded("died", `the process said something unreadable: ${(error as Error).message}`))
      void this.kill()
    }
  }
}

/** Watches time, memory and threads of one request. */
class Watch {
  private deadline: number
  private readonly cpuLimitMs: number
  private readonly timer: Timer
  private readonly limits: ChildLimits
  private readonly files: number[]
  private readonly givenBytes: number

  constructor(
    private readonly pid: number,
    { limits, files }: { limits: ChildLimits; files: number[] },
    private readonly reject: (error: ChildEnded) => void,
  ) {
    this.limits = limits
    this.files = limits.writtenBytes === undefined ? [] : files
    this.givenBytes = bytesOf(this.files)
    this.deadline = performance.now() + limits.timeoutMs // no clock that is set ahead ends a request
    this.cpuLimitMs = limits.cpuMs === undefined ? Number.POSITIVE_INFINITY : usageOf(pid).cpuMs + limits.cpuMs
    this.timer = setInterval(() => this.check(), WATCH_MS)
  }

  allow(ms: number): void {
    this.deadline += ms
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private wroteTooMuch(): boolean {
    const { writtenBytes } = this.limits
    return writtenBytes !== undefined && bytesOf(this.files) - this.givenBytes > writtenBytes
  }

  private check(): void {
    const { memoryBytes, threads, cpuMs } = usageOf(this.pid)
    if (performance.now() > this.deadline || cpuMs > this.cpuLimitMs)
      this.reject(new ChildEnded("time", "the request took too long"))
    else if (memoryBytes > this.limits.memoryBytes || threads > MAX_THREADS || this.wroteTooMuch())
      this.reject(new ChildEnded("memory", "the request took too much memory"))
  }
}

/** Of open files, holes not counted. */
const bytesOf = (files: number[]): number => files.reduce((sum, fd) => sum + fstatSync(fd).blocks * BLOCK_BYTES, 0)
const BLOCK_BYTES = 512

interface Usage {
  /** Without mapped files. */
  memoryBytes: number
  threads: number
  cpuMs: number
}

const MS_PER_TICK = 10

/** What a process uses; nothing where the system does not tell. */
function usageOf(pid: number): Usage {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1")
    const field = (name: RegExp) => Number(name.exec(status)?.[1] ?? 0)
    // Fields 14 and 15 of proc(5), counted from behind the name, which may hold anything.
    const times = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)!.split(" ")
    return {
      memoryBytes: (field(/^RssAnon:\s+(\d+)/m) + field(/^RssShmem:\s+(\d+)/m)) * 1024,
      threads: field(/^Threads:\s+(\d+)/m),
      cpuMs: (Number(times[11]) + Number(times[12])) * MS_PER_TICK,
    }
  } catch {
    return { memoryBytes: 0, threads: 0, cpuMs: 0 }
  }
}
