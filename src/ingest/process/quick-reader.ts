/**
 * Reads small files, many in one request: on their own path the messages, descriptors and temporary files cost more than
 * the reading. Bytes, text and passages travel in the messages themselves, so each has to be small; what turns out not to
 * be, or takes long, is left to the ordinary reader. Workspaces share the process: starting one takes as long as reading a
 * hundred small files.
 */
import { readFile } from "node:fs/promises"
import { type ChunkSource, ExtractionError } from "../../storage/document.ts"
import { ChildPool } from "../../threads/child-pool.ts"
import { ChildEnded, fencedCommand } from "../../threads/fenced-child.ts"
import type { ChunkOptions } from "../chunk.ts"
import {
  type FileToRead,
  failureOf,
  type QuickAnswer,
  type QuickDocument,
  type QuickOutcome,
  type QuickRequest,
  type QuickResult,
} from "./protocol.ts"

export interface QuickReaderOptions {
  /** Of the reader process. */
  memoryLimitBytes: number
  chunkOptions?: ChunkOptions
  /** Starts a reader process; Carrel itself behind its fence by default. */
  command?: string[]
  /** Milliseconds for one file. */
  timeoutMs?: number
}

/** A small file that takes longer, on a machine that is busy as well, is not quick. */
const TIMEOUT_MS = 5_000
const KEEP_WARM_MS = 15_000
/** Parsers leak; what small files leave is little, and a reader takes as long to start as a hundred of them to read. */
const REQUESTS_PER_READER = 50
/** Documents in one message, bytes: small enough that building and reading it takes a few milliseconds. */
const REQUEST_BYTES = 512 * 1024

export class QuickReader {
  private readonly readers: ChildPool<QuickRequest, QuickAnswer, QuickResult>

  constructor(private readonly options: QuickReaderOptions) {
    const { command = fencedCommand("reader", { memoryBytes: options.memoryLimitBytes }) } = options
    this.readers = new ChildPool({
      command,
      places: 1,
      waiting: 1_000,
      refusal: "too many small files wait to be read",
      retryAfterSeconds: 1,
      answersPerChild: REQUESTS_PER_READER,
      keepWarmMs: KEEP_WARM_MS,
    })
  }

  /** What became of each file, in their order. @throws the reason of `signal` */
  async readAll(files: readonly FileToRead[], signal: AbortSignal): Promise<QuickOutcome[]> {
    const outcomes: QuickOutcome[] = []
    while (outcomes.length < files.length) {
      const bytes = await Promise.all(
        cut(files.slice(outcomes.length)).map(({ path }) => readFile(path).catch((error: Error) => error)),
      )
      const first = bytes[0]!
      if (first instanceof Error) outcomes.push(first)
      else {
        const lost = bytes.findIndex(content => content instanceof Error)
        const present = bytes.slice(0, lost < 0 ? undefined : lost) as Buffer[]
        outcomes.push(...(await this.readSome(files.slice(outcomes.length), present, signal)))
      }
    }
    return outcomes
  }

  /** Ends the reader; what it reads fails. */
  stop(): Promise<void> {
    return this.readers.stop()
  }

  /** @returns outcomes of the first files, of one at least: a file that ends its reader is the last of them */
  private async readSome(
    files: readonly FileToRead[],
    bytes: readonly Buffer[],
    signal: AbortSignal,
  ): Promise<QuickOutcome[]> {
    const { chunkOptions, memoryLimitBytes, timeoutMs = TIMEOUT_MS } = this.options
    const documents = bytes.map((content, i) => {
      const { name, type, reading } = files[i]!
      return { name, type, ...(reading ? { reading } : {}), content: content.toString("base64") }
    })
    const outcomes: QuickOutcome[] = []
    let since = performance.now()
    try {
      await this.readers.ask({ documents, ...(chunkOptions ? { chunkOptions } : {}) }, "", {
        limits: { timeoutMs, memoryBytes: memoryLimitBytes },
        signal,
        onProgress(result, allowMore) {
          outcomes.push(outcomeOf(result))
          allowMore(performance.now() - since) // each file has its own time
          since = performance.now()
        },
      })
    } catch (error) {
      if (!(error instanceof ChildEnded) || error.reason === "stopped") throw error
      outcomes.push("not quick") // the ordinary reader finds out what is wrong with it
    }
    return outcomes
  }
}

/** The files of one message. */
function cut(files: readonly FileToRead[]): readonly FileToRead[] {
  let bytes = 0
  const end = files.findIndex(({ size }, i) => {
    bytes += size
    return i > 0 && bytes > REQUEST_BYTES
  })
  return end < 0 ? files : files.slice(0, end)
}

function outcomeOf(result: QuickResult): QuickOutcome {
  if (result.kind === "not_quick") return "not quick"
  if (result.kind !== "read") return failureOf(result)
  const { outline, text, chunks } = result
  const { chunkCount, ...rest } = outline
  if (chunks.length !== chunkCount) return new ExtractionError("internal_error", "the reader lost passages", true)
  const source: ChunkSource = {
    count: chunkCount,
    opening: text,
    async *batches(size) {
      for (let from = 0; from < chunks.length; from += size) yield chunks.slice(from, from + size)
    },
  }
  return { ...rest, text, chunks: source } satisfies QuickDocument
}
