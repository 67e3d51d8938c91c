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
    open: () => streamOf(written(parts, texts, boundary)),
  }
}

interface Part {
  name: string
  blob?: Blob
  open(): AsyncIterable<Uint8Array>
  once: boolean
}
type BlobPart = Part & { blob: Blob }

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
    const { createReadStream } = await import("node:fs") // a Blob of a file is read ahead of who takes it
    return { name: name ?? source.split(/[\\/]/).at(-1)!, once: false, open: () => createReadStream(source) }
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
