/**
 * The content of an S/MIME message that is signed and not encrypted (RFC 8551, 5652: ContentInfo of signedData, in BER or
 * DER). The signature itself is not checked.
 */

/** OBJECT IDENTIFIER 1.2.840.113549.1.7.2 and .1. */
const SIGNED_DATA = Buffer.from("06092a864886f70d010702", "hex")
const DATA = Buffer.from("06092a864886f70d010701", "hex")
const OCTET_STRING = 0x04
const CONSTRUCTED = 0x20
const EXPLICIT = 0xa0
/** Strings of strings nest no deeper in what programs write. */
const MAX_DEPTH = 4

/** Undefined where there is no content that can be read: it is encrypted, or damaged. */
export function signedContent(bytes: Uint8Array): Uint8Array | undefined {
  const der = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const signed = der.subarray(0, 64).indexOf(SIGNED_DATA)
  const data = signed < 0 ? -1 : der.indexOf(DATA, signed)
  if (data < 0) return undefined
  const wrapper = elementAt(der, data + DATA.length)
  if (!wrapper || wrapper.tag !== EXPLICIT) return undefined
  const parts: Uint8Array[] = []
  gather(der, wrapper.start, wrapper.end, parts, 0)
  return parts.length > 0 ? Buffer.concat(parts) : undefined
}

interface Element {
  tag: number
  start: number
  /** Undefined length ends with two zero bytes, which are found on the way. */
  end: number
  isOpen: boolean
}

function elementAt(der: Buffer, at: number): Element | undefined {
  const tag = der[at]
  const first = der[at + 1]
  if (tag === undefined || first === undefined) return undefined
  if (first === 0x80) return { tag, start: at + 2, end: der.length, isOpen: true }
  if (first < 0x80) return { tag, start: at + 2, end: Math.min(der.length, at + 2 + first), isOpen: false }
  const count = first & 0x7f
  if (count > 4 || at + 2 + count > der.length) return undefined
  const start = at + 2 + count
  return { tag, start, end: Math.min(der.length, start + der.readUIntBE(at + 2, count)), isOpen: false }
}

/** Adds the octet strings of a range; @returns where it ended. */
function gather(der: Buffer, from: number, to: number, parts: Uint8Array[], depth: number): number {
  let at = from
  while (at < to) {
    if (der[at] === 0 && der[at + 1] === 0) return at + 2
    const element = elementAt(der, at)
    if (!element) return to
    if (element.tag === OCTET_STRING) parts.push(der.subarray(element.start, element.end))
    else if (element.tag !== (OCTET_STRING | CONSTRUCTED) || depth >= MAX_DEPTH) return to
    const inner = element.tag === OCTET_STRING ? element.end : gather(der, element.start, element.end, parts, depth + 1)
    at = element.isOpen ? inner : element.end
  }
  return at
}
