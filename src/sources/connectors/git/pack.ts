/**
 * A pack of objects, as a Git server sends it, in a file: read object after object to learn their ids, then by id. The
 * memory that it takes follows the number of objects, not their sizes: `isomorphic-git` holds the pack itself, and took
 * 1.26 GB for one of 195 MB.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import zlib from "node:zlib"
import { Lru } from "../../../threads/lru.ts"
import { applyDelta, deltaSizes, ID_BYTES, type ObjectFormat, type ObjectType, objectHash } from "./objects.ts"

const TYPES: Record<number, ObjectType> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" }
const OFFSET_DELTA = 6
const ID_DELTA = 7
const HEADER_BYTES = 12
/** Of one object: a type, a size and where its base is. */
const MAX_OBJECT_HEADER = 64
const WINDOW_BYTES = 2 ** 20
/** What is larger is inflated in pieces and read from the file by whoever wants it. */
const WHOLE_BYTES = 4 * 2 ** 20
/** Largest object that is put together from a difference, which takes it and its base in memory. Git makes none above 512 MB. */
const MAX_DELTA_BYTES = 128 * 2 ** 20
const BASES_BYTES = 64 * 2 ** 20
/** Each takes some 150 bytes of memory. */
const MAX_OBJECTS = 3_000_000
/** Git makes chains of 50 at most, and of 4 095 where it is told to. */
const MAX_CHAIN = 5_000

interface Stored {
  /** Where its deflated bytes begin in the file. */
  dataAt: number
  /** Inflated: of the object or of the difference. */
  size: number
  type: ObjectType | undefined
  /** Of a difference: the object's size, and the number or the id of its base. */
  delta?: { result: number; base: number | string }
}

/** Where somebody else may inflate an object from the file, or its bytes. */
export type Found = { bytes: Uint8Array<ArrayBuffer> } | { dataAt: number; size: number }

/** An object that would take too much memory. */
export class TooLarge extends Error {
  override name = "TooLarge"
}

export class Pack {
  private readonly file: number
  private readonly fileBytes: number
  private readonly objects: Stored[] = []
  private readonly numbers = new Map<string, number>()
  private window: Buffer = Buffer.alloc(0)
  private windowAt = 0
  private readonly bases = new Lru<number, Uint8Array>({
    entries: 10_000,
    weight: BASES_BYTES,
    weigh: bytes => bytes.length,
  })

  /** @param path of a file that stays as it is until `close` */
  constructor(
    path: string,
    private readonly format: ObjectFormat,
  ) {
    this.file = openSync(path, "r")
    this.fileBytes = fstatSync(this.file).size
  }

  close(): void {
    closeSync(this.file)
    this.bases.clear()
  }

  /** Learns the ids of all objects; pauses between two of them. @throws Error for bytes that are no whole pack */
  async *index(): AsyncGenerator<void> {
    const header = this.slice(0, HEADER_BYTES)
    if (header.length < HEADER_BYTES || header.toString("latin1", 0, 4) !== "PACK") throw new Error("not a pack")
    const count = header.readUInt32BE(8)
    if (![2, 3].includes(header.readUInt32BE(4)) || count > MAX_OBJECTS) throw new Error("too many objects in a pack")
    const offsets = new Map<number, number>()
    const differences: number[] = []
    let at = HEADER_BYTES
    for (let number = 0; number < count; number++) {
      const stored = this.storedAt(at, offsets)
      offsets.set(at, number)
      this.objects.push(stored)
      if (stored.delta) differences.push(number)
      at = stored.dataAt + (await this.scan(number, stored))
      yield
    }
    yield* this.resolve(differences)
  }

  has(id: string): boolean {
    return this.numbers.has(id)
  }

  /** @throws TooLarge, Error for an object that is not there */
  find(id: string): Found {
    const number = this.numbers.get(id)
    const stored = number === undefined ? undefined : this.objects[number]!
    if (number === undefined || !stored) throw new Error("no such object")
    if (!stored.delta && stored.size > WHOLE_BYTES) return { dataAt: stored.dataAt, size: stored.size }
    return { bytes: Uint8Array.from(this.content(number)) }
  }

  /** The bytes of a commit or a folder. @throws Error where it is something else or too large for one */
  part(id: string, type: "commit" | "tree"): Uint8Array {
    const number = this.numbers.get(id)
    if (number === undefined || this.objects[number]!.type !== type) throw new Error(`no such ${type}`)
    return this.content(number)
  }

  /** Undefined where it is not here: listings come without the files' contents where the server can leave them out. */
  sizeOf(id: string): number | undefined {
    const stored = this.objects[this.numbers.get(id) ?? -1]
    return stored?.delta?.result ?? stored?.size
  }

  private storedAt(at: number, offsets: ReadonlyMap<number, number>): Stored {
    const header = this.slice(at, MAX_OBJECT_HEADER)
    let [next, byte] = [1, header[0] ?? 0]
    const kind = (byte >> 4) & 7
    let size = byte & 15
    for (let factor = 16; byte >= 128; factor *= 128) {
      byte = header[next++] ?? 0
      size += (byte & 127) * factor
    }
    if (!Number.isSafeInteger(size)) throw new Error("not a pack")
    if (kind === OFFSET_DELTA) {
      byte = header[next++] ?? 0
      let back = byte & 127
      while (byte >= 128) {
        byte = header[next++] ?? 0
        back = (back + 1) * 128 + (byte & 127)
      }
      const base = offsets.get(at - back)
      if (base === undefined) throw new Error("a difference from nothing")
      return { dataAt: at + next, size, type: undefined, delta: { result: 0, base } }
    }
    if (kind === ID_DELTA) {
      const base = header.toString("hex", next, next + ID_BYTES[this.format])
      return { dataAt: at + next + ID_BYTES[this.format], size, type: undefined, delta: { result: 0, base } }
    }
    if (!TYPES[kind]) throw new Error("not a pack")
    return { dataAt: at + next, size, type: TYPES[kind] }
  }

  /** Learns the id, or of a difference the size of what it makes. @returns deflated bytes of the object in the file */
  private async scan(number: number, stored: Stored): Promise<number> {
    const { size, type, delta } = stored
    if (size <= WHOLE_BYTES) {
      const { bytes, length } = this.inflated(stored)
      if (delta) delta.result = deltaSizes(bytes).result
      else this.numbers.set(objectHash(this.format, type!, size).update(bytes).digest("hex"), number)
      return length
    }
    if (delta && size > MAX_DELTA_BYTES) throw new Error("a difference that is too large")
    const hash = objectHash(this.format, type ?? "blob", size)
    let first: Uint8Array | undefined
    let seen = 0
    const inflate = zlib.createInflate({ chunkSize: 2 ** 18 })
    for await (const part of inflatedFrom(inflate, at => this.read(at, WINDOW_BYTES), stored.dataAt)) {
      first ??= part
      hash.update(part)
      seen += part.length
      if (seen > size) throw new Error("not a pack")
    }
    if (seen !== size) throw new Error("not a pack")
    if (delta) delta.result = deltaSizes(first!).result
    else this.numbers.set(hash.digest("hex"), number)
    return inflate.bytesWritten
  }

  /** Gives differences their ids. One whose base is named by its id waits until that one is known. */
  private async *resolve(differences: number[]): AsyncGenerator<void> {
    let waiting = differences
    while (waiting.length > 0) {
      const left: number[] = []
      for (const number of waiting) {
        const base = this.baseOf(number)
        const type = base === undefined ? undefined : this.objects[base]!.type
        if (type === undefined) {
          left.push(number)
          continue
        }
        const stored = this.objects[number]!
        stored.type = type
        if (stored.delta!.result <= MAX_DELTA_BYTES) {
          const bytes = this.bases.set(number, this.content(number))
          this.numbers.set(objectHash(this.format, type, bytes.length).update(bytes).digest("hex"), number)
        }
        yield
      }
      if (left.length === waiting.length) throw new Error("a pack without the objects that it builds on")
      waiting = left
    }
  }

  private baseOf(number: number): number | undefined {
    const { base } = this.objects[number]!.delta!
    return typeof base === "number" ? base : this.numbers.get(base)
  }

  /** @throws TooLarge */
  private content(number: number): Uint8Array {
    const deltas: Uint8Array[] = []
    let from = number
    let bytes = this.bases.get(from)
    while (!bytes) {
      const stored = this.objects[from]!
      if (stored.size > MAX_DELTA_BYTES || (stored.delta?.result ?? 0) > MAX_DELTA_BYTES) throw new TooLarge()
      const own = this.inflated(stored).bytes
      if (!stored.delta) bytes = own
      else {
        if (deltas.push(own) > MAX_CHAIN) throw new Error("too many differences of differences")
        from = this.baseOf(from)!
        bytes = this.bases.get(from)
      }
    }
    if (deltas.length > 0) this.bases.set(from, bytes)
    return deltas.reduceRight((base, delta) => applyDelta(base, delta), bytes)
  }

  private inflated({ dataAt, size }: Stored): { bytes: Uint8Array; length: number } {
    // Deflated bytes may be some more than inflated ones: 5 for each 16 KB, and a frame.
    const deflated = this.slice(dataAt, size + (size >> 10) + 256)
    const { buffer, engine } = zlib.inflateSync(deflated, {
      info: true,
      maxOutputLength: size + 1,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
    if (buffer.length !== size) throw new Error("not a pack")
    return { bytes: buffer, length: engine.bytesWritten }
  }

  /** Bytes of the file that are used at once; fewer at its end. */
  private slice(at: number, length: number): Buffer {
    const start = at - this.windowAt
    if (start < 0 || at + length > this.windowAt + this.window.length) {
      const known = this.windowAt + this.window.length >= this.fileBytes && start >= 0 && start <= this.window.length
      if (known) return this.window.subarray(start)
      this.window = this.read(at, Math.max(length, WINDOW_BYTES))
      this.windowAt = at
      return this.window.subarray(0, length)
    }
    return this.window.subarray(start, start + length)
  }

  private read(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.fileBytes - at)))
    return bytes.subarray(0, readSync(this.file, bytes, 0, bytes.length, at))
  }
}

/** What a deflated stream holds that begins at a place of the file, in pieces. */
async function* inflatedFrom(
  inflate: zlib.Inflate,
  read: (at: number) => Buffer,
  dataAt: number,
): AsyncGenerator<Uint8Array> {
  let over = false
  const ended = new Promise<void>(resolve =>
    inflate
      .once("close", resolve)
      .once("end", resolve)
      .once("error", () => resolve()),
  )
  ended.then(() => {
    over = true
  })
  const feed = async () => {
    for (let at = dataAt; !over; ) {
      const bytes = read(at)
      if (bytes.length === 0) return inflate.end()
      at += bytes.length
      if (!inflate.write(bytes)) await Promise.race([new Promise(resolve => inflate.once("drain", resolve)), ended])
    }
  }
  const fed = feed()
  try {
    yield* inflate
  } finally {
    over = true
    inflate.destroy()
    await fed
  }
}
