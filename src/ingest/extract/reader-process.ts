/**
 * The isolated child that reads documents. Every parser blocks its thread, some can hang or exhaust memory, all of them
 * meet hostile input: here the worst that happens is the end of this process. Serves one request at a time over IPC.
 */
import { readFileSync, statSync } from "node:fs"
import { ExtractionError } from "../../storage/document.ts"
import { writeChunks } from "./chunk-file.ts"
import { extractInto } from "./index.ts"
import {
  chunkFile,
  type Outline,
  type ReaderMessage,
  type ReadRequest,
  type ReadStage,
  textFile,
} from "./reader-protocol.ts"
import { restrictSelf } from "./restrict-self.ts"
import { TextFile } from "./text-file.ts"

/** Larger files are mapped: the kernel pages them in and out, and they do not count as memory of the process. */
const MAP_ABOVE_BYTES = 1024 * 1024
/** Progress goes out at most this often. */
const PROGRESS_INTERVAL_MS = 100

/** Starts serving; the process ends when its parent does. */
export function serveReader(): void {
  restrictSelf()
  process.on("disconnect", () => process.exit(0))
  process.on("message", (request: ReadRequest) => void serve(request))
  send({ kind: "ready" })
}

async function serve(request: ReadRequest): Promise<void> {
  try {
    send({ kind: "done", outline: await read(request) })
  } catch (error) {
    if (error instanceof ExtractionError) {
      const detail = error.cause instanceof Error ? { detail: String(error.cause.stack) } : {}
      send({ kind: "failed", code: error.code, message: error.message, ...detail })
    } else
      send({
        kind: "failed",
        code: "internal_error",
        message: "the reader failed",
        detail: String((error as Error).stack),
      })
  }
}

const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

async function read(request: ReadRequest): Promise<Outline> {
  const text = new TextFile(textFile(request.resultPath))
  const progress = new ProgressReport()
  try {
    const source = { name: request.name, bytes: openBytes(request.path) }
    const document = await extractInto(text.write, source, request.type, {
      onProgress: fraction => progress.report(fraction),
      onOcrExpected: count => progress.expectOcr(count),
      pause,
      recognize: async image => (await ocr(request.ocrLanguagesDirectory)).recognize(image),
    })
    text.flush()
    progress.beginChunking()
    const { blocks, pageCount, ocrPageCount } = document
    const chunked = { text, blocks }
    const chunkCount = await writeChunks(
      chunkFile(request.resultPath),
      chunked,
      request.chunkOptions,
      async position => {
        progress.report(position / text.length)
        await pause()
      },
    )
    return { pageCount, ocrPageCount, warnings: document.allWarnings(), characterCount: text.length, chunkCount }
  } finally {
    text.close()
  }
}

function openBytes(path: string): Uint8Array {
  // Private: nothing written to the array could reach the file.
  return statSync(path).size > MAP_ABOVE_BYTES ? Bun.mmap(path, { shared: false }) : new Uint8Array(readFileSync(path))
}

let engine: Promise<import("./ocr.ts").Ocr> | undefined

function ocr(languagesDirectory: string | undefined): Promise<import("./ocr.ts").Ocr> {
  engine ??= import("./ocr.ts").then(({ Ocr }) => new Ocr(languagesDirectory))
  return engine
}

/** Tells how far the reading is, then the cutting; neither goes back, also where OCR turns out to be needed late. */
class ProgressReport {
  private stage: ReadStage = "extracting"
  private progress = 0
  private sentAt = 0

  report(progress: number): void {
    this.progress = Math.max(this.progress, Math.min(1, progress))
    if (Date.now() - this.sentAt >= PROGRESS_INTERVAL_MS || progress >= 1) this.send()
  }

  expectOcr(count: number): void {
    this.stage = "ocr"
    send({ kind: "ocr_expected", count })
    this.send()
  }

  beginChunking(): void {
    this.stage = "chunking"
    this.progress = 0
    this.send()
  }

  private send(): void {
    this.sentAt = Date.now()
    send({ kind: "progress", progress: this.progress, stage: this.stage })
  }
}

function send(message: ReaderMessage): void {
  process.send?.(message)
}

if (import.meta.main) serveReader()
