/**
 * OLE2 compound files ([MS-CFB]), read tolerantly: broken chains end where they break, nothing throws but a wrong
 * signature.
 */
import { ExtractionError } from "../../../storage/document.ts"

export function isOle(bytes: Uint8Array): boolean {
  return bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0
}

const END = 0xfffffffe
const HEADER_BYTES = 512
const DIRECTORY_ENTRY_BYTES = 128
const STREAM = 2
const ROOT = 5

/** The streams of the file by lower-cased name, without their path; of streams of one name, the first. */
export function openOle(bytes: Uint8Array): Map<string, Uint8Array> {
  if (!isOle(bytes) || bytes.length < HEADER_BYTES) throw new ExtractionError("corrupt_file", "not an OLE file")
  return new OleReader(bytes).streams()
}

class OleReader {
  private readonly view: DataView
  private readonly sectorBytes: number
  private readonly miniBytes: number
  private readonly sectorCount: number
  private readonly fat: number[]

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    // Sizes outside of what exists come from damage; keep them where reading still makes sense.
    this.sectorBytes = 1 << Math.min(12, Math.max(9, this.view.getUint16(30, true)))
    this.miniBytes = 1 << Math.min(9, Math.max(4, this.view.getUint16(32, true)))
    this.sectorCount = Math.ceil((bytes.length - HEADER_BYTES) / this.sectorBytes)
    this.fat = this.fatSectors()
  }

  streams(): Map<string, Uint8Array> {
    const directory = this.chain(this.u32(48), this.bytes.length)
    const miniFat = this.chain(this.u32(60), this.bytes.length)
    const smallBelow = this.u32(56) || 4096
    const entries = [...directoryEntries(directory)]
    const root = entries.find(entry => entry.type === ROOT)
    const mini = root ? this.chain(root.start, root.size) : new Uint8Array()
    const found = new Map<string, Uint8Array>()
    for (const { type, name, start, size } of entries) {
      if (type !== STREAM || found.has(name)) continue
      const length = Math.min(size, this.bytes.length)
      found.set(name, length >= smallBelow ? this.chain(start, length) : this.miniChain(mini, miniFat, start, length))
    }
    return found
  }

  /** The sectors that hold the allocation table: 109 in the header, more in a chain of their own. */
  private fatSectors(): number[] {
    const sectors: number[] = []
    const push = (sector: number) => {
      if (sector < this.sectorCount) sectors.push(sector)
    }
    for (let i = 0; i < 109; i++) push(this.u32(76 + i * 4))
    const perSector = this.sectorBytes / 4 - 1
    let next = this.u32(68)
    for (let guard = 0; next < this.sectorCount && guard < this.sectorCount; guard++) {
      for (let i = 0; i < perSector; i++) push(this.u32(this.offset(next) + i * 4))
      next = this.u32(this.offset(next) + perSector * 4)
    }
    return sectors
  }

  private chain(start: number, limit: number): Uint8Array {
    const parts: Uint8Array[] = []
    const seen = new Set<number>()
    let length = 0
    for (let at = start; at < this.sectorCount && !seen.has(at) && length < limit; at = this.next(at)) {
      seen.add(at)
      const part = this.bytes.subarray(this.offset(at), this.offset(at) + this.sectorBytes)
      parts.push(part)
      length += part.length
    }
    return Buffer.concat(parts, Math.min(length, limit))
  }

  private miniChain(mini: Uint8Array, miniFat: Uint8Array, start: number, length: number): Uint8Array {
    const view = new DataView(miniFat.buffer, miniFat.byteOffset, miniFat.byteLength)
    const parts: Uint8Array[] = []
    const seen = new Set<number>()
    let at = start
    for (let got = 0; got < length && at * this.miniBytes < mini.length && !seen.has(at); got += this.miniBytes) {
      seen.add(at)
      parts.push(mini.subarray(at * this.miniBytes, at * this.miniBytes + Math.min(this.miniBytes, length - got)))
      at = at * 4 + 4 <= miniFat.length ? view.getUint32(at * 4, true) : END
    }
    return Buffer.concat(parts)
  }

  private next(sector: number): number {
    const perSector = this.sectorBytes / 4
    const table = this.fat[Math.floor(sector / perSector)]
    return table === undefined ? END : this.u32(this.offset(table) + (sector % perSector) * 4)
  }

  private offset(sector: number): number {
    return (sector + 1) * this.sectorBytes
  }

  private u32(at: number): number {
    return at >= 0 && at + 4 <= this.bytes.length ? this.view.getUint32(at, true) : END
  }
}

function* directoryEntries(
  directory: Uint8Array,
): Generator<{ type: number; name: string; start: number; size: number }> {
  const view = new DataView(directory.buffer, directory.byteOffset, directory.byteLength)
  for (let at = 0; at + DIRECTORY_ENTRY_BYTES <= directory.length; at += DIRECTORY_ENTRY_BYTES) {
    const nameBytes = Math.min(64, view.getUint16(at + 64, true))
    if (nameBytes < 2) continue
    const name = new TextDecoder("utf-16le").decode(directory.subarray(at, at + nameBytes - 2)).toLowerCase()
    yield {
      type: directory[at + 66]!,
      name,
      start: view.getUint32(at + 116, true),
      size: view.getUint32(at + 120, true),
    }
  }
}
