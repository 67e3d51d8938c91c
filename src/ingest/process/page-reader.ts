/**
 * Asks fenced readers for the pages of documents: readers of their own, because whoever looks at a page does not wait
 * behind the recognition of a book. A document that hangs or breaks its reader costs that page only.
 */
import { type FileHandle, open } from "node:fs/promises"
import { ExtractionError } from "../../storage/document.ts"
import { ChildPool } from "../../threads/child-pool.ts"
import { ChildEnded, fencedCommand } from "../../threads/fenced-child.ts"
import type { PageBox, PageOutline } from "../pages/page.ts"
import type { Marks, OutlineRequest, PageAnswer, PageRequest } from "./page-protocol.ts"
import { type FileToRead, failureOf } from "./protocol.ts"
import type { MakeFile } from "./result-files.ts"

export interface PageReaderOptions {
  /** Reader processes at the same time. Of several one workspace never holds the last. */
  places: number
  /** Of a reader process. */
  memoryLimitBytes: number
  /** Results pass through such files. */
  makeFile: MakeFile
  /** Starts a reader process; Carrel itself behind its fence by default. */
  command?: string[]
  /** Milliseconds on a processor that one page may take. */
  pageCpuMs?: number
}

export interface ShowOptions {
  /** Counted from 1. */
  page: number
  /** Of the picture, in pixels; absent: none is wanted. */
  width?: number
  marks?: Marks
}

export interface ShownPage {
  /** PNG; empty where none was wanted. */
  picture: Uint8Array<ArrayBuffer>
  boxes: PageBox[]
}

/** A page takes some .2 s, one drawn from many thousand shades 7 s. */
const PAGE_CPU_MS = 20_000
/** Reading all texts again: 2 000 pages take some 10 s. */
const OUTLINE_CPU_MS = 60_000
/** A busy machine gives a reader a third of a processor. */
const PATIENCE = 3
const KEEP_WARM_MS = 30_000
const ANSWERS_PER_READER = 200
/** Requests that wait for a reader. */
const WAITING = 200
const WAITING_PER_WORKSPACE = 100

export interface PagedFile extends FileToRead {
  /** A reader sees files of one workspace only. */
  workspaceId: string
}

export class PageReader {
  private readonly readers: ChildPool<OutlineRequest | PageRequest, PageAnswer>

  constructor(private readonly options: PageReaderOptions) {
    const { places, command, memoryLimitBytes } = options
    this.readers = new ChildPool({
      command: command ?? fencedCommand("reader", { memoryBytes: memoryLimitBytes }),
      places,
      waiting: WAITING,
      waitingPerKey: WAITING_PER_WORKSPACE,
      refusal: "too many pages wait to be drawn",
      retryAfterSeconds: 2,
      answersPerChild: ANSWERS_PER_READER,
      keepWarmMs: KEEP_WARM_MS,
    })
  }

  /**
   * @param textPath the stored text, UTF-8
   * @returns undefined where files of its format have no pages that can be shown
   * @throws ExtractionError, AppError overloaded, the disk's error, or the reason of `signal`
   */
  async outline(file: PagedFile, textPath: string, signal: AbortSignal): Promise<PageOutline[] | undefined> {
    const { name, type } = file
    return this.ask(file, { ask: "outline", name, type }, [textPath], signal, async (answer, result) =>
      answer.kind === "no_pages" ? undefined : JSON.parse((await contentOf(result)).toString()),
    )
  }

  /** @returns undefined where there is no such page, or none that can be drawn. @throws as `outline` */
  async show(file: PagedFile, options: ShowOptions, signal: AbortSignal): Promise<ShownPage | undefined> {
    const { name, type } = file
    return this.ask(file, { ask: "page", name, type, ...options }, [], signal, async (answer, result) =>
      answer.kind === "shown" ? { picture: await contentOf(result), boxes: answer.boxes } : undefined,
    )
  }

  /** Process ids of the readers there are. */
  get pids(): number[] {
    return this.readers.pids
  }

  /** Kills all readers; what they are asked fails. */
  stop(): Promise<void> {
    return this.readers.stop()
  }

  /** A reader that breaks is replaced once: what earlier documents left behind, or the system, may be the cause. */
  private async ask<T>(
    file: PagedFile,
    request: OutlineRequest | PageRequest,
    further: readonly string[],
    signal: AbortSignal,
    take: Take<T>,
  ): Promise<T> {
    for (let broke = false; ; broke = true)
      try {
        return await this.askOnce(file, request, further, signal, take)
      } catch (error) {
        if (!(error instanceof ChildEnded)) throw error
        if (error.reason !== "died" || broke) throw FAILURES[error.reason](error)
      }
  }

  private async askOnce<T>(
    { path, workspaceId }: PagedFile,
    request: OutlineRequest | PageRequest,
    further: readonly string[],
    signal: AbortSignal,
    take: Take<T>,
  ): Promise<T> {
    await using stack = new AsyncDisposableStack()
    const opened = async (name: string, flags: string) => {
      const file = await open(name, flags, 0o600)
      stack.defer(() => file.close())
      return file
    }
    const files: FileHandle[] = []
    for (const name of [path, ...further]) files.push(await opened(name, "r"))
    const { path: resultPath } = stack.use(this.options.makeFile())
    const result = await opened(resultPath, "r+")
    files.push(result)
    const { memoryLimitBytes, pageCpuMs = PAGE_CPU_MS } = this.options
    const cpuMs = request.ask === "outline" ? OUTLINE_CPU_MS : pageCpuMs
    const answer = await this.readers.ask(request, workspaceId, {
      files: files.map(({ fd }) => fd),
      limits: { cpuMs, timeoutMs: cpuMs * PATIENCE, memoryBytes: memoryLimitBytes },
      signal,
    })
    if (answer.kind === "failed" || answer.kind === "disk_failed") throw failureOf(answer)
    return await take(answer, result) // before the files are closed
  }
}

type Take<T> = (answer: PageAnswer, result: FileHandle) => Promise<T>

const FAILURES: Record<ChildEnded["reason"], (error: ChildEnded) => ExtractionError> = {
  time: () => new ExtractionError("extraction_timeout", "drawing the page took too long"),
  memory: () => new ExtractionError("corrupt_file", "drawing the page took more memory than is allowed"),
  died: cause => new ExtractionError("corrupt_file", "the page makes its reader crash", false, { cause }),
  stopped: () => new ExtractionError("internal_error", "the readers are stopped", true),
}

/** Of one result: no picture of that many pixels has as many. */
const MAX_RESULT_BYTES = 64 * 2 ** 20

async function contentOf(file: FileHandle): Promise<Buffer<ArrayBuffer>> {
  const { size } = await file.stat()
  if (size > MAX_RESULT_BYTES) throw new ExtractionError("corrupt_file", "what the reader made of it is too large")
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(bytes, at, size - at, at)
    if (bytesRead === 0) throw new Error("a result is shorter than its file")
    at += bytesRead
  }
  return bytes
}
