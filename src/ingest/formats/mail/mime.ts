/**
 * Mail messages (RFC 5322, 2045) as a tree of parts, by postal-mime. Its answer joins the texts of a message and decodes
 * them by what they declare, which many do falsely or not at all: here the tree that it made is read itself.
 */
import iconv from "iconv-lite"
import PostalMime, { addressParser, decodeWords } from "postal-mime"
import { detectEncoding } from "../text/decode.ts"

/** A part as postal-mime keeps it: not of its interface, so `test/ingest/formats/mail.test.ts` names the version. */
export interface MimePart {
  headers: { key: string; value: string }[]
  childNodes: MimePart[]
  contentType: { parsed: Structured; multipart: string | false }
  contentDisposition: { parsed: Structured }
  contentId?: string
  /** Freed of its transfer encoding; null for parts that have none. */
  content: ArrayBuffer | null
  /** RFC 3676. */
  decodeFlowedText(text: string, delSp: boolean): string
}

interface Structured {
  value: string
  params: Record<string, string>
}

/** A message is held in memory several times over; mail services take no more than 25 to 150 MB. */
export const MAX_MESSAGE_BYTES = 96 * 1024 * 1024
const MAX_HEAD_BYTES = 2 * 1024 * 1024

/** @throws where the headers are longer than 2 MB or parts are nested more than 256 deep. */
export async function parseMessage(bytes: Uint8Array): Promise<MimePart> {
  const parser = new PostalMime({ forceRfc822Attachments: true })
  await parser.parse(withReadableHead(withoutSeparator(bytes).subarray(0, MAX_MESSAGE_BYTES)))
  return (parser as unknown as { root: MimePart }).root
}

/** A message that was cut out of a mailbox may have kept the line before it. */
function withoutSeparator(bytes: Uint8Array): Uint8Array {
  const start = Buffer.from(bytes.subarray(0, 2048)).toString("latin1")
  const line = /^(?:\xef\xbb\xbf)?(?:[\r\n]*>?From [^\n]*\n)?/.exec(start)?.[0] ?? ""
  return bytes.subarray(line.length)
}

/** The headers of a message alone. */
export async function parseHead(bytes: Uint8Array): Promise<MimePart> {
  return parseMessage(bytes.subarray(0, headLength(bytes)))
}

/** Headers are ASCII or UTF-8 by the rules; older programs wrote them in the code page of their country. */
function withReadableHead(bytes: Uint8Array): Uint8Array {
  const head = Buffer.from(bytes.subarray(0, headLength(bytes))).toString("latin1")
  const foreign = head.split("\n").filter(line => /[\x80-\xff]/.test(line))
  if (foreign.length === 0) return bytes
  const declared = /charset\s*=\s*"?([\w-]+)/i.exec(head)?.[1]
  // The lines that are ASCII would speak for a Western code page.
  const encoding = detectEncoding(Buffer.from(foreign.join("\n"), "latin1"), declared)
  const readable = decodeAs(Buffer.from(head, "latin1"), encoding)
  return Buffer.concat([Buffer.from(readable), bytes.subarray(head.length)])
}

const decodeAs = (bytes: Buffer, encoding: string) =>
  iconv.encodingExists(encoding) ? iconv.decode(bytes, encoding) : bytes.toString("utf8")

/** Up to the first empty line. */
function headLength(bytes: Uint8Array): number {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_HEAD_BYTES))
  const ends = [head.indexOf("\n\n"), head.indexOf("\n\r\n")].filter(at => at >= 0)
  return ends.length > 0 ? Math.min(...ends) + 1 : head.length
}

/** The first header of that name with its encoded words as text; undefined where there is none. */
export function headerText(part: MimePart, name: string): string | undefined {
  const value = part.headers.find(({ key }) => key === name)?.value
  return value ? oneLine(decodeWords(value)) || undefined : undefined
}

/** All addresses of the headers of that name: `Name <address>, address`. */
export function addressesText(part: MimePart, name: string): string | undefined {
  const people = part.headers
    .filter(({ key }) => key === name)
    .flatMap(({ value }) => addressParser(value, { flatten: true }))
    .map(({ name, address }) => oneLine(name && address ? `${name} <${address}>` : name || (address ?? "")))
  return people.filter(Boolean).join(", ") || headerText(part, name)
}

/** The file name that a part gives itself. */
export function fileNameOf({ contentDisposition, contentType }: MimePart): string | undefined {
  const name = contentDisposition.parsed.params.filename || contentType.parsed.params.name
  return name ? oneLine(decodeWords(name)) || undefined : undefined
}

export const bytesOf = ({ content }: MimePart): Uint8Array => new Uint8Array(content ?? new ArrayBuffer(0))

export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()
