/**
 * Reads ZIP files that cannot be trusted: no declared size is believed, every inflation has a hard limit, a missing or
 * broken directory is rebuilt from the local headers. Format: PKWARE APPNOTE 6.3, sections 4.3 and 4.5.3 (zip64).
 */
import { isUtf8 } from "node:buffer"
import { inflateRawSync, zstdDecompressSync } from "node:zlib"
import { ExtractionError } from "../../../storage/document.ts"
import type { UnpackBudget } from "../extractor.ts"
import { decodeBytes, detectNamePage } from "../text/legacy-text.ts"
import { bunzip2 } from "./unpack/bzip2.ts"
import { inflate64 } from "./unpack/inflate64.ts"
import { unpackZipLzma } from "./unpack/lzma.ts"

export interface ZipEntry {
  /** As stored, with forward slashes. */
  name: string
  encrypted: boolean
  method: number
  /** Undefined where only scanning could tell. */
  compressedSize: number | undefined
  /** As declared: no more than a hint. Undefined where it is not told, or the data marks its end itself. */
  size: number | undefined
  /** Position of the local header. */
  offset: number
}

const LOCAL_HEADER = 0x04034b50
const DIRECTORY_ENTRY = 0x02014b50
const DIRECTORY_END = 0x06054b50
const ZIP64_LOCATOR = 0x07064b50
const ZIP64_END = 0x06064b50
const STORED = 0
const DEFLATED = 8
/** Of the flags: LZMA data with a mark for its end. */
const MARKED_END = 2
/** Of the flags: sizes follow the data. */
const SIZES_BEHIND = 8

/** Unpacks data. @throws `RangeError` where it gives more than `limit` bytes, other errors for damage */
type Unpack = (data: Uint8Array, limit: number, size: number | undefined) => Uint8Array

/** By the number of the method, beside Deflate; 7-Zip and newer programs use them. */
const METHODS: Record<number, Unpack> = {
  9: inflate64,
  12: bunzip2,
  14: unpackZipLzma,
  93: (data, limit) => bounded(() => zstdDecompressSync(data, { maxOutputLength: Math.max(1, limit) })),
}

/** One entry may be inflated to this size; it is held in memory as a whole. */
const MAX_ENTRY_BYTES = 256 * 1024 * 1024
const MAX_ENTRIES = 20_000
const PEEK_BYTES = 8192
/** No Deflate stream gives more for its size. */
const MAX_DEFLATE_RATIO = 1040
/** Packed data up to this size is tried about twenty times to find where its damage begins. */
const MAX_SALVAGED_BYTES = 8 * 1024 * 1024
/** A file may unpack to this many times its size: above what tables of repeated values reach, below what bombs need. */
const MAX_RATIO = 200
const MIN_BUDGET_BYTES = 64 * 1024 * 1024
const MAX_BUDGET_BYTES = 4 * 1024 * 1024 * 1024

/** What a file of this size may unpack to, over all levels of nesting. */
export function unpackBudget(fileBytes: number): UnpackBudget {
  const bytes = Math.min(MAX_BUDGET_BYTES, Math.max(MIN_BUDGET_BYTES, fileBytes * MAX_RATIO))
  return { bytes, entries: MAX_ENTRIES, depth: 0 }
}

/** An opened archive. `recovered` says that its directory was missing or broken. */
export class ZipReader {
  readonly entries: ZipEntry[]
  readonly recovered: boolean
  /** Entries whose data is damaged, of which `read` gave what stands before the damage. */
  cutShort = 0
  private readonly view: DataView

  /** @throws ExtractionError `corrupt_file` where there is no entry to be found, `archive_rejected` over the budget. */
  constructor(
    private readonly bytes: Uint8Array,
    private readonly budget: UnpackBudget,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const listed = this.directory()
    this.recovered = listed === undefined
    this.entries = this.named(listed ?? this.scan())
    budget.entries -= this.entries.length
  }

  /** @throws ExtractionError: `encrypted_file`, `corrupt_file` (damaged or an unknown method) or `archive_rejected`. */
  read(entry: ZipEntry): Uint8Array {
    if (entry.encrypted) throw new ExtractionError("encrypted_file", "the entry is encrypted")
    const data = this.compressed(entry)
    const limit = Math.min(MAX_ENTRY_BYTES, this.budget.bytes)
    const content = entry.method === STORED ? data : this.inflate(data, entry, limit)
    if (content.length > limit) throw tooLarge(entry.name)
    this.budget.bytes -= content.length
    return content
  }

  /** How an entry begins, at least some bytes of it, without a charge; empty where that cannot be told cheaply. */
  peek(entry: ZipEntry): Uint8Array {
    if (entry.encrypted) return new Uint8Array()
    try {
      const data = this.compressed(entry).subarray(0, PEEK_BYTES)
      if (entry.method === STORED) return data
      return entry.method === DEFLATED ? inflate(data, PEEK_BYTES * MAX_DEFLATE_RATIO) : new Uint8Array()
    } catch {
      return new Uint8Array()
    }
  }

  /** Whether an entry, as far as it tells its size, may be read. */
  fits({ size = 0 }: ZipEntry): boolean {
    return size <= Math.min(MAX_ENTRY_BYTES, this.budget.bytes)
  }

  /** The data of an entry as it is packed. @throws ExtractionError `corrupt_file` */
  compressed(entry: ZipEntry): Uint8Array {
    if (this.u32(entry.offset) !== LOCAL_HEADER) throw damaged()
    const start =
      entry.offset + 30 + this.view.getUint16(entry.offset + 26, true) + this.view.getUint16(entry.offset + 28, true)
    const end = entry.compressedSize === undefined ? this.bytes.length : start + entry.compressedSize
    return this.bytes.subarray(start, Math.min(end, this.bytes.length))
  }

  private inflate(data: Uint8Array, { method, name, size }: ZipEntry, limit: number): Uint8Array {
    const unpack = method === DEFLATED ? inflate : METHODS[method]
    if (!unpack)
      throw new ExtractionError("corrupt_file", `the entry is packed with a method (${method}) that cannot be read`)
    try {
      return unpack(data, limit, size)
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(name)
      if (method !== DEFLATED || data.length > MAX_SALVAGED_BYTES) throw damaged()
    }
    try {
      const beginning = inflateBeginning(data, limit)
      if (beginning.length === 0) throw damaged()
      this.cutShort++
      return beginning
    } catch (error) {
      throw error instanceof RangeError ? tooLarge(name) : damaged()
    }
  }

  /** The central directory; undefined where it is missing or does not hold together. */
  private directory(): RawEntry[] | undefined {
    const end = this.findEnd()
    if (end === undefined) return undefined
    try {
      const { count, size, offset } = this.endRecord(end)
      this.admit(count)
      // Bytes put in front of the archive (self-extracting programs) shift all offsets.
      const shift = this.u32(offset) === DIRECTORY_ENTRY || count === 0 ? 0 : end - size - offset
      const entries: RawEntry[] = []
      for (let at = offset + shift; entries.length < count; ) {
        if (this.u32(at) !== DIRECTORY_ENTRY) return undefined
        entries.push(this.directoryEntry(at, shift))
        at +=
          46 +
          this.view.getUint16(at + 28, true) +
          this.view.getUint16(at + 30, true) +
          this.view.getUint16(at + 32, true)
      }
      return entries
    } catch (error) {
      if (error instanceof RangeError) return undefined
      throw error
    }
  }

  private findEnd(): number | undefined {
    // The record has 22 bytes and a comment of at most 65 535.
    for (let at = this.bytes.length - 22; at >= Math.max(0, this.bytes.length - 65_557); at--)
      if (this.bytes[at] === 0x50 && this.u32(at) === DIRECTORY_END) return at
    return undefined
  }

  private endRecord(end: number): { count: number; size: number; offset: number } {
    const count = this.view.getUint16(end + 10, true)
    const size = this.view.getUint32(end + 12, true)
    const offset = this.view.getUint32(end + 16, true)
    if ((count !== 0xffff && offset !== 0xffffffff) || this.u32(end - 20) !== ZIP64_LOCATOR)
      return { count, size, offset }
    const record = this.u64(end - 12)
    if (this.u32(record) !== ZIP64_END) return { count, size, offset }
    return { count: this.u64(record + 32), size: this.u64(record + 40), offset: this.u64(record + 48) }
  }

  private directoryEntry(at: number, shift: number): RawEntry {
    const flags = this.view.getUint16(at + 8, true)
    const nameLength = this.view.getUint16(at + 28, true)
    let compressedSize = this.view.getUint32(at + 20, true)
    let offset = this.view.getUint32(at + 42, true)
    let size: number | undefined = this.view.getUint32(at + 24, true)
    const extra = at + 46 + nameLength
    const extraEnd = extra + this.view.getUint16(at + 30, true)
    for (let field = extra; field + 4 <= extraEnd; field += 4 + this.view.getUint16(field + 2, true)) {
      if (this.view.getUint16(field, true) !== 1) continue
      let value = field + 4
      if (size === 0xffffffff) {
        size = this.u64(value)
        value += 8
      }
      if (compressedSize === 0xffffffff) {
        compressedSize = this.u64(value)
        value += 8
      }
      if (offset === 0xffffffff) offset = this.u64(value)
    }
    return {
      name: "",
      rawName: this.bytes.subarray(at + 46, extra),
      unicodeName: unicodeName(this.bytes.subarray(extra, extraEnd)),
      encrypted: (flags & 1) !== 0,
      method: this.view.getUint16(at + 10, true),
      compressedSize,
      size: flags & MARKED_END ? undefined : size,
      offset: offset + shift,
    }
  }

  /** Finds local headers one after another: what a truncated file still has. */
  private scan(): RawEntry[] {
    const entries: RawEntry[] = []
    for (
      let at = this.bytes.indexOf(0x50);
      at >= 0 && at + 30 <= this.bytes.length;
      at = this.bytes.indexOf(0x50, at)
    ) {
      if (this.u32(at) !== LOCAL_HEADER) {
        at++
        continue
      }
      const nameLength = this.view.getUint16(at + 26, true)
      const start = at + 30 + nameLength + this.view.getUint16(at + 28, true)
      if (start > this.bytes.length) break
      const size = this.view.getUint32(at + 18, true)
      const known = size > 0 && size <= this.bytes.length - start
      const flags = this.view.getUint16(at + 6, true)
      entries.push({
        name: "",
        rawName: this.bytes.subarray(at + 30, at + 30 + nameLength),
        unicodeName: unicodeName(this.bytes.subarray(at + 30 + nameLength, start)),
        encrypted: (flags & 1) !== 0,
        method: this.view.getUint16(at + 8, true),
        size: flags & (MARKED_END | SIZES_BEHIND) ? undefined : this.view.getUint32(at + 22, true),
        compressedSize: known ? size : undefined,
        offset: at,
      })
      this.admit(entries.length)
      at = known ? start + size : start
    }
    if (entries.length === 0) throw new ExtractionError("corrupt_file", "the archive is damaged: it has no entry")
    return entries
  }

  /** Names in UTF-8 or in Unicode beside them are clear; of the others all together show the code page. */
  private named(entries: RawEntry[]): ZipEntry[] {
    const unclear = entries.flatMap(({ rawName, unicodeName }) =>
      unicodeName === undefined && !isUtf8(rawName) ? [Buffer.from(rawName), SEPARATOR] : [],
    )
    const page = unclear.length > 0 ? detectNamePage(Buffer.concat(unclear)) : "utf-8"
    return entries.map(({ rawName, unicodeName, ...entry }) => {
      const name = unicodeName ?? decodeBytes(rawName, isUtf8(rawName) ? "utf-8" : page)
      return { ...entry, name: name.replaceAll("\\", "/").replaceAll("\0", "") }
    })
  }

  private admit(count: number): void {
    if (count > this.budget.entries) throw new ExtractionError("archive_rejected", "the archive has too many entries")
  }

  private u32(at: number): number {
    return at >= 0 && at + 4 <= this.bytes.length ? this.view.getUint32(at, true) : 0
  }

  private u64(at: number): number {
    return Number(this.view.getBigUint64(at, true))
  }
}

/** @throws where the data is damaged, or `RangeError` where it gives more than `limit` bytes. */
function inflate(data: Uint8Array, limit: number): Uint8Array {
  // finishFlush 2 (Z_SYNC_FLUSH): a truncated stream gives what it has.
  return bounded(() => inflateRawSync(data, { maxOutputLength: Math.max(1, limit), finishFlush: 2 }))
}

function bounded(unpack: () => Uint8Array): Uint8Array {
  try {
    return unpack()
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") throw new RangeError("too large")
    throw error
  }
}

/** What stands before the damage: the longest beginning that inflates, found by halving. */
function inflateBeginning(data: Uint8Array, limit: number): Uint8Array {
  let good = 0
  let bad = data.length
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1
    try {
      inflate(data.subarray(0, middle), limit)
      good = middle
    } catch (error) {
      if (error instanceof RangeError) throw error
      bad = middle
    }
  }
  return inflate(data.subarray(0, good), limit)
}

/** An entry whose name is not decoded yet. */
interface RawEntry extends ZipEntry {
  rawName: Uint8Array
  unicodeName: string | undefined
}

const UNICODE_PATH = 0x7075
const SEPARATOR = Buffer.from("\n")

/** The name that Info-ZIP puts beside one in an old code page (APPNOTE 4.6.9). */
function unicodeName(extra: Uint8Array): string | undefined {
  const view = new DataView(extra.buffer, extra.byteOffset, extra.byteLength)
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + view.getUint16(at + 2, true)
    if (view.getUint16(at, true) === UNICODE_PATH && at + 9 < end && end <= extra.length)
      return new TextDecoder().decode(extra.subarray(at + 9, end))
    at = end
  }
  return undefined
}

const damaged = () => new ExtractionError("corrupt_file", "the entry is damaged")
const tooLarge = (name: string) =>
  new ExtractionError("archive_rejected", `${name} unpacks to more than is allowed for an archive of this size`)
