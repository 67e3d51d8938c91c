import { ExtractionError } from "../../storage/document.ts"
import { isInMemory } from "../../storage/encryption/memory-file.ts"
import { ChildPool } from "../../threads/child-pool.ts"
import { ChildEnded, type FencedChild, fencedCommand } from "../../threads/fenced-child.ts"
import type { ChunkOptions } from "../chunk.ts"
import type { OcrLanguageSources } from "../formats/ocr/languages.ts"
import { DEFAULT_OCR_LIMITS, type OcrLimits } from "../formats/ocr/ocr-budget.ts"
import {
  type FileToRead,
  failureOf,
  type OnProgress,
  type Outline,
  type ReadAnswer,
  type ReadDocument,
  type ReadProgress,
  type ReadRequest,
} from "./protocol.ts"
import { closeFiles, type MakeFile, openResult, ResultFiles } from "./result-files.ts"

export interface ReaderPoolOptions {
  /** Reader processes at the same time, one per core at most. */
  size: number
  /** A reader above this is killed and its file is `corrupt_file`. */
  memoryLimitBytes: number
  /** Milliseconds that a file of this size may take, before time for OCR. */
  timeoutFor?: (sizeBytes: number) => number
  ocrLanguages?: OcrLanguageSources
  chunkOptions?: ChunkOptions
  /** Results pass through such files. */
  makeFile: MakeFile
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
/** Results that lie in memory, against the reader's own. */
const RESULT_FACTOR = 4

type Reader = FencedChild<ReadRequest, ReadAnswer, ReadProgress>

export interface WorkspaceFile extends FileToRead {
  /** A reader reads files of one workspace only: one that was taken over learns nothing of another. */
  workspaceId?: string
}

/** One call of `read`, as each of its attempts gets it. */
interface Reading {
  file: WorkspaceFile
  result: ResultFiles
  onProgress: OnProgress
  signal: AbortSignal
  withoutAttachments?: boolean
}

/**
 * Reads files in child processes: at most `size` at once, further calls wait their turn. Children start with the first
 * file, stay warm for the next of the same workspace, and end when there is none.
 */
export class ReaderPool {
  private readonly readers: ChildPool<ReadRequest, ReadAnswer, ReadProgress>

  constructor(private readonly options: ReaderPoolOptions) {
    const { size, command, memoryLimitBytes, ocrLanguages = {} } = options
    const readable = [...(ocrLanguages.folder ? [ocrLanguages.folder] : []), ...(ocrLanguages.packs ?? [])]
    this.readers = new ChildPool({
      command: command ?? fencedCommand("reader", { memoryBytes: memoryLimitBytes, readable }),
      places: size,
      placesPerKey: size, // the queue has shared the turns out
      waiting: Number.POSITIVE_INFINITY,
      refusal: "too many files wait to be read",
      retryAfterSeconds: 1,
      answersPerChild: options.filesPerReader ?? FILES_PER_READER,
      keepWarmMs: options.keepWarmMs ?? KEEP_WARM_MS,
    })
  }

  /** Its result is to be closed. @throws ExtractionError, the disk's error, or the reason of `signal` */
  async read(file: WorkspaceFile, onProgress: OnProgress, signal: AbortSignal): Promise<ReadDocument> {
    const result = new ResultFiles(this.options.makeFile)
    try {
      return await openResult(result, await this.readTo({ file, result, onProgress, signal }))
    } catch (error) {
      await result[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Process ids of the readers there are. */
  get pids(): number[] {
    return this.readers.pids
  }

  /** Kills all readers; reads under way fail. */
  stop(): Promise<void> {
    return this.readers.stop()
  }

  private async readTo(reading: Reading): Promise<Outline> {
    let fresh = true
    let attachmentsNext = false
    const onAttachmentsNext = () => {
      attachmentsNext = true
    }
    try {
      return await this.readers.use(reading.file.workspaceId ?? "", reading.signal, reader => {
        fresh = reader.asked === 0
        return this.readWith(reader, reading, onAttachmentsNext)
      })
    } catch (error) {
      if (!(error instanceof ChildEnded)) throw error
      const broke = error.reason === "died" || error.reason === "memory"
      // What earlier files left behind may be the cause; only a fresh reader's end speaks against the file.
      if (broke && !fresh) return this.readTo(reading)
      if (broke && attachmentsNext && !reading.withoutAttachments)
        return this.readTo({ ...reading, withoutAttachments: true })
      throw FAILURES[error.reason](error)
    }
  }

  private async readWith(
    reader: Reader,
    { file: { path, name, type, size, reading }, result, onProgress, signal, withoutAttachments }: Reading,
    onAttachmentsNext: () => void,
  ): Promise<Outline> {
    const { memoryLimitBytes, timeoutFor = defaultTimeout, ocrLanguages, chunkOptions } = this.options
    const { perOcrPageMs = PER_OCR_PAGE_MS, ocrLimits = DEFAULT_OCR_LIMITS } = this.options
    const request: ReadRequest = { name, type, ocrLimits }
    if (reading) request.reading = reading
    if (ocrLanguages) request.ocrLanguages = ocrLanguages
    if (chunkOptions) request.chunkOptions = chunkOptions
    if (withoutAttachments) request.withoutAttachments = true
    // The reader stops recognizing by itself; the page that it is at may go on.
    let ocrMsLeft = ocrLimits.seconds * 1000 + perOcrPageMs
    const ocrTime = (pages: number) => {
      const ms = Math.min(pages * perOcrPageMs, ocrMsLeft)
      ocrMsLeft -= ms
      return ms
    }
    const files = await result.open(path)
    try {
      const answer = await reader.ask(request, {
        files: files.map(file => file.fd),
        limits: {
          timeoutMs: timeoutFor(size),
          memoryBytes: memoryLimitBytes,
          ...(isInMemory(result.textPath) && { writtenBytes: memoryLimitBytes * RESULT_FACTOR }),
        },
        signal,
        onProgress(message, allowMore) {
          if (message.kind === "ocr_expected") allowMore(ocrTime(message.count))
          else if (message.kind === "attachments_next") onAttachmentsNext()
          else onProgress({ stage: message.stage, progress: message.progress })
        },
      })
      if (answer.kind === "done") return answer.outline
      throw failureOf(answer)
    } finally {
      await closeFiles(files)
    }
  }
}

const FAILURES: Record<ChildEnded["reason"], (error: ChildEnded) => ExtractionError> = {
  time: () => new ExtractionError("extraction_timeout", "reading the file took longer than is allowed for its size"),
  memory: () => new ExtractionError("corrupt_file", "reading the file took more memory than is allowed"),
  died: cause => new ExtractionError("corrupt_file", "the file makes its reader crash", false, { cause }),
  stopped: () => new ExtractionError("internal_error", "the readers are stopped", true),
}
