/**
 * Mail messages (RFC 5322, 2045): web pages saved as one, which Word calls `.doc`, and letters. Their HTML and text parts.
 */
import { tidyText } from "../clean-text.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { decodeText } from "./decode.ts"
import { addHtml } from "./html.ts"

const MAX_PARTS = 500
const MAX_DEPTH = 8
const MAX_HEADER_CHARS = 65_536
/** Headers that a reader of the message sees. */
const SHOWN = ["subject", "from", "to", "cc", "date"]

export const extractMht: Extractor = ({ bytes }, { out }) => {
  const message = readPart(Buffer.from(bytes).toString("latin1"))
  const subject = message.headers.get("subject")
  // A saved web page has a title of its own.
  if (subject && message.headers.has("to")) addHeaders(message.headers, out)
  let parts = MAX_PARTS
  addPart(message, 0)

  function addPart(part: Part, depth: number): void {
    if (depth > MAX_DEPTH || --parts < 0) return
    const { type, body } = part
    if (type.startsWith("multipart/")) {
      const inner = splitParts(body, part.parameter("boundary"))
      for (const child of type === "multipart/alternative" ? inner.slice(0).filter(isRichest) : inner)
        addPart(child, depth + 1)
    } else if (type === "message/rfc822") addPart(readPart(body), depth + 1)
    else if (type === "text/html" || type === "application/xhtml+xml") addHtml(decoded(part), out)
    else if (type === "text/plain")
      for (const text of decoded(part).split(/\n\s*\n/)) out.add("paragraph", tidyText(text))
  }
}

interface Part {
  headers: Map<string, string>
  type: string
  body: string
  /** Of the content type. */
  parameter(name: string): string | undefined
}

function readPart(text: string): Part {
  const gap = /\r?\n\r?\n/.exec(text.slice(0, MAX_HEADER_CHARS))
  const headers = new Map<string, string>()
  const head = gap ? text.slice(0, gap.index) : ""
  for (const line of head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const colon = line.indexOf(":")
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  const content = headers.get("content-type") ?? "text/plain"
  return {
    headers,
    type: content.split(";")[0]!.trim().toLowerCase(),
    body: gap ? text.slice(gap.index + gap[0].length) : text,
    parameter: name =>
      new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;"]+))`, "i").exec(content)?.slice(1).find(Boolean),
  }
}

/** The parts between the lines of a boundary. */
function splitParts(body: string, boundary: string | undefined): Part[] {
  if (!boundary) return []
  const pieces = `\n${body}`.split(`\n--${boundary}`).slice(1, MAX_PARTS)
  return pieces.filter(piece => !piece.startsWith("--")).map(piece => readPart(piece.replace(/^[ \t]*\r?\n/, "")))
}

/** Alternatives say the same, the richest last. */
function isRichest(_: Part, index: number, parts: Part[]): boolean {
  const readable = parts.findLastIndex(({ type }) => /^(text\/(html|plain)|multipart\/)/.test(type))
  return index === readable
}

function addHeaders(headers: Map<string, string>, out: DocumentBuilder): void {
  for (const name of SHOWN) {
    const value = headers.get(name)
    if (value)
      out.add(name === "subject" ? "heading" : "paragraph", headerText(value), name === "subject" ? 1 : undefined)
  }
}

/** Encoded words (RFC 2047) as text. */
function headerText(value: string): string {
  const joined = value.replace(/\?=\s+=\?/g, "?==?")
  return joined.replace(/=\?([\w-]+)\?([bq])\?([^?]*)\?=/gi, (_, charset: string, kind: string, text: string) => {
    const bytes = kind.toLowerCase() === "b" ? Buffer.from(text, "base64") : unquoted(text.replaceAll("_", " "))
    return decodeText(bytes, charset)
  })
}

function decoded(part: Part): string {
  return decodeText(transferDecoded(part), part.parameter("charset"))
}

function transferDecoded({ headers, body }: Part): Uint8Array {
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase()
  if (encoding === "base64") return Buffer.from(body, "base64")
  return encoding === "quoted-printable" ? unquoted(body.replace(/=[ \t]*\r?\n/g, "")) : Buffer.from(body, "latin1")
}

function unquoted(text: string): Uint8Array {
  return Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  )
}
