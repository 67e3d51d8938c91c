/**
 * Reads ZIP files that cannot be trusted: no declared size is believed, every inflation has a hard limit, a missing or
 * broken directory is rebuilt from the local headers. Format: PKWARE APPNOTE 6.3, sections 4.3 and 4.5.3 (zip64).
 */
import { inflateRawSync, zstdDecompressSync } from "node:zlib"
import { ExtractionError } from "../../../storage/document.ts"
import type { UnpackBudget } from "../extractor.ts"
import { bunzip2 } from "./unpack/bzip2.ts"
import { inflate64 } from "./unpack/inflate64.ts"
import { unpackZipLzma } from "./unpack/lzma.ts"
import { LOCAL_HEADER, readDirectory, type ZipEntry } from "./zip-directory.ts"

const STORED = 0
const DEFLATED = 8

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
    const { entries, recovered } = readDirectory(bytes, budget.entries)
    this.entries = entries
    this.recovered = recovered
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
    if (this.signatureAt(entry.offset) !== LOCAL_HEADER) throw damaged()
    const start =
      entry.offset + 30 + this.view.getUint16(entry.offset + 26, true) + this.view.getUint16(entry.offset + 28, true)
    const end = entry.compressedSize === undefined ? this.bytes.length : start + entry.compressedSize
    return this.bytes.subarray(start, Math.min(end, this.bytes.length))
  }

  private signatureAt(at: number): number {
    return at >= 0 && at + 4 <= this.bytes.length ? this.view.getUint32(at, true) : 0
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

const damaged = () => new ExtractionError("corrupt_file", "the entry is damaged")
const tooLarge = (name: string) =>
  new ExtractionError("archive_rejected", `${name} unpacks to more than is allowed for an archive of this size`)
