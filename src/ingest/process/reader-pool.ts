import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { ExtractionError } from "../../storage/document.ts"
import { fencedCommand } from "../../threads/fenced-child.ts"
import type { ChunkOptions } from "../chunk.ts"
import { DEFAULT_OCR_LIMITS, type OcrLimits } from "../formats/ocr/ocr-budget.ts"
import type { ReadDocument } from "../index-file.ts"
import { openResult, removeResult } from "./read-result.ts"
import { type Progress, ReaderChild, ReaderDied } from "./reader-child.ts"
import type { Outline, ReadRequest } from "./reader-protocol.ts"

export interface ReaderPoolOptions {
  /** Reader processes at the same time, one per core at most. */
  size: number
  /** A reader above this is killed and its file is `corrupt_file`. */
  memoryLimitBytes: number
  /** Milliseconds that a file of this size may take, before time for OCR. */
  timeoutFor?: (sizeBytes: number) => number
  ocrLanguagesDirectory?: string
  chunkOptions?: ChunkOptions
  /** Results pass through here; made when missing. */
  temporaryDirectory: string
  /** Starts a reader process; Carrel itself behind its fence by default. */
  command?: string[]
  /** An idle reader ends after this long. */
  keepWarmMs?: number
  /** Milliseconds that each page read by OCR adds to the time-out. */
  perOcrPageMs?: number
  /** What text recognition one file may have. */
  ocrLimits?: OcrLimits
  /** A reader is replaced after this many files, because parsers leak. */
  filesPerReader?: number
}

/** A minute, and 2 s for each megabyte: PDF text comes at 8 MB/s on a free core, and cores are seldom free. */
const defaultTimeout = (sizeBytes: number) => 60_000 + (sizeBytes / 1_000_000) * 2_000
const KEEP_WARM_MS = 15_000
/** A dense page takes 9 s on a free core. */
const PER_OCR_PAGE_MS = 60_000
const FILES_PER_READER = 100

export interface FileToRead {
  path: string
  name: string
  /** Extension. */
  type: string
  /** Bytes. */
  size: number
  /** A reader reads files of one workspace only: one that was taken over learns nothing of another. */
  workspaceId?: string
}

/**
 * Reads files in child processes: at most `size` at once, further calls wait their turn. Children start with the first
 * file, stay warm for the next of the same workspace, and end when there is none.
 */
export class ReaderPool {
  /** Those that rested longest come first. */
  private readonly idle = new Map<ReaderChild, { workspaceId: string; timer: Timer }>()
  private readonly busy = new Set<ReaderChild>()
  private readonly waiting: (() => void)[] = []
  private running = 0
  private stopped = false
  private results = 0

  constructor(private readonly options: ReaderPoolOptions) {
    mkdirSync(options.temporaryDirectory, { recursive: true, mode: 0o700 })
  }

  /** Its result is to be closed. @throws ExtractionError, or the reason of `signal`. */
  async read(file: FileToRead, onProgress: Progress, signal: AbortSignal): Promise<ReadDocument> {
    await this.turn(signal)
    try {
      return await this.readNow(file, onProgress, signal)
    } finally {
      this.running--
      this.waiting.shift()?.()
    }
  }

  /** Process ids of the readers there are. */
  get pids(): number[] {
    return [...this.idle.keys(), ...this.busy].map(child => child.pid)
  }

  /** Kills all readers; reads under way fail. */
  async stop(): Promise<void> {
    this.stopped = true
    for (const { timer } of this.idle.values()) clearTimeout(timer)
    await Promise.all([...this.idle.keys(), ...this.busy].map(child => child.kill()))
    this.idle.clear()
    for (const wake of this.waiting.splice(0)) wake()
  }

  private async turn(signal: AbortSignal): Promise<void> {
    while (!this.stopped && this.running >= this.options.size) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.waiting.push(resolve)
      signal.addEventListener("abort", () => resolve(), { once: true })
      await promise
      const at = this.waiting.indexOf(resolve)
      if (at >= 0) this.waiting.splice(at, 1)
      if (signal.aborted) {
        // The turn, if this was one, goes to the next.
        if (at < 0) this.waiting.shift()?.()
        throw signal.reason
      }
    }
    if (this.stopped) throw new ExtractionError("internal_error", "the readers are stopped", true)
    this.running++
  }

  private async readNow(file: FileToRead, onProgress: Progress, signal: AbortSignal): Promise<ReadDocument> {
    const resultPath = join(this.options.temporaryDirectory, `read-${process.pid}-${++this.results}`)
    try {
      return await openResult(resultPath, await this.readTo(resultPath, file, onProgress, signal))
    } catch (error) {
      await removeResult(resultPath)
      throw error
    }
  }

  private async readTo(
    resultPath: string,
    file: FileToRead,
    onProgress: Progress,
    signal: AbortSignal,
  ): Promise<Outline> {
    const child = this.take(file.workspaceId ?? "")
    const fresh = child.filesRead === 0
    try {
      return await this.readWith(child, resultPath, file, onProgress, signal)
    } catch (error) {
      if (!(error instanceof ReaderDied)) throw error
      if (this.stopped) throw new ExtractionError("internal_error", "the readers are stopped", true)
      // What earlier files left behind may be the cause; only a fresh reader's end speaks against the file.
      if (!fresh) return this.readTo(resultPath, file, onProgress, signal)
      throw new ExtractionError("corrupt_file", "the file makes its reader crash", false, { cause: error })
    }
  }

  private async readWith(
    child: ReaderChild,
    resultPath: string,
    file: FileToRead,
    onProgress: Progress,
    signal: AbortSignal,
  ): Promise<Outline> {
    const {
      memoryLimitBytes,
      timeoutFor = defaultTimeout,
      perOcrPageMs = PER_OCR_PAGE_MS,
      ocrLanguagesDirectory,
      ocrLimits = DEFAULT_OCR_LIMITS,
      chunkOptions,
    } = this.options
    const { path, name, type } = file
    const request: ReadRequest = { name, type, ocrLimits }
    if (ocrLanguagesDirectory) request.ocrLanguagesDirectory = ocrLanguagesDirectory
    if (chunkOptions) request.chunkOptions = chunkOptions
    this.busy.add(child)
    try {
      // The reader stops recognising by itself; the page that it is at may go on.
      const ocrMs = ocrLimits.seconds * 1000 + perOcrPageMs
      const limits = { timeoutMs: timeoutFor(file.size), perOcrPageMs, ocrMs, memoryBytes: memoryLimitBytes }
      return await child.read(request, { path, resultPath }, limits, onProgress, signal)
    } finally {
      this.busy.delete(child)
      this.release(child, file.workspaceId ?? "")
    }
  }

  /** The workspace's reader that rested least, or a new one in the place of another's. */
  private take(workspaceId: string): ReaderChild {
    const known = [...this.idle].findLast(([child, rest]) => rest.workspaceId === workspaceId && !child.ended)?.[0]
    if (known) {
      this.wake(known)
      return known
    }
    const [longest] = this.idle.keys()
    if (longest && this.idle.size + this.busy.size >= this.options.size) {
      this.wake(longest)
      void longest.kill()
    }
    const { command, memoryLimitBytes, ocrLanguagesDirectory } = this.options
    const readable = ocrLanguagesDirectory ? [ocrLanguagesDirectory] : []
    return new ReaderChild(command ?? fencedCommand("reader", { memoryBytes: memoryLimitBytes, readable }))
  }

  private wake(child: ReaderChild): void {
    clearTimeout(this.idle.get(child)?.timer)
    this.idle.delete(child)
  }

  private release(child: ReaderChild, workspaceId: string): void {
    if (child.ended) return
    const { filesPerReader = FILES_PER_READER, keepWarmMs = KEEP_WARM_MS } = this.options
    if (this.stopped || child.filesRead >= filesPerReader) {
      void child.kill()
      return
    }
    const timer = setTimeout(() => {
      this.idle.delete(child)
      void child.kill()
    }, keepWarmMs)
    timer.unref()
    this.idle.set(child, { workspaceId, timer })
  }
}
