/** Streaming multipart/form-data: file parts are handed on as they arrive, so memory stays flat whatever their size. */
import { Readable } from "node:stream"
import type { ReadableStream as NodeReadableStream } from "node:stream/web"
import { Busboy, type BusboyFileStream } from "@fastify/busboy"
import { AppError } from "../errors.ts"

/** Above the largest metadata (16 KB) with room for its error to be found by its own rule. */
const MAX_FIELD_BYTES = 64 * 1024
const MAX_FIELDS = 1_000
/** As many as may wait to be indexed by default. */
const MAX_FILES = 100_000
/** Longest silence of a client amid its form; an upload has no other time limit. */
const STALL_MS = 120_000

export interface MultipartHandlers {
  /** Must read `stream` to its end or throw; a throw drops the rest of that part and rejects the whole call. */
  file(part: { name: string; fileName: string; mimeType: string; stream: AsyncIterable<Uint8Array> }): Promise<void>
  field(name: string, value: string): void
}

/**
 * Reads a whole form. File handlers run one after the other, in the order of the parts.
 * @throws AppError unsupported_media_type, invalid_multipart, also for a client that stalls; what a handler threw; an abort when the client went away
 */
export async function receiveMultipart(
  request: Request,
  handlers: MultipartHandlers,
  stallMs = STALL_MS,
): Promise<void> {
  const type = request.headers.get("content-type") ?? ""
  if (!/^multipart\/form-data/i.test(type))
    throw new AppError("unsupported_media_type", { message: "Content-Type must be multipart/form-data" })
  const parser = openParser(type)
  const body = Readable.fromWeb((request.body ?? new Blob([]).stream()) as unknown as NodeReadableStream)
  const open = new Set<BusboyFileStream>()
  let files = Promise.resolve()
  let stall: Timer | undefined
  await new Promise<void>((resolve, reject) => {
    const fail = (error: unknown) => {
      body.unpipe(parser)
      body.destroy()
      for (const stream of open) stream.destroy(error instanceof Error ? error : new Error(String(error)))
      reject(error)
    }
    parser.on(
      "file",
      (name: string, stream: BusboyFileStream, fileName: string, _encoding: string, mimeType: string) => {
        open.add(stream)
        stream.on("error", () => {}) // whoever reads the part sees it too; unheard, it would end the process
        stream.on("close", () => open.delete(stream))
        const part = { name, fileName: unescaped(fileName), mimeType, stream: chunksOf(stream) }
        files = files.then(() => handlers.file(part))
        files.catch(fail)
      },
    )
    parser.on("field", (name: string, value: string, nameTruncated: boolean, valueTruncated: boolean) => {
      if (nameTruncated || valueTruncated) fail(broken(`the part ${name.slice(0, 100)} is too long`))
      else handlers.field(name, value)
    })
    parser.on("filesLimit", () => fail(broken(`more than ${MAX_FILES} files`)))
    parser.on("fieldsLimit", () => fail(broken(`more than ${MAX_FIELDS} text parts`)))
    parser.on("finish", resolve)
    parser.on("error", (cause: unknown) => fail(broken("the body is not well-formed multipart/form-data", cause)))
    body.on("error", fail)
    request.signal.addEventListener("abort", () => fail(new Error("the client went away")), { once: true })
    stall = setTimeout(() => fail(broken(`nothing came for ${stallMs / 1000} s`)), stallMs)
    body.on("data", () => stall?.refresh())
    body.pipe(parser)
  })
    .finally(() => clearTimeout(stall))
    .catch(async error => {
      await files.catch(() => {}) // what was being stored is undone before the caller hears of it
      throw error
    })
  await files
}

function openParser(type: string) {
  try {
    return new Busboy({
      headers: { "content-type": type },
      limits: { fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, files: MAX_FILES },
      // Our own rule cuts names; the parser's would take a backslash for part of the name on this platform.
      preservePath: true,
      // Any part with a file name is a file, whatever its Content-Type. An empty name is a form's field without a file.
      isPartAFile: (_name, _type, fileName) => fileName !== undefined && fileName !== "",
    })
  } catch (cause) {
    throw broken("the boundary is missing or malformed", cause)
  }
}

/** Browsers and curl write these three as percent codes, and no others (WHATWG, multipart/form-data). */
const unescaped = (fileName: string): string => fileName.replace(/%(22|0A|0D)/gi, code => decodeURIComponent(code))

/** Leaves the stream open when its reader stops early: the rest must still be drained for the parts after it. */
async function* chunksOf(stream: BusboyFileStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array
}

const broken = (message: string, cause?: unknown): AppError => new AppError("invalid_multipart", { message, cause })
