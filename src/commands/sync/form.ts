/** Forms with files of a source, as the upload takes them: every file behind the key and the fingerprint of its entry. */
import type { Body } from "./daemon.ts"

/** A file of the place, opened. */
export interface Piece {
  key: string
  /** Of the bytes as they are read. */
  fingerprint: string
  name: string
  bytes: AsyncIterable<Uint8Array>
}

/** The same in memory. */
export type ReadPiece = Omit<Piece, "bytes"> & { bytes: Uint8Array }

const TYPE = "multipart/form-data; boundary="

/** Of small files. It can be sent any number of times. */
export function formOf(sourceId: string, pieces: readonly ReadPiece[]): Body {
  const boundary = newBoundary()
  const parts: (string | Uint8Array)[] = [field(boundary, "source_id", sourceId)]
  for (const piece of pieces) parts.push(head(boundary, piece), piece.bytes, "\r\n")
  const blob = new Blob([...parts, end(boundary)] as BlobPart[])
  return { type: TYPE + boundary, open: () => blob }
}

/** Of one file of any size, which is opened anew for each try. @param open undefined where the file is gone */
export function streamedForm(sourceId: string, open: () => Promise<Piece | undefined>): Body {
  const boundary = newBoundary()
  let trouble: unknown
  return {
    type: TYPE + boundary,
    async open(alive) {
      try {
        const piece = await open()
        if (!piece) throw new Gone()
        return streamOf(partsOf(boundary, sourceId, piece), { alive, failed: error => (trouble = error) })
      } catch (error) {
        trouble = error
        throw error
      }
    },
    trouble: () => trouble,
  }
}

/** The entry was there when the place was listed. */
export class Gone extends Error {}

async function* partsOf(boundary: string, sourceId: string, piece: Piece): AsyncGenerator<Uint8Array> {
  yield Buffer.from(field(boundary, "source_id", sourceId) + head(boundary, piece))
  yield* piece.bytes
  yield Buffer.from(`\r\n${end(boundary)}`)
}

interface Listeners {
  alive(): void
  failed(error: unknown): void
}

function streamOf(parts: AsyncGenerator<Uint8Array>, { alive, failed }: Listeners): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      alive()
      try {
        const { done, value } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        failed(error)
        controller.error(error)
      }
    },
    cancel: async () => void (await parts.return(undefined)),
  })
}

/** Longer than chance: no file holds it. */
const newBoundary = (): string => `carrel-${crypto.randomUUID()}`

const field = (boundary: string, name: string, value: string): string =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

const head = (boundary: string, { key, fingerprint, name }: Pick<Piece, "key" | "fingerprint" | "name">): string =>
  field(boundary, "source_key", key) +
  field(boundary, "source_fingerprint", fingerprint) +
  `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="${escaped(name)}"\r\ncontent-type: application/octet-stream\r\n\r\n`

const end = (boundary: string): string => `--${boundary}--\r\n`

/** As browsers write file names (WHATWG, multipart/form-data). */
const escaped = (name: string): string => name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
