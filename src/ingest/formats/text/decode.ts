import { isUtf8 } from "node:buffer"
import iconv from "iconv-lite"
import jschardet from "jschardet"
import { detectCodePage } from "./legacy-text.ts"

/** Bytes that the statistical detector sees: it takes 0.1 s for this many, and more do not make it surer. */
const SAMPLE_BYTES = 65_536
/** Of the statistical detector; below it other code pages are tried, which it takes apart badly in short texts and lists. */
const SURE = 0.9
/** A text decoded as UTF-8 may have this share of broken sequences among its non-ASCII characters and still be UTF-8. */
const TOLERATED_DAMAGE = 0.05

/** Bytes of text decoded whole; see `detectEncoding`. */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  let text = ""
  for (const piece of decodePieces(bytes, declared)) text += piece
  return text
}

/**
 * Decodes in pieces that end after a line break where there is one, so that a text of a gigabyte needs little memory.
 * A leading byte-order mark is dropped.
 */
export function* decodePieces(bytes: Uint8Array, declared?: string, pieceBytes = 4 * 1024 * 1024): Generator<string> {
  const encoding = detectEncoding(bytes, declared)
  const decoder = openDecoder(encoding)
  let kept = ""
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const last = at + pieceBytes >= bytes.length
    let text = kept + decoder(bytes.subarray(at, at + pieceBytes), last)
    if (at === 0 && text.charCodeAt(0) === 0xfeff) text = text.slice(1)
    const cut = last ? text.length : text.lastIndexOf("\n") + 1 || wholeCharacters(text)
    kept = text.slice(cut)
    if (cut > 0) yield text.slice(0, cut)
  }
}

/** All but a last `\r` or leading surrogate, whose other half is still to come. */
function wholeCharacters(text: string): number {
  const last = text.charCodeAt(text.length - 1)
  return last === 13 || (last >= 0xd800 && last < 0xdc00) ? text.length - 1 : text.length
}

type Decode = (bytes: Uint8Array, last: boolean) => string

function openDecoder(encoding: string): Decode {
  try {
    // The label comes from a detector and may be unknown to the platform: that is what the catch is for.
    const decoder = new TextDecoder(encoding as "utf-8", { ignoreBOM: true })
    return (bytes, last) => decoder.decode(bytes, { stream: !last })
  } catch {
    if (!iconv.encodingExists(encoding)) return openDecoder("windows-1252")
    const decoder = iconv.getDecoder(encoding)
    return (bytes, last) => decoder.write(Buffer.from(bytes)) + (last ? (decoder.end() ?? "") : "")
  }
}

/**
 * Finds the encoding: byte-order mark, the zero bytes of UTF-16 without one, strict UTF-8, what the document declares,
 * UTF-8 with a little damage, then statistics; windows-1252 where nothing is sure.
 */
export function detectEncoding(bytes: Uint8Array, declared?: string): string {
  const marked = byteOrderMark(bytes) ?? zeroBytePattern(bytes)
  if (marked) return marked
  if (isUtf8(bytes)) return usesIso2022(bytes) ? "iso-2022-jp" : "utf-8"
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  // A declared UTF-8 was just refuted.
  if (declared && !/^utf-?(7|8|16|32)/i.test(declared) && isKnownEncoding(declared)) return declared.toLowerCase()
  if (isDamagedUtf8(bytes)) return "utf-8"
  const guess = jschardet.detect(Buffer.from(sample))
  if (guess.encoding && guess.confidence > SURE) return guess.encoding.toLowerCase()
  return detectCodePage(sample, guess.encoding ? [guess.encoding.toLowerCase()] : [])
}

function byteOrderMark(b: Uint8Array): string | undefined {
  if (b[0] === 0xff && b[1] === 0xfe) return b[2] === 0 && b[3] === 0 && b.length >= 8 ? "utf-32le" : "utf-16le"
  if (b[0] === 0 && b[1] === 0 && b[2] === 0xfe && b[3] === 0xff) return "utf-32be"
  if (b[0] === 0xfe && b[1] === 0xff) return "utf-16be"
  return b[0] === 0xef && b[1] === 0xbb && b[2] === 0xbf ? "utf-8" : undefined
}

/** UTF-16 without a mark has zero bytes beside ASCII ones, nearly all on one side; Japanese text has enough of them too. */
function zeroBytePattern(bytes: Uint8Array): string | undefined {
  if (bytes.length % 2 !== 0) return undefined
  let little = 0
  let big = 0
  for (let i = 0; i + 1 < Math.min(bytes.length, SAMPLE_BYTES); i += 2) {
    const first = bytes[i]!
    const second = bytes[i + 1]!
    if (second === 0 && first >= 9 && first < 127) little++
    if (first === 0 && second >= 9 && second < 127) big++
  }
  if (little > 4 * big) return "utf-16le"
  return big > 4 * little ? "utf-16be" : undefined
}

/** ISO-2022-JP is pure ASCII bytes with escapes `ESC $` and `ESC (`, so that it passes for UTF-8. */
function usesIso2022(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  for (let at = sample.indexOf(0x1b); at >= 0; at = sample.indexOf(0x1b, at + 1))
    if (sample[at + 1] === 0x24 && (sample[at + 2] === 0x40 || sample[at + 2] === 0x42)) return true
  return false
}

function isDamagedUtf8(bytes: Uint8Array): boolean {
  // Damage may come late in the file: look where the first non-ASCII bytes are as well as at the start.
  let first = 0
  while (first < bytes.length && bytes[first]! < 128) first++
  const text = new TextDecoder().decode(bytes.subarray(first, first + SAMPLE_BYTES))
  let broken = 0
  let intact = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0xfffd) broken++
    else if (code > 127) intact++
  }
  return broken <= intact * TOLERATED_DAMAGE && intact > 0
}

function isKnownEncoding(label: string): boolean {
  try {
    new TextDecoder(label as "utf-8")
    return true
  } catch {
    return iconv.encodingExists(label)
  }
}
