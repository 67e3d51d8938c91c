/**
 * The isolated child that reads documents. Every parser blocks its thread, some can hang or exhaust memory, all of them
 * meet hostile input: here the worst that happens is the end of this process. Serves one request at a time over IPC.
 */
import { writeFileSync } from "node:fs"
import { ExtractionError } from "../../storage/document.ts"
import { type Conversation, serveParent } from "../../threads/child-side.ts"
import { fileBytes } from "../../threads/mapped-file.ts"
import { type ChunkOptions, chunksOf } from "../chunk.ts"
import { extractInto, type Surroundings } from "../formats/extract.ts"
import type { OcrLanguageSources } from "../formats/ocr/languages.ts"
import { layoutFile } from "../pages/layout.ts"
import type { OutlineRequest, PageAnswer, PageRequest } from "./page-protocol.ts"
import type {
  Outline,
  QuickAnswer,
  QuickRequest,
  QuickResult,
  ReadAnswer,
  ReadDiskFailure,
  ReadFailure,
  ReadProgress,
  ReadRequest,
  ReadStage,
} from "./protocol.ts"
import { writeChunks } from "./result-files.ts"
import { TextFile } from "./text-file.ts"

/** Progress goes out at most this often. */
const PROGRESS_INTERVAL_MS = 100
/** Code units of a text that is read quickly. With its passages in UTF-8 it fits well into one message. */
const MAX_QUICK_CHARS = 65_536

type Tell = (progress: ReadProgress) => void

/** Serves until the parent closes the line. @param told see serveParent */
export const serveReader = (told: string | undefined): Promise<void> =>
  serveParent<Request, ReadAnswer | QuickAnswer | PageAnswer, ReadProgress | QuickResult>(told, answer)

type Request = ReadRequest | QuickRequest | OutlineRequest | PageRequest

async function answer(
  request: Request,
  conversation: Conversation<ReadProgress | QuickResult>,
): Promise<ReadAnswer | QuickAnswer | PageAnswer> {
  if ("ask" in request) {
    const { showPages } = await import("./page-process.ts")
    return showPages(request, conversation).catch(failureBy)
  }
  if ("documents" in request) {
    for (const document of request.documents)
      conversation.tell(await readQuickly(document, request.chunkOptions).catch(failureBy))
    return { kind: "all_told" }
  }
  return read(request, conversation).then(outline => ({ kind: "done", outline }) as const, failureBy)
}

/** What a disk answers that does not take the text, or does not give what is read. */
const DISK_CODES = new Set(["ENOSPC", "EDQUOT", "EIO", "EROFS", "EFBIG"])
/** Readers wrap what they meet with. */
const CAUSES = 4

function failureBy(error: unknown): ReadFailure | ReadDiskFailure {
  for (let depth = 0, at = error; depth < CAUSES && at instanceof Error; depth++, at = at.cause) {
    const { code } = at as { code?: unknown }
    if (typeof code === "string" && DISK_CODES.has(code)) return { kind: "disk_failed", code, message: at.message }
  }
  if (!(error instanceof ExtractionError))
    return {
      kind: "failed",
      code: "internal_error",
      message: "the reader failed",
      detail: String((error as Error).stack),
    }
  const detail = error.cause instanceof Error ? { detail: String(error.cause.stack) } : {}
  const warnings = error.warnings.length > 0 ? { warnings: error.warnings } : {}
  return { kind: "failed", code: error.code, message: error.message, ...warnings, ...detail }
}

const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

async function read(request: ReadRequest, { files, tell }: Conversation<ReadProgress>): Promise<Outline> {
  const [given, textFile, chunkFile, layout] = files as [number, number, number, number]
  const text = new TextFile(textFile)
  const progress = new ProgressReport(tell)
  const { bytes, release } = fileBytes(given)
  let atAttachments = false
  try {
    const source = { name: request.name, bytes, reading: request.reading }
    const document = await extractInto(text.write, source, request.type, {
      onProgress: fraction => progress.report(fraction),
      onOcrExpected: count => progress.expectOcr(count),
      mayReadAttachments() {
        atAttachments = !request.withoutAttachments
        if (atAttachments) tell({ kind: "attachments_next" })
        return atAttachments
      },
      pause,
      ocrLimits: request.ocrLimits,
      recognize: recognizerOf(request.ocrLanguages),
    })
    text.flush()
    progress.beginChunking()
    const { blocks, pages, pageCount, ocrPageCount } = document
    if (pages.length > 0) writeFileSync(layout, layoutFile(pages))
    const chunked = { text, blocks }
    const chunkCount = await writeChunks(chunkFile, chunked, request.chunkOptions, async position => {
      progress.report(position / text.length)
      await pause()
    })
    return { pageCount, ocrPageCount, warnings: document.allWarnings(), characterCount: text.length, chunkCount }
  } catch (error) {
    text.throwIfFailed() // whatever the reader made of it
    // A library whose own memory ran out at what is attached is of no more use; another process goes on without that.
    if (atAttachments && error instanceof Error && error.cause instanceof WebAssembly.RuntimeError) process.exit(1)
    throw error
  } finally {
    release()
  }
}

/** A small file: text and passages stay in memory and go back in the answer. @throws ExtractionError, and what no reader expects */
export async function readQuickly(
  { name, type, reading, content }: QuickRequest["documents"][number],
  options: ChunkOptions | undefined,
): Promise<QuickResult> {
  const parts: string[] = []
  let length = 0
  let quick = true
  const notQuick = () => {
    quick = false
    return new ExtractionError("internal_error", "the file is not quick to read", true)
  }
  const sink = (text: string) => {
    length += text.length
    if (length > MAX_QUICK_CHARS) throw notQuick()
    parts.push(text)
  }
  try {
    const document = await extractInto(sink, { name, bytes: Buffer.from(content, "base64"), reading }, type, {
      onProgress() {},
      onOcrExpected() {},
      pause: async () => {},
      ocrLimits: undefined,
      async recognize() {
        throw notQuick()
      },
    })
    if (!quick) return { kind: "not_quick" } // a reader left out the part that was too much
    const text = parts.join("")
    const chunks = [...chunksOf({ text, blocks: document.blocks }, options)].map(chunk => ({
      ...chunk,
      text: text.slice(chunk.start, chunk.end),
    }))
    const { pageCount, ocrPageCount } = document
    const warnings = document.allWarnings()
    const outline = { pageCount, ocrPageCount, warnings, characterCount: length, chunkCount: chunks.length }
    return { kind: "read", outline, text, chunks }
  } catch (error) {
    if (!quick) return { kind: "not_quick" }
    throw error
  }
}

let engine: Promise<import("../formats/ocr/ocr.ts").Ocr> | undefined

/** For the pictures of one file. */
function recognizerOf(languages: OcrLanguageSources | undefined): Surroundings["recognize"] {
  let isBegun = false
  return async image => {
    engine ??= import("../formats/ocr/ocr.ts").then(({ Ocr }) => new Ocr(languages))
    const ocr = await engine
    if (!isBegun) ocr.beginFile()
    isBegun = true
    return ocr.recognize(image)
  }
}

/** Tells how far the reading is, then the cutting; neither goes back, also where OCR turns out to be needed late. */
class ProgressReport {
  private stage: ReadStage = "extracting"
  private progress = 0
  private sentAt = 0

  constructor(private readonly tell: Tell) {}

  report(progress: number): void {
    this.progress = Math.max(this.progress, Math.min(1, progress))
    if (Date.now() - this.sentAt >= PROGRESS_INTERVAL_MS || progress >= 1) this.send()
  }

  expectOcr(count: number): void {
    this.stage = "ocr"
    this.tell({ kind: "ocr_expected", count })
    this.send()
  }

  beginChunking(): void {
    this.stage = "chunking"
    this.progress = 0
    this.send()
  }

  private send(): void {
    this.sentAt = Date.now()
    this.tell({ kind: "progress", progress: this.progress, stage: this.stage })
  }
}
