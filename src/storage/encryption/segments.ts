/**
 * The format of an encrypted file: a header, then the content in segments of 64 KiB, each of them under AES-256-GCM. Any
 * range can be read by itself, and the clear size follows from the stored one.
 *
 * Header, 64 bytes: 8 of magic and version, 8 of the data key's id, 16 of salt, 16 of zeros, and 16 of a MAC over the
 * former and the name, by which a clear file that happens to begin alike is told from an encrypted one. The key of a file is derived
 * from the data key, the salt and the file's name. The nonce of a segment is its number and whether it is the last: one that
 * is changed, moved, repeated, taken from another file or left out does not open.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { derived, TAG_BYTES } from "./aead.ts"

export const SEGMENT_BYTES = 65_536
export const SEALED_SEGMENT_BYTES = SEGMENT_BYTES + TAG_BYTES
export const HEADER_BYTES = 64
const MAGIC = Buffer.from("CARREL\0\x01", "latin1")
const ID_AT = 8
const SALT_AT = 16
const MAC_AT = 48
const NONCE_BYTES = 12
const LAST_AT = 7

/** A stored file is not what was written. */
export class DamagedError extends Error {
  override name = "DamagedError"

  constructor(what: string, cause?: unknown) {
    super(`${what} is damaged: it is not what was encrypted, or with another key`, { cause })
  }
}

export interface Header {
  keyId: string
  salt: Buffer
}

/** @param macKey see `Keyring.headerKey` */
export function newHeader(keyId: string, name: string, macKey: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  MAGIC.copy(header)
  Buffer.from(keyId, "hex").copy(header, ID_AT)
  randomBytes(16).copy(header, SALT_AT)
  macOf(header, name, macKey).copy(header, MAC_AT)
  return header
}

export const hasMagic = (bytes: Uint8Array): boolean =>
  bytes.byteLength >= HEADER_BYTES && MAGIC.equals(bytes.subarray(0, MAGIC.byteLength))

/** Undefined for what is no header, or one of another name or another installation. */
export function parseHeader(bytes: Buffer, name: string, macKey: Buffer): Header | undefined {
  if (!hasMagic(bytes) || !timingSafeEqual(bytes.subarray(MAC_AT, HEADER_BYTES), macOf(bytes, name, macKey)))
    return undefined
  return { keyId: bytes.toString("hex", ID_AT, SALT_AT), salt: Buffer.from(bytes.subarray(SALT_AT, SALT_AT + 16)) }
}

const macOf = (header: Uint8Array, name: string, key: Buffer): Buffer =>
  createHmac("sha256", key)
    .update(header.subarray(0, MAC_AT))
    .update(name)
    .digest()
    .subarray(0, HEADER_BYTES - MAC_AT)

export const fileKey = (dataKey: Uint8Array, salt: Uint8Array, name: string): Buffer =>
  derived(dataKey, `carrel file ${name}`, salt)

/** Bytes of the content of which so many are stored behind the header. @throws DamagedError where no content has so many */
export function clearSize(stored: number, name: string): number {
  const segments = Math.ceil(stored / SEALED_SEGMENT_BYTES)
  const last = stored - (segments - 1) * SEALED_SEGMENT_BYTES
  if (segments === 0 || last < TAG_BYTES || (last === TAG_BYTES && segments > 1)) throw new DamagedError(name)
  return stored - segments * TAG_BYTES
}

/** Whether a file of so many bytes may hold a content of so many, be it encrypted or not. */
export const mayHold = (stored: number, content: number): boolean =>
  stored === content || stored === HEADER_BYTES + content + TAG_BYTES * Math.max(1, Math.ceil(content / SEGMENT_BYTES))

/** Seals and opens the segments of one file. */
export class Segments {
  constructor(
    private readonly key: Buffer,
    private readonly name: string,
  ) {}

  seal(number: number, isLast: boolean, content: Uint8Array): Buffer {
    const cipher = createCipheriv("aes-256-gcm", this.key, nonceOf(number, isLast))
    const sealed = cipher.update(content)
    cipher.final() // a stream cipher: nothing is left
    return Buffer.concat([sealed, cipher.getAuthTag()])
  }

  /** @throws DamagedError */
  open(number: number, isLast: boolean, sealed: Uint8Array): Buffer<ArrayBuffer> {
    try {
      const end = sealed.byteLength - TAG_BYTES
      const decipher = createDecipheriv("aes-256-gcm", this.key, nonceOf(number, isLast), { authTagLength: TAG_BYTES })
      decipher.setAuthTag(sealed.subarray(end))
      const content = decipher.update(sealed.subarray(0, end))
      decipher.final()
      return content as Buffer<ArrayBuffer>
    } catch (cause) {
      throw new DamagedError(this.name, cause)
    }
  }
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce[LAST_AT] = Number(isLast)
  nonce.writeUInt32BE(number, LAST_AT + 1)
  return nonce
}

/** Pieces of a source as segments, in the order of the file; the header is the caller's. */
export async function* sealAll(segments: Segments, source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const held = Buffer.allocUnsafe(SEGMENT_BYTES)
  let filled = 0
  let number = 0
  for await (const piece of source)
    for (let at = 0; at < piece.byteLength; ) {
      // A full one is held back until more comes: it could be the last.
      if (filled === SEGMENT_BYTES) {
        yield segments.seal(number++, false, held)
        filled = 0
      }
      const end = Math.min(piece.byteLength, at + SEGMENT_BYTES - filled)
      held.set(piece.subarray(at, end), filled)
      filled += end - at
      at = end
    }
  yield segments.seal(number, true, held.subarray(0, filled))
}

/**
 * The content of stored segments, as they come in pieces of any length.
 * @param first number of the first of them
 * @param isWhole they go on to the end of the file: the last is to be the last
 * @throws DamagedError
 */
export async function* openAll(
  segments: Segments,
  stored: AsyncIterable<Uint8Array>,
  { first, isWhole }: { first: number; isWhole: boolean },
): AsyncGenerator<Buffer<ArrayBuffer>> {
  let rest: Uint8Array = new Uint8Array(0)
  let number = first
  for await (const piece of stored) {
    const bytes = rest.byteLength === 0 ? piece : Buffer.concat([rest, piece])
    const opened: Buffer<ArrayBuffer>[] = []
    let at = 0
    // A full one is held back until more comes, as when it was sealed.
    for (; bytes.byteLength - at > SEALED_SEGMENT_BYTES; at += SEALED_SEGMENT_BYTES)
      opened.push(segments.open(number++, false, bytes.subarray(at, at + SEALED_SEGMENT_BYTES)))
    rest = bytes.subarray(at)
    if (opened.length > 0) yield opened.length === 1 ? opened[0]! : Buffer.concat(opened)
  }
  yield segments.open(number, isWhole, rest)
}
