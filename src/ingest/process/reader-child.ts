import { type FileHandle, open } from "node:fs/promises"
import { ExtractionError } from "../../storage/document.ts"
import { ChildEnded, FencedChild } from "../../threads/fenced-child.ts"
import {
  chunkFile,
  type Outline,
  type ReadAnswer,
  type ReadDiskFailure,
  type ReadFailure,
  type ReadProgress,
  type ReadRequest,
  type ReadStage,
  textFile,
} from "./reader-protocol.ts"

export type Progress = (progress: { stage: ReadStage; progress: number }) => void

export interface ReadLimits {
  timeoutMs: number
  /** Further time for each page or picture that is read by OCR. */
  perOcrPageMs: number
  /** All of that further time together. */
  ocrMs: number
  memoryBytes: number
}

/** A document, and the start of the names of the files that take its text and chunks. */
export interface ReadPaths {
  path: string
  resultPath: string
}

/** The end of a child while it read, for a reason that lies in it and not in the file's format. */
export class ReaderDied extends Error {}

/** The parent's side of one reader process. Reads one file at a time; once it was killed or died it is `ended`. */
export class ReaderChild {
  private readonly child: FencedChild<ReadRequest, ReadAnswer, ReadProgress>

  constructor(command: string[]) {
    this.child = new FencedChild(command)
  }

  get ended(): boolean {
    return this.child.ended
  }

  get filesRead(): number {
    return this.child.asked
  }

  get pid(): number {
    return this.child.pid
  }

  kill(): Promise<void> {
    return this.child.kill()
  }

  /**
   * Lets the child read and cut a file; text and chunks go to the files of `paths.resultPath`.
   * @throws ExtractionError from the reader or for a limit (the child is then killed), ReaderDied, the disk's error, or
   * the abort reason.
   */
  async read(
    request: ReadRequest,
    paths: ReadPaths,
    { timeoutMs, perOcrPageMs, ocrMs, memoryBytes }: ReadLimits,
    onProgress: Progress,
    signal: AbortSignal,
  ): Promise<Outline> {
    const files = await openFiles(paths)
    let ocrMsLeft = ocrMs
    const ocrTime = (pages: number) => {
      const ms = Math.min(pages * perOcrPageMs, ocrMsLeft)
      ocrMsLeft -= ms
      return ms
    }
    try {
      const answer = await this.child.ask(request, {
        files: files.map(file => file.fd),
        limits: { timeoutMs, memoryBytes },
        signal,
        onProgress: (message, allowMore) => {
          if (message.kind === "ocr_expected") allowMore(ocrTime(message.count))
          else onProgress({ stage: message.stage, progress: message.progress })
        },
      })
      if (answer.kind === "done") return answer.outline
      throw failureOf(answer)
    } catch (error) {
      throw error instanceof ChildEnded ? endOf(error) : error
    } finally {
      await Promise.all(files.map(file => file.close()))
    }
  }
}

/** The document to be read, the text to be written and read again, the chunks to be written. */
async function openFiles({ path, resultPath }: ReadPaths): Promise<FileHandle[]> {
  const files: FileHandle[] = []
  try {
    files.push(await open(path, "r"))
    files.push(await open(textFile(resultPath), "w+", 0o600))
    files.push(await open(chunkFile(resultPath), "w", 0o600))
    return files
  } catch (error) {
    await Promise.all(files.map(file => file.close()))
    throw error
  }
}

/**
 * What the reader itself said about the file, or the disk's error as the system names it. A fault of the reader, unlike
 * one of the file, may be gone next time.
 */
export function failureOf(answer: ReadFailure | ReadDiskFailure): Error {
  const { code, message } = answer
  if (answer.kind === "disk_failed") return Object.assign(new Error(message), { code })
  const options = answer.detail ? { cause: new Error(answer.detail) } : undefined
  return new ExtractionError(answer.code, message, code === "internal_error", options)
}

function endOf({ reason, message }: ChildEnded): Error {
  if (reason === "time")
    return new ExtractionError("extraction_timeout", "reading the file took longer than is allowed for its size")
  if (reason === "memory")
    return new ExtractionError("corrupt_file", "reading the file took more memory than is allowed")
  return new ReaderDied(message)
}
