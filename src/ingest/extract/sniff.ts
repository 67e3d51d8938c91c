import type { Extension } from "./extensions.ts"
import { isOle, openOle } from "./ole.ts"
import { unpackBudget, ZipReader } from "./zip-reader.ts"

/** What a reader exists for: the accepted extensions and formats that only turn up under a wrong one. */
export type Format = Extension | "mht"

const IMAGES = new Set<Format>(["png", "jpg", "jpeg", "gif", "webp"])
/** Formats without a signature: whatever is not recognised as something else is what it is called. */
const PLAIN = new Set<Format>(["csv", "json", "txt", "html", "htm", "md", "sql", "yml", "yaml"])

/** The format by content, since extensions lie: RTF, HTML and MHT under `.doc` are common. */
export function sniffFormat(bytes: Uint8Array, extension: Extension): Format {
  const found = bySignature(bytes, extension) ?? (PLAIN.has(extension) ? undefined : markup(bytes))
  return found ?? extension
}

function bySignature(bytes: Uint8Array, extension: Extension): Format | undefined {
  // The PDF header may stand anywhere in the first kilobyte.
  const head = Buffer.from(bytes.subarray(0, 1024)).toString("latin1")
  if (head.startsWith("%PDF-") || (extension === "pdf" && head.includes("%PDF-"))) return "pdf"
  if (head.startsWith("{\\rtf")) return "rtf"
  if (head.startsWith("\x89PNG") || head.startsWith("\xff\xd8\xff") || head.startsWith("GIF8"))
    return imageAs(extension)
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return imageAs(extension)
  if (isOle(bytes)) return oleFormat(bytes, extension)
  if (head.startsWith("PK\x03\x04") || head.startsWith("PK\x05\x06")) return zipFormat(bytes, extension)
  return undefined
}

/** All pictures have one reader, which looks at the content itself. */
const imageAs = (extension: Extension): Format => (IMAGES.has(extension) ? extension : "png")

function oleFormat(bytes: Uint8Array, extension: Extension): Format | undefined {
  const streams = openOle(bytes)
  // The reader for the wrapped format says that it is encrypted.
  if (streams.has("encryptedpackage")) return "docx"
  if (streams.has("worddocument")) return "doc"
  if (streams.has("workbook") || streams.has("book")) return "xls"
  if (streams.has("powerpoint document") || streams.has("pp40")) return "ppt"
  return extension === "doc" || extension === "xls" || extension === "ppt" ? extension : undefined
}

function zipFormat(bytes: Uint8Array, extension: Extension): Format {
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

/** HTML and MHT (a web page as a mail message) under the name of an office format. */
function markup(bytes: Uint8Array): Format | undefined {
  const head = Buffer.from(bytes.subarray(0, 2048)).toString("latin1").replaceAll("\0", "")
  if (/^\s*(MIME-Version:|From: .*\r?\n(?:.*\r?\n)*MIME-Version:)/i.test(head)) return "mht"
  if (/<(!doctype html|html|head|body|table)\b/i.test(head) && /^[^<]{0,10}</.test(head)) return "html"
  return undefined
}
