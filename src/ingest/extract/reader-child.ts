import { readFileSync } from "node:fs"
import type { Subprocess } from "bun"
import { ExtractionError } from "../../storage/document.ts"
import type { Outline, ReaderMessage, ReadRequest, ReadStage } from "./reader-protocol.ts"

export type Progress = (progress: { stage: ReadStage; progress: number }) => void

export interface ReadLimits {
  timeoutMs: number
  /** Further time for each page or picture that is read by OCR. */
  perOcrPageMs: number
  memoryBytes: number
}

const MEMORY_CHECK_MS = 100
/** The rest of the memory limit is for WebAssembly and for what lies outside of the collector's heap. */
const HEAP_SHARE = 0.25

/** The end of a child while it read, for a reason that lies in it and not in the file's format. */
export class ReaderDied extends Error {}

/** The parent's side of one reader process. Reads one file at a time; once it was killed or died it is `ended`. */
export class ReaderChild {
  ended = false
  filesRead = 0
  private readonly process: Subprocess<"ignore", "ignore", "ignore">
  private readonly exited: Promise<void>
  private onMessage: ((message: ReaderMessage) => void) | undefined

  /** `memoryBytes` is what the garbage collector is told to be there; it collects in time for it. */
  constructor(command: string[], memoryBytes: number) {
    this.process = Bun.spawn(command, {
      stdio: ["ignore", "ignore", "ignore"],
      serialization: "advanced",
      ipc: message => this.onMessage?.(message as ReaderMessage),
      // No variable of the daemon is for readers. Without this one, on a machine with much memory, a text of 600 MB
      // leaves 1 GB of garbage before the first collection; with it, the reader stays at 330 MB.
      env: { BUN_JSC_forceRAMSize: String(Math.floor(memoryBytes * HEAP_SHARE)) },
    })
    this.exited = this.process.exited.then(() => {
      this.ended = true
    })
  }

  get pid(): number {
    return this.process.pid
  }

  /**
   * Lets the child read and cut a file; text and chunks go to the files of `request.resultPath`.
   * @throws ExtractionError from the reader or for a limit (the child is then killed), ReaderDied, or the abort reason.
   */
  async read(request: ReadRequest, limits: ReadLimits, onProgress: Progress, signal: AbortSignal): Promise<Outline> {
    this.filesRead++
    const { promise, resolve, reject } = Promise.withResolvers<Outline>()
    promise.catch(() => {}) // nobody waits for it where the abort came first
    const watch = new Watch(this.pid, limits, reject)
    const abort = () => reject(signal.reason)
    signal.addEventListener("abort", abort)
    this.onMessage = message => {
      if (message.kind === "done") resolve(message.outline)
      else if (message.kind === "failed") reject(failure(message))
      else if (message.kind === "ocr_expected") watch.allow(message.count * limits.perOcrPageMs)
      else if (message.kind === "progress") onProgress({ stage: message.stage, progress: message.progress })
    }
    void this.exited.then(() =>
      reject(new ReaderDied(`the reader ended (${this.process.signalCode ?? this.process.exitCode})`)),
    )
    try {
      signal.throwIfAborted()
      this.process.send(request)
      return await promise
    } catch (error) {
      // A reader that said what is wrong is sound; one that was stopped half way is not.
      if (!(error instanceof ReaderFailure)) await this.kill()
      throw error
    } finally {
      watch.stop()
      signal.removeEventListener("abort", abort)
      this.onMessage = undefined
    }
  }

  async kill(): Promise<void> {
    this.ended = true
    this.process.kill("SIGKILL")
    await this.exited
  }
}

/** What the reader itself said about the file. */
class ReaderFailure extends ExtractionError {}

function failure({ code, message, detail }: Extract<ReaderMessage, { kind: "failed" }>): ReaderFailure {
  // A fault of the reader, unlike one of the file, may be gone next time.
  return new ReaderFailure(code, message, code === "internal_error", detail ? { cause: new Error(detail) } : undefined)
}

/** Watches time and memory of one read. */
class Watch {
  private deadline: number
  private readonly timer: Timer

  constructor(
    private readonly pid: number,
    private readonly limits: ReadLimits,
    private readonly reject: (error: Error) => void,
  ) {
    this.deadline = performance.now() + limits.timeoutMs // no clock that is set ahead ends a read
    this.timer = setInterval(() => this.check(), MEMORY_CHECK_MS)
  }

  allow(ms: number): void {
    this.deadline += ms
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private check(): void {
    if (performance.now() > this.deadline)
      this.reject(
        new ExtractionError("extraction_timeout", "reading the file took longer than is allowed for its size"),
      )
    else if (anonymousMemory(this.pid) > this.limits.memoryBytes)
      this.reject(new ExtractionError("corrupt_file", "reading the file took more memory than is allowed"))
  }
}

/** Memory of a process without mapped files, in bytes; 0 where the system does not tell. */
function anonymousMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1")
    return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
