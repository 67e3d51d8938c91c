import { unpackBudget, ZipReader } from "./archive/zip-reader.ts"
import type { Extension } from "./extensions.ts"
import { isOle, openOle } from "./legacy/ole.ts"

/** What a reader exists for: the accepted extensions and formats that only turn up under a wrong one. */
export type Format = Extension | "mht" | "word_xml"

const IMAGES = new Set<Format>(["png", "jpg", "jpeg", "gif", "webp"])
/** Formats without a signature: whatever is not recognised as something else is what it is called. */
const PLAIN = new Set<Format>(["csv", "json", "txt", "html", "htm", "md", "sql", "yml", "yaml"])

/** The format by content, since extensions lie: RTF, HTML, XML and MHT under `.doc` are common. */
export function sniffFormat(bytes: Uint8Array, extension: Format): Format {
  const found = bySignature(bytes, extension) ?? (PLAIN.has(extension) ? undefined : markup(bytes))
  if (found) return found
  return extension === "doc" && looksLikeText(bytes) ? "txt" : extension
}

/**
 * The format of a file whose name says nothing that is known; undefined for what cannot be read: programs, sound,
 * film and the like.
 */
export function sniffUnnamed(bytes: Uint8Array): Format | undefined {
  if (bytes[0] === 0x4d && bytes[1] === 0x5a) return undefined // a program of DOS or Windows
  const found = bySignature(bytes, "txt") ?? markup(bytes)
  if (found && found !== "txt") return found
  return looksLikeText(bytes) ? "txt" : undefined
}

/** Whether the beginning of a file leaves a chance that `sniffUnnamed` finds a format in the whole. */
export function mayBeReadable(head: Uint8Array): boolean {
  return isOle(head) || (head[0] === 0x50 && head[1] === 0x4b) || sniffUnnamed(head) !== undefined
}

const TEXT_SAMPLE_BYTES = 65_536

/** True where there are next to no control characters: in UTF-8, UTF-16 or an 8-bit code page. */
export function looksLikeText(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, TEXT_SAMPLE_BYTES)
  const [first, second] = sample
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true
  let controls = 0
  for (const byte of sample) {
    if (byte === 0) return false
    if ((byte < 32 && (byte < 9 || byte > 13) && byte !== 27) || byte === 127) controls++
  }
  return sample.length > 0 && controls <= sample.length / 100
}

function bySignature(bytes: Uint8Array, extension: Format): Format | undefined {
  // The PDF header may stand anywhere in the first kilobyte.
  const head = Buffer.from(bytes.subarray(0, 1024)).toString("latin1")
  if (head.startsWith("%PDF-") || (extension === "pdf" && head.includes("%PDF-"))) return "pdf"
  if (/^(?:\xef\xbb\xbf)?\s{0,100}\{\\rtf/.test(head)) return "rtf"
  if (head.startsWith("\x89PNG") || head.startsWith("\xff\xd8\xff") || head.startsWith("GIF8"))
    return imageAs(extension)
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return imageAs(extension)
  if (isOle(bytes)) return oleFormat(bytes, extension)
  if (head.startsWith("PK\x03\x04") || head.startsWith("PK\x05\x06")) return zipFormat(bytes, extension)
  return undefined
}

/** All pictures have one reader, which looks at the content itself. */
const imageAs = (extension: Format): Format => (IMAGES.has(extension) ? extension : "png")

function oleFormat(bytes: Uint8Array, extension: Format): Format | undefined {
  const streams = openOle(bytes)
  if (streams.has("worddocument")) return "doc"
  if (streams.has("workbook") || streams.has("book")) return "xls"
  if (streams.has("powerpoint document") || streams.has("pp40")) return "ppt"
  return extension === "doc" || extension === "xls" || extension === "ppt" ? extension : undefined
}

function zipFormat(bytes: Uint8Array, extension: Format): Format {
  if (extension === "zip") return "zip"
  let names: string[]
  try {
    names = new ZipReader(bytes, unpackBudget(0)).entries.map(entry => entry.name.toLowerCase().replace(/^\//, ""))
  } catch {
    return extension
  }
  const has = (start: string) => names.some(name => name.startsWith(start))
  if (has("word/")) return "docx"
  if (has("xl/")) return "xlsx"
  if (has("ppt/")) return "pptx"
  if (has("meta-inf/container.xml")) return "epub"
  if (has("content.xml")) return extension === "odp" || extension === "ods" ? extension : "odt"
  return has("[content_types].xml") || !PLAIN.has(extension) ? extension : "zip"
}

/** HTML, MHT (a web page as a mail message) and Word's XML under the name of an office format. */
function markup(bytes: Uint8Array): Format | undefined {
  const head = Buffer.from(bytes.subarray(0, 4096)).toString("latin1").replaceAll("\0", "")
  if (isMessage(head)) return "mht"
  if (/<(?:w:wordDocument|pkg:package)\b/.test(head)) return "word_xml"
  if (/<(!doctype html|html|head|body|table)\b/i.test(head) && /^[^<]{0,10}</.test(head)) return "html"
  return undefined
}

/** Header lines, among them the version of MIME, or a type and another that messages have. */
function isMessage(head: string): boolean {
  const names: string[] = []
  for (const line of head
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()
    .split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) continue
    const name = /^([!-9;-~]{1,60}):/.exec(line)?.[1]
    if (!name) break
    names.push(name.toLowerCase())
  }
  if (names.includes("mime-version")) return true
  return (
    names.includes("content-type") &&
    names.some(name => /^(from|subject|content-(location|transfer-encoding))$/.test(name))
  )
}
