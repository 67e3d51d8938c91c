/** Forms of files that are read while they are sent: memory stays flat whatever their size. */
import type { RawBody } from "./transport.ts"

/** What is uploaded: a path (Node, Bun, Deno), a `Blob` or `File`, bytes, a text, or a stream, which can be read once. */
export type Source =
  | string
  | Blob
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | { text: string }

export interface UploadFile {
  source: Source
  /** That of the path or the `File` where absent. */
  name?: string
}

export interface UploadFields {
  context_id?: string
  tags?: string[]
  metadata?: Record<string, unknown>
  /** Who may see it: `["group:hr"]`; null: everyone in the workspace. */
  acl?: string[] | null
  on_duplicate?: "return_existing" | "replace" | "keep_both"
  source_id?: string
  source_key?: string[]
  source_fingerprint?: string[]
}

/** @throws TypeError for a source without a name */
export async function formOf(files: readonly UploadFile[], fields: UploadFields): Promise<RawBody> {
  const parts = await Promise.all(files.map(partOf))
  const texts = fieldsOf(fields)
  if (isBrowser && parts.every(({ blob }) => blob)) return browserForm(parts as BlobPart[], texts)
  const boundary = `carrel-${crypto.randomUUID()}`
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    once: parts.some(({ once }) => once),
    async open() {
      const opened = parts.map(async ({ name, open }) => ({ name, content: await open() }))
      const pieces = written(await Promise.all(opened), texts, boundary)
      // A stream may be slow: what comes of it goes on at once.
      const chunks = parts.some(({ once }) => once) ? chunksOfAll(pieces) : gathered(chunksOfAll(pieces))
      return { body: streamOf(chunks), bytes: bytesOfAll(pieces) }
    },
  }
}

interface Part {
  name: string
  blob?: Blob
  open(): Piece | Promise<Piece>
  once: boolean
}
type BlobPart = Part & { blob: Blob }

interface Content {
  /** Where it is known before it is read. */
  bytes?: number | undefined
  chunks: AsyncIterable<Uint8Array>
}
type Piece = Uint8Array | Content

/** What is sent at once: a chunk of its own for each small file, and for what stands around it, costs more than the file. */
const CHUNK_BYTES = 256 * 1024
/** Files up to it are read whole, all of a form together: one after the other 600 of them took 100 ms, together 4 to 11. */
const SMALL_BYTES = 64 * 1024

const isBrowser = "document" in globalThis

/** A browser sends no streams; it reads blobs by itself. */
function browserForm(parts: readonly BlobPart[], texts: readonly [string, string][]): RawBody {
  return {
    async open() {
      const form = new FormData()
      for (const [name, value] of texts) form.append(name, value)
      for (const { blob, name } of parts) form.append("files", blob, name)
      return { body: form }
    },
  }
}

async function partOf({ source, name }: UploadFile): Promise<Part> {
  if (typeof source === "string") {
    return { name: name ?? source.split(/[\\/]/).at(-1)!, once: false, open: () => contentOfFile(source) }
  }
  const given = name ?? (source as Partial<File>).name
  if (!given) throw new TypeError("name is missing: only paths and File objects have one")
  if (source instanceof Blob) return { name: given, blob: source, once: false, open: () => contentOf(source) }
  if (source instanceof Uint8Array || "text" in source) {
    const blob = new Blob([source instanceof Uint8Array ? (source as Uint8Array<ArrayBuffer>) : source.text])
    return { name: given, blob, once: false, open: () => contentOf(blob) }
  }
  const chunks = source instanceof ReadableStream ? chunksOf(source) : source
  return { name: given, once: true, open: () => ({ chunks }) }
}

const contentOf = (blob: Blob): Content => ({ bytes: blob.size, chunks: chunksOfBlob(blob) })

async function* chunksOfBlob(blob: Blob): AsyncGenerator<Uint8Array> {
  yield* chunksOf(blob.stream())
}

/** As much of a file as it holds now; of a pipe, and of what says nothing of its size, all there is. */
async function contentOfFile(path: string): Promise<Piece> {
  const { readFile, stat } = await import("node:fs/promises")
  const about = await stat(path)
  const bytes = about.isFile() && about.size > 0 ? about.size : undefined
  if (bytes && bytes <= SMALL_BYTES) return readFile(path)
  return { bytes, chunks: chunksOfFile(path, bytes) }
}

/** Not as a Blob, which is read ahead of who takes it, nor as a stream of Node's, which costs more than a small file. */
async function* chunksOfFile(path: string, bytes = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  const { open } = await import("node:fs/promises")
  const file = await open(path)
  try {
    for (let left = bytes; left > 0; ) {
      const chunk = new Uint8Array(Math.min(left, CHUNK_BYTES))
      const { bytesRead } = await file.read(chunk)
      if (bytesRead === 0) return
      yield chunk.subarray(0, bytesRead)
      left -= bytesRead
    }
  } finally {
    await file.close()
  }
}

function fieldsOf({ tags, metadata, acl, source_key = [], source_fingerprint = [], ...texts }: UploadFields) {
  const fields: [string, string][] = Object.entries(texts).filter(([, value]) => value !== undefined)
  for (const tag of tags ?? []) fields.push(["tags", tag])
  if (metadata) fields.push(["metadata", JSON.stringify(metadata)])
  if (acl !== undefined) fields.push(["acl", JSON.stringify(acl)])
  for (const key of source_key) fields.push(["source_key", key])
  for (const fingerprint of source_fingerprint) fields.push(["source_fingerprint", fingerprint])
  return fields
}

function written(
  files: readonly { name: string; content: Piece }[],
  texts: readonly [string, string][],
  boundary: string,
): Piece[] {
  const encoder = new TextEncoder()
  const pieces: Piece[] = texts.map(([name, value]) =>
    encoder.encode(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
  )
  for (const { name, content } of files) {
    const head = `content-disposition: form-data; name="files"; filename="${quoted(name)}"`
    pieces.push(
      encoder.encode(`--${boundary}\r\n${head}\r\ncontent-type: application/octet-stream\r\n\r\n`),
      content,
      encoder.encode("\r\n"),
    )
  }
  pieces.push(encoder.encode(`--${boundary}--\r\n`))
  return pieces
}

/** @throws Error where there is more or less than was said: what is sent would have no end, or two */
async function* chunksOfAll(pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      yield piece
      continue
    }
    let bytes = 0
    for await (const chunk of piece.chunks) {
      bytes += chunk.length
      if (bytes > (piece.bytes ?? bytes)) break
      yield chunk
    }
    if (bytes !== (piece.bytes ?? bytes)) throw new Error("a file changed its size while it was sent")
  }
}

/** Undefined where one of them does not know. */
function bytesOfAll(pieces: readonly Piece[]): number | undefined {
  let bytes = 0
  for (const piece of pieces) {
    const more = piece instanceof Uint8Array ? piece.length : piece.bytes
    if (more === undefined) return undefined
    bytes += more
  }
  return bytes
}

/** In chunks of a size that is worth sending. */
async function* gathered(pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let kept: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    kept.push(piece)
    bytes += piece.length
    if (bytes < CHUNK_BYTES) continue
    yield joined(kept, bytes)
    ;[kept, bytes] = [[], 0]
  }
  if (bytes > 0) yield joined(kept, bytes)
}

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  if (pieces.length === 1) return pieces[0]!
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** As browsers write names into a form. */
const quoted = (name: string): string =>
  name.toWellFormed().replace(/["\r\n]/g, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`)

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
}

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
