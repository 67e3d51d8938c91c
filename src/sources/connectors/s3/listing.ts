/**
 * A page of a bucket's list, read as it comes in. The S3 client takes one apart in one go: 4 MB of a hostile server's tags kept
 * the thread for 0.3 to 1.1 s, page after page; piece by piece it is 40 ms at most.
 */
import { Turns } from "../../../threads/turns.ts"
import { XmlPlaces } from "../xml-places.ts"

export interface ListedObject {
  key: string
  /** Bytes. */
  size: number | undefined
  /** With its quotes. */
  etag: string | undefined
  /** ISO-8601. */
  updatedAt: string | undefined
}

export interface ListingPage {
  objects: ListedObject[]
  /** Undefined where the answer does not say: it is no list. */
  isTruncated: boolean | undefined
  /** Where the list goes on. */
  next: string | undefined
}

const TURN_MS = 10
/** Parsed at a time. */
const STEP = 16_384
/** Of a key, which has 1 024 bytes at most, or of another value. */
const MAX_TEXT = 16_384
/** `ListBucketResult/Contents/Owner/ID`, and room for what servers add. */
const MAX_DEPTH = 16

const PAGE = "ListBucketResult"
const OBJECT = `${PAGE}/Contents`

/**
 * @param bytes in UTF-8
 * @throws Error where it is cut, or nested as no list is; what `bytes` throws; the reason of the signal
 */
export async function readListing(bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<ListingPage> {
  const reader = new ListingReader()
  const decoder = new TextDecoder()
  const turns = new Turns(TURN_MS, signal)
  for await (const piece of bytes) {
    const text = decoder.decode(piece, { stream: true })
    for (let at = 0; at < text.length; at += STEP) {
      reader.write(text.slice(at, at + STEP))
      await turns.next()
    }
  }
  reader.write(decoder.decode())
  return reader.end()
}

class ListingReader {
  private readonly page: ListingPage = { objects: [], isTruncated: undefined, next: undefined }
  private values = new Map<string, string>()
  private isWhole = false
  private readonly xml = new XmlPlaces({
    maxDepth: MAX_DEPTH,
    maxText: MAX_TEXT,
    textFrom: 1,
    opened: place => this.opened(place),
    closed: (place, text, isImplied) => this.closed(place, text, isImplied),
  })

  write(text: string): void {
    this.xml.write(text)
  }

  end(): ListingPage {
    this.xml.end()
    if (!this.isWhole) throw new Error("the list is not whole")
    return this.page
  }

  private opened(place: string): void {
    if (place === OBJECT) this.values = new Map()
  }

  private closed(place: string, text: string, isImplied: boolean): void {
    if (place === PAGE) this.isWhole = !isImplied
    else if (place === OBJECT) this.note()
    else if (place === `${PAGE}/IsTruncated`) this.page.isTruncated = text.trim() === "true"
    else if (place === `${PAGE}/NextContinuationToken`) this.page.next = text
    else if (place.startsWith(`${OBJECT}/`)) this.values.set(place.slice(OBJECT.length + 1), text)
  }

  private note(): void {
    const key = this.values.get("Key")
    if (key === undefined) throw new Error("the list has an object without a key")
    const size = this.values.get("Size")?.trim()
    const updatedAt = Date.parse(this.values.get("LastModified") ?? "")
    this.page.objects.push({
      key,
      size: size && /^\d+$/.test(size) ? Number(size) : undefined,
      etag: this.values.get("ETag"),
      updatedAt: Number.isNaN(updatedAt) ? undefined : new Date(updatedAt).toISOString(),
    })
  }
}
