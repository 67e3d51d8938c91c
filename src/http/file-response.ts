/** Files of the library as answers: never shown in the browser, in parts where the client asks for one. */
import { AppError } from "../errors.ts"
import type { FileRecord } from "../library/record.ts"
import type { StoredBytes } from "../storage/blobs/blobs.ts"
import { rangeOf } from "./range.ts"

/** The bytes of a file, or the part of them that is asked for. @throws AppError range_not_satisfiable */
export async function fileResponse(
  { bytes, record }: { bytes: StoredBytes; record: Pick<FileRecord, "sha256" | "size" | "mime_type" | "name"> },
  { headers: request, signal }: Request,
): Promise<Response> {
  const etag = `"${record.sha256}"`
  // A part of bytes that were replaced since is of no use to a client that asks for the rest of the former ones.
  const isCurrent = (request.get("if-range") ?? etag) === etag
  const range = isCurrent ? rangeOf(request.get("range"), record.size) : undefined
  const headers: Record<string, string> = {
    "content-type": record.mime_type,
    "content-disposition": `attachment; filename="${record.name.replace(/[^\x20-\x7e]|["\\]/g, "_")}"; filename*=UTF-8''${encodeRfc5987(record.name)}`,
    "accept-ranges": "bytes",
    etag,
    "content-security-policy": "sandbox; default-src 'none'",
  }
  if (request.get("if-none-match")?.includes(etag)) return new Response(null, { status: 304, headers })
  if (range === "unsatisfiable")
    throw new AppError("range_not_satisfiable", { headers: { "Content-Range": `bytes */${record.size}` } })
  if (!range) return new Response(await bytes.stream(undefined, signal), { headers })
  headers["content-range"] = `bytes ${range.start}-${range.end}/${record.size}`
  const part = await bytes.stream({ start: range.start, end: range.end + 1 }, signal)
  return new Response(part, { status: 206, headers })
}

const encodeRfc5987 = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

export const textResponse = async (bytes: StoredBytes, { signal }: Request): Promise<Response> =>
  new Response(await bytes.stream(undefined, signal), { headers: { "content-type": "text/plain; charset=utf-8" } })

/** A picture that came with a message. Its type was compared with its bytes, and it never changes. */
export async function imageResponse(
  { bytes, mimeType, sha256 }: { bytes: StoredBytes; mimeType: string; sha256: string },
  { headers: request, signal }: Request,
): Promise<Response> {
  const etag = `"${sha256}"`
  const headers = {
    "content-type": mimeType,
    "cache-control": "private, no-cache",
    etag,
    "content-security-policy": "sandbox; default-src 'none'",
  }
  if (request.get("if-none-match")?.includes(etag)) return new Response(null, { status: 304, headers })
  return new Response(await bytes.stream(undefined, signal), { headers })
}

/** A picture that was made of a file: the client may keep it, and asks each time whether it may still show it. */
export function pictureResponse(
  { bytes, tag }: { bytes: Uint8Array<ArrayBuffer>; tag: string },
  { headers: request }: Request,
): Response {
  const etag = `"${tag}"`
  const headers = {
    "content-type": "image/png",
    "cache-control": "private, no-cache",
    etag,
    "content-security-policy": "sandbox; default-src 'none'",
  }
  if (request.get("if-none-match")?.includes(etag)) return new Response(null, { status: 304, headers })
  return new Response(bytes, { headers: { ...headers, "content-length": String(bytes.length) } })
}
