/**
 * An encrypted backup: 8 bytes of magic and version, its own key sealed by the key file's, and the archive in segments.
 * Whoever has the key file of its time needs nothing else to read it.
 */
import { randomBytes } from "node:crypto"
import { open as openFile } from "node:fs/promises"
import { KEY_BYTES, open, seal } from "./aead.ts"
import { openAll, Segments, sealAll } from "./segments.ts"

const MAGIC = Buffer.from("CARRELB\x01", "latin1")
const PLACE = "backup"
/** A nonce, a key and a tag. */
const WRAPPED_BYTES = 12 + KEY_BYTES + 16
const HEAD_BYTES = MAGIC.byteLength + WRAPPED_BYTES

export async function* sealArchive(source: AsyncIterable<Uint8Array>, fileKey: Uint8Array): AsyncGenerator<Buffer> {
  const key = randomBytes(KEY_BYTES)
  yield Buffer.concat([MAGIC, seal(fileKey, key, PLACE)])
  yield* sealAll(new Segments(key, PLACE), source)
  key.fill(0)
}

export interface SealedArchive {
  /** Bytes before its content. */
  start: number
  /** @returns undefined for another key */
  opener(fileKey: Uint8Array): ((source: AsyncIterable<Uint8Array>) => AsyncGenerator<Buffer>) | undefined
}

/** Undefined for an archive that is not encrypted. */
export async function sealedArchive(path: string): Promise<SealedArchive | undefined> {
  const handle = await openFile(path, "r")
  const head = Buffer.alloc(HEAD_BYTES)
  const { bytesRead } = await handle.read(head, 0, HEAD_BYTES, 0).finally(() => handle.close())
  if (bytesRead < HEAD_BYTES || !MAGIC.equals(head.subarray(0, MAGIC.byteLength))) return undefined
  return {
    start: HEAD_BYTES,
    opener(fileKey) {
      try {
        const segments = new Segments(open(fileKey, head.subarray(MAGIC.byteLength), PLACE), PLACE)
        return source => openAll(segments, source, { first: 0, isWhole: true })
      } catch {
        return undefined
      }
    },
  }
}
