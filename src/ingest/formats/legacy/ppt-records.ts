/** Record types of [MS-PPT] in use, and the instances of the lists of slides and notes. */
export const RECORD = {
  document: 0x03e8,
  slide: 0x03ee,
  notes: 0x03f0,
  slidePersist: 0x03f3,
  textChars: 0x0fa0,
  textBytes: 0x0fa8,
  cString: 0x0fba,
  headersFooters: 0x0fd9,
  list: 0x0ff0,
  userEdit: 0x0ff5,
  persistDirectory: 0x1772,
  comment: 0x2ee0,
  slideList: 0,
  notesList: 2,
} as const

const CONTAINER = 15
const ENCRYPTED_TOKEN = 0xf3d1c4df
const MAX_NESTING = 40

export interface PptRecord {
  type: number
  version: number
  instance: number
  /** Of the content, after the header of 8 bytes. */
  start: number
  end: number
}

/** Walks the records of a presentation; lengths that run over are cut to what is there. */
export class PptRecords {
  encrypted = false
  private readonly view: DataView
  /** Where each numbered object lies, by the newest edit that placed it. */
  private readonly persist = new Map<number, number>()
  private documentId = 0

  constructor(
    private readonly stream: Uint8Array,
    currentUser: Uint8Array | undefined,
  ) {
    this.view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength)
    if (currentUser && currentUser.length >= 20) this.followEdits(currentUser)
  }

  topLevel(): Generator<PptRecord> {
    return this.children(0, this.stream.length)
  }

  /** Slides or notes in order: the texts of their outline, and their container. */
  list(instance: number): { texts: string[]; container: PptRecord | undefined }[] {
    const document = this.document()
    if (!document) return []
    const items: { texts: string[]; container: PptRecord | undefined }[] = []
    for (const list of this.children(document.start, document.end)) {
      if (list.type !== RECORD.list || list.instance !== instance) continue
      for (const record of this.children(list.start, list.end)) {
        if (record.type === RECORD.slidePersist) {
          const place = this.persist.get(this.u32(record.start))
          items.push({ texts: [], container: place === undefined ? undefined : this.at(place) })
        } else if (record.type === RECORD.textChars || record.type === RECORD.textBytes)
          items.at(-1)?.texts.push(this.textOf(record))
      }
    }
    return items
  }

  /** Texts of shapes, comments, headers and footers inside a container. */
  textsIn(container: PptRecord): string[] {
    const texts: string[] = []
    this.collect(container, texts, false, 0)
    return texts
  }

  private collect({ start, end }: PptRecord, texts: string[], named: boolean, depth: number): void {
    if (depth > MAX_NESTING) return
    for (const record of this.children(start, end)) {
      const { type, version, instance } = record
      if (type === RECORD.textChars || type === RECORD.textBytes) texts.push(this.textOf(record))
      else if (type === RECORD.cString && version === 0 && instance <= 2 && named) texts.push(this.textOf(record))
      else if (version === CONTAINER)
        this.collect(record, texts, type === RECORD.comment || type === RECORD.headersFooters, depth + 1)
    }
  }

  /** Edits are chained from the newest to the oldest. */
  private followEdits(currentUser: Uint8Array): void {
    const user = new DataView(currentUser.buffer, currentUser.byteOffset, currentUser.byteLength)
    if (user.getUint32(12, true) === ENCRYPTED_TOKEN) this.encrypted = true
    const seen = new Set<number>()
    for (
      let at = user.getUint32(16, true);
      at > 0 && at + 36 <= this.stream.length && !seen.has(at);
      at = this.u32(at + 16)
    ) {
      seen.add(at)
      const edit = this.at(at)
      if (edit?.type !== RECORD.userEdit) return
      this.documentId ||= this.u32(at + 24)
      // A longer record names the object that holds the encryption.
      if (edit.end - edit.start >= 32 && this.u32(at + 36) !== 0) this.encrypted = true
      this.readDirectory(this.u32(at + 20))
    }
  }

  /** Runs of 20-bit numbers with 12-bit counts, each followed by the positions. */
  private readDirectory(at: number): void {
    const directory = this.at(at)
    if (directory?.type !== RECORD.persistDirectory) return
    for (let p = directory.start; p + 4 <= directory.end; ) {
      const run = this.u32(p)
      p += 4
      for (let i = 0; i < run >>> 20 && p + 4 <= directory.end; i++, p += 4) {
        const id = (run & 0xfffff) + i
        if (!this.persist.has(id)) this.persist.set(id, this.u32(p))
      }
    }
  }

  private document(): PptRecord | undefined {
    const place = this.persist.get(this.documentId)
    const record = place === undefined ? undefined : this.at(place)
    if (record?.type === RECORD.document) return record
    let last: PptRecord | undefined
    for (const candidate of this.topLevel()) if (candidate.type === RECORD.document) last = candidate
    return last
  }

  private *children(start: number, end: number): Generator<PptRecord> {
    for (let at = start; at + 8 <= end; ) {
      const record = this.at(at, end)!
      yield record
      at = record.end
    }
  }

  private at(at: number, limit = this.stream.length): PptRecord | undefined {
    if (at + 8 > this.stream.length) return undefined
    const head = this.view.getUint16(at, true)
    const end = Math.min(limit, at + 8 + this.u32(at + 4))
    return { type: this.view.getUint16(at + 2, true), version: head & 15, instance: head >> 4, start: at + 8, end }
  }

  private textOf({ type, start, end }: PptRecord): string {
    const wide = type !== RECORD.textBytes
    const bytes = this.stream.subarray(start, wide ? end - ((end - start) & 1) : end)
    return new TextDecoder(wide ? "utf-16le" : "windows-1252").decode(bytes).replace(/[\r\v]/g, "\n")
  }

  private u32(at: number): number {
    return at >= 0 && at + 4 <= this.stream.length ? this.view.getUint32(at, true) : 0
  }
}
