/** A page of the web as it comes: what it is called, what it is, its bytes. */
import { Parser } from "htmlparser2"
import type { Egress } from "../../egress/egress.ts"
import { AppError } from "../../errors.ts"
import { findExtension, MIME_TYPES } from "../../ingest/formats/formats.ts"
import type { Reading } from "../../storage/files.ts"
import { safeName } from "../labels.ts"

const TIMEOUT_MS = 20_000
const MAX_BYTES = 50 * 1024 * 1024
const MAX_REDIRECTS = 5
/** In which a title is looked for, and what an answer without a type is told by. */
const HEAD_BYTES = 65_536
const MAX_TITLE = 200
/** Of validators, which are sent back: a server may send anything. */
const MAX_VALIDATOR = 1_000

export interface FetchedPage {
  /** With an extension that is accepted. */
  name: string
  type: string
  charset: string | undefined
  etag: string | null
  lastModified: string | null
  /** To be read to its end, or returned from once it was begun. */
  bytes: AsyncIterable<Uint8Array>
  /** Lets go of the connection, for whoever may not have begun to read. */
  close(): Promise<void>
  /** What answered, after redirects. */
  url: string
}

/** What is known of a page; its server is asked whether it is still so. */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

interface Asked {
  known?: Validators | undefined
  maxBytes: number
  signal?: AbortSignal | undefined
}

/**
 * @returns undefined where the page is as it was known
 * @throws AppError forbidden, invalid_request, fetch_failed (also for a status that is no success), file_too_large,
 *   unsupported_file_type
 */
export async function fetchPage(
  egress: Pick<Egress, "fetch">,
  url: string,
  { known, maxBytes, signal }: Asked,
): Promise<FetchedPage | undefined> {
  const response = await egress.fetch(url, {
    headers: {
      accept: "text/html, application/xhtml+xml, application/pdf, text/plain, */*;q=0.5",
      ...(known?.etag ? { "if-none-match": known.etag } : {}),
      ...(known?.lastModified ? { "if-modified-since": known.lastModified } : {}),
    },
    redirects: MAX_REDIRECTS,
    timeoutMs: TIMEOUT_MS,
    maxBytes: Math.min(maxBytes, MAX_BYTES),
    ...(signal ? { signal } : {}),
  })
  if (response.status === 304 && known) return undefined
  if (!response.ok || !response.body) {
    await response.body?.cancel()
    throw new AppError("fetch_failed", {
      message: `the server answered with status ${response.status}`,
      details: [{ status: response.status }],
    })
  }
  return describePage(response)
}

/** @throws AppError unsupported_file_type; nothing is read then */
export async function describePage(response: Response): Promise<FetchedPage> {
  const { head, bytes, close } = await peek(response.body!)
  try {
    const [mime = "", ...parameters] = (response.headers.get("content-type") ?? "").split(";")
    const url = new URL(response.url)
    const type = typeOf(mime.trim().toLowerCase(), url, head)
    const charset = CHARSET.exec(parameters.join(";"))?.[1]?.toLowerCase()
    const title = type === "html" ? titleOf(head, charset) : ""
    return {
      ...{ name: nameOf(title, url, type), type, charset, bytes, close, url: url.href },
      etag: validator(response.headers.get("etag")),
      lastModified: validator(response.headers.get("last-modified")),
    }
  } catch (error) {
    await close()
    throw error
  }
}

const CHARSET = /charset\s*=\s*["']?\s*([\w:.-]{1,40})/i

const validator = (value: string | null): string | null =>
  value !== null && value.length <= MAX_VALIDATOR && /^[\x20-\x7e]+$/.test(value) ? value : null

/** How the bytes begin, and all of them, to be read once. */
async function peek(body: ReadableStream<Uint8Array>) {
  const parts: Uint8Array[] = []
  const reader = body.getReader()
  const close = async () => void (await reader.cancel().catch(() => {}))
  let length = 0
  while (length < HEAD_BYTES) {
    const { done, value } = await reader.read()
    if (done) break
    parts.push(value)
    length += value.length
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* parts
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
    } finally {
      await close()
    }
  }
  return { head: Buffer.concat(parts).subarray(0, HEAD_BYTES), bytes: all(), close }
}

const BY_MIME = new Map([
  ...[...MIME_TYPES].map(([extension, mime]) => [mime, extension] as const).reverse(),
  ["application/xhtml+xml", "html"] as const,
])
/** What servers say of a file that they know nothing of. */
const UNTOLD = new Set(["", "application/octet-stream", "binary/octet-stream", "application/force-download"])

/** @throws AppError unsupported_file_type */
function typeOf(mime: string, url: URL, head: Buffer): string {
  const named = findExtension(lastPart(url))
  const told = BY_MIME.get(mime)
  // Servers call Markdown, CSV and program texts plain; a page is never told by its name alone.
  if (told === "txt" && named && named !== "html" && named !== "htm") return named
  if (told) return told
  if (UNTOLD.has(mime)) {
    const shown = /^\s*(?:<!--[\s\S]{0,1000}?-->\s*)?<(?:!doctype html|html)\b/i.test(head.toString("latin1", 0, 4_096))
    return shown ? "html" : head.subarray(0, 5).toString("latin1") === "%PDF-" ? "pdf" : (named ?? refuse(mime))
  }
  return mime.startsWith("text/") ? "txt" : refuse(mime)
}

function refuse(mime: string): never {
  throw new AppError("unsupported_file_type", {
    message:
      mime === ""
        ? "the server does not say what this is"
        : `what the server sends is ${mime.slice(0, 100)}, which cannot be read`,
  })
}

function titleOf(head: Buffer, charset: string | undefined): string {
  const declared = charset ?? CHARSET.exec(head.toString("latin1", 0, 4_096))?.[1]
  let title = ""
  let isOpen = false
  const parser = new Parser({
    onopentag(name) {
      isOpen = name === "title" && title === ""
    },
    ontext(text) {
      if (isOpen && title.length < MAX_TITLE) title += text
    },
    onclosetag() {
      isOpen = false
    },
  })
  parser.write(decode(head, declared))
  parser.end()
  return title.replace(/\s+/g, " ").trim().slice(0, MAX_TITLE)
}

function decode(bytes: Buffer, charset = "utf-8"): string {
  try {
    return new TextDecoder(charset as "utf-8").decode(bytes)
  } catch {
    return bytes.toString("latin1")
  }
}

function nameOf(title: string, url: URL, type: string): string {
  if (title !== "") return safeName(`${title.replaceAll(/[/\\]/g, "-")}.${type}`)
  const last = safeName(lastPart(url)) || url.hostname
  return findExtension(last) === type ? last : safeName(`${last}.${type}`)
}

/** Decoded, without what would be a folder. */
function lastPart({ pathname }: URL): string {
  const last = pathname.split("/").findLast(Boolean) ?? ""
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

/** What the reader of a page has to know. */
export const readingFor = (
  { type, charset }: Pick<FetchedPage, "type" | "charset">,
  mainContent: boolean,
): Reading => ({
  ...(type === "html" ? { mainContent } : {}),
  ...(charset === undefined ? {} : { charset }),
})
