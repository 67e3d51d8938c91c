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
    open() {
      const pieces = written(parts, texts, boundary)
      // A stream may be slow: what comes of it goes on at once.
      return streamOf(parts.some(({ once }) => once) ? pieces : gathered(pieces))
    },
  }
}

interface Part {
  name: string
  blob?: Blob
  open(): AsyncIterable<Uint8Array>
  once: boolean
}
type BlobPart = Part & { blob: Blob }

/** What is sent at once: a chunk of its own for each small file, and for what stands around it, costs more than the file. */
const CHUNK_BYTES = 256 * 1024

const isBrowser = "document" in globalThis

/** A browser sends no streams; it reads blobs by itself. */
function browserForm(parts: readonly BlobPart[], texts: readonly [string, string][]): RawBody {
  return {
    open() {
      const form = new FormData()
      for (const [name, value] of texts) form.append(name, value)
      for (const { blob, name } of parts) form.append("files", blob, name)
      return form
    },
  }
}

async function partOf({ source, name }: UploadFile): Promise<Part> {
  if (typeof source === "string") {
    return { name: name ?? source.split(/[\\/]/).at(-1)!, once: false, open: () => chunksOfFile(source) }
  }
  const given = name ?? (source as Partial<File>).name
  if (!given) throw new TypeError("name is missing: only paths and File objects have one")
  if (source instanceof Blob) return { name: given, blob: source, once: false, open: () => chunksOf(source.stream()) }
  if (source instanceof Uint8Array || "text" in source) {
    const blob = new Blob([source instanceof Uint8Array ? (source as Uint8Array<ArrayBuffer>) : source.text])
    return { name: given, blob, once: false, open: () => chunksOf(blob.stream()) }
  }
  return { name: given, once: true, open: () => (source instanceof ReadableStream ? chunksOf(source) : source) }
}

/** Not as a Blob, which is read ahead of who takes it, nor as a stream of Node's, which costs more than a small file. */
async function* chunksOfFile(path: string): AsyncGenerator<Uint8Array> {
  const { open } = await import("node:fs/promises")
  const file = await open(path)
  try {
    const about = await file.stat()
    const bytes = about.isFile() ? Math.min(about.size + 1, CHUNK_BYTES) : CHUNK_BYTES
    for (;;) {
      const chunk = new Uint8Array(bytes)
      const { bytesRead } = await file.read(chunk)
      if (bytesRead > 0) yield chunk.subarray(0, bytesRead)
      // Less than was asked for is the end of a file, though not of a pipe.
      if (bytesRead === 0 || (about.isFile() && bytesRead < bytes)) return
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

async function* written(parts: readonly Part[], texts: readonly [string, string][], boundary: string) {
  const encoder = new TextEncoder()
  for (const [name, value] of texts)
    yield encoder.encode(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
  for (const { name, open } of parts) {
    const head = `content-disposition: form-data; name="files"; filename="${quoted(name)}"`
    yield encoder.encode(`--${boundary}\r\n${head}\r\ncontent-type: application/octet-stream\r\n\r\n`)
    yield* open()
    yield encoder.encode("\r\n")
  }
  yield encoder.encode(`--${boundary}--\r\n`)
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
