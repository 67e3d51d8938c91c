/**
 * What an archive holds: its central directory, or what its local headers tell where that is missing or broken.
 * PKWARE APPNOTE 6.3, sections 4.3 and 4.5.3 (zip64).
 */
import { isUtf8 } from "node:buffer"
import { ExtractionError } from "../../../storage/document.ts"
import { decodeBytes, detectNamePage } from "../text/legacy-text.ts"

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

export const LOCAL_HEADER = 0x04034b50
const DIRECTORY_ENTRY = 0x02014b50
const DIRECTORY_END = 0x06054b50
const ZIP64_LOCATOR = 0x07064b50
const ZIP64_END = 0x06064b50
/** Of the flags: LZMA data with a mark for its end. */
const MARKED_END = 2
/** Of the flags: sizes follow the data. */
const SIZES_BEHIND = 8

/**
 * `recovered`: the directory was missing or broken.
 * @throws ExtractionError `corrupt_file` where there is no entry to be found, `archive_rejected` for more than `mostEntries`
 */
export function readDirectory(bytes: Uint8Array, mostEntries: number): { entries: ZipEntry[]; recovered: boolean } {
  const reader = new DirectoryReader(bytes, mostEntries)
  const listed = reader.directory()
  return { entries: named(listed ?? reader.scan()), recovered: listed === undefined }
}

class DirectoryReader {
  private readonly view: DataView

  constructor(
    private readonly bytes: Uint8Array,
    private readonly mostEntries: number,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** The central directory; undefined where it is missing or does not hold together. */
  directory(): RawEntry[] | undefined {
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

  /** Finds local headers one after another: what a truncated file still has. */
  scan(): RawEntry[] {
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

  private admit(count: number): void {
    if (count > this.mostEntries) throw new ExtractionError("archive_rejected", "the archive has too many entries")
  }

  private u32(at: number): number {
    return at >= 0 && at + 4 <= this.bytes.length ? this.view.getUint32(at, true) : 0
  }

  private u64(at: number): number {
    return Number(this.view.getBigUint64(at, true))
  }
}

/** Names in UTF-8 or in Unicode beside them are clear; of the others all together show the code page. */
function named(entries: RawEntry[]): ZipEntry[] {
  const unclear = entries.flatMap(({ rawName, unicodeName }) =>
    unicodeName === undefined && !isUtf8(rawName) ? [Buffer.from(rawName), SEPARATOR] : [],
  )
  const page = unclear.length > 0 ? detectNamePage(Buffer.concat(unclear)) : "utf-8"
  return entries.map(({ rawName, unicodeName, ...entry }) => {
    const name = unicodeName ?? decodeBytes(rawName, isUtf8(rawName) ? "utf-8" : page)
    return { ...entry, name: name.replaceAll("\\", "/").replaceAll("\0", "") }
  })
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
