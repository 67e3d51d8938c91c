/**
 * Vectors as rows of signed bytes, scored by the kernel: in its memory, or, once `spill` was called, in a file without a
 * name, from which the rows that a query needs are read. The system keeps that file in memory as long as it has some to spare
 * (then a row costs .4 µs), and nothing of it outlives the process.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs"
import { log } from "../../log.ts"
import { createKernel, growKernel, type Kernel } from "./dot-kernel.ts"

/** Rows scored by one call of the kernel; their results take 64 KB. */
const ROWS_PER_PASS = 16_384
/** Bytes read from the file for one call. */
const WINDOW_BYTES = 4 * 2 ** 20
const QUERY = 0
const QUERY_BYTES = 65_536
const OUT = QUERY_BYTES
const ROWS = OUT + 4 * ROWS_PER_PASS

/** The scratch file cannot be read: what it held is lost, and is to be loaded again from the durable store. */
export class ScratchError extends Error {}

const CLOSED = -1
const IN_MEMORY = "vectors are kept in memory: the data directory takes no scratch file"

export class CodeRows {
  /** Rows that one call of `score` may ask for. */
  rowsPerPass = ROWS_PER_PASS
  /** Bytes of a row, a multiple of what the kernel takes at a time. */
  readonly stride: number
  private kernel: Kernel = createKernel()
  private results = this.resultsView()
  private file: number | undefined
  private fileBytes = 0

  constructor(readonly dimensions: number) {
    this.stride = Math.ceil(dimensions / 64) * 64
  }

  /** Writes whole rows from `row` on, over what stands there. */
  write(row: number, bytes: Uint8Array): void {
    const at = row * this.stride
    if (this.file !== undefined)
      try {
        writeAll(this.file, bytes, at)
        this.fileBytes = Math.max(this.fileBytes, at + bytes.length)
        return
      } catch (error) {
        this.takeBack(this.file, error)
      }
    this.reserve(at + bytes.length)
    new Uint8Array(this.kernel.memory.buffer).set(bytes, ROWS + at)
  }

  /** The bytes of up to `rowsPerPass` rows; valid until the next call of anything here. */
  read(row: number, count: number): Uint8Array {
    const start = this.bring(row, count)
    return new Uint8Array(this.kernel.memory.buffer, start, count * this.stride)
  }

  /** Sets the bytes that rows are multiplied with. */
  setQuery(bytes: Uint8Array): void {
    const query = new Int16Array(this.kernel.memory.buffer, QUERY, this.stride)
    query.fill(0)
    query.set(new Int8Array(bytes.buffer, bytes.byteOffset, this.dimensions))
  }

  /** Products of up to `rowsPerPass` rows, the first `count` of the array; valid until the next call. */
  score(row: number, count: number): Int32Array {
    this.kernel.dots(QUERY, this.bring(row, count), count, this.stride, OUT)
    return this.results
  }

  /** Products of up to `rowsPerPass` single rows, which ascend; valid until the next call. */
  scoreEach(rows: Int32Array): Int32Array {
    if (this.file === undefined) {
      rows.forEach((row, i) => {
        this.kernel.dots(QUERY, ROWS + row * this.stride, 1, this.stride, OUT + 4 * i)
      })
      return this.results
    }
    const memory = new Uint8Array(this.kernel.memory.buffer)
    for (let i = 0; i < rows.length; ) {
      let end = i + 1
      while (end < rows.length && rows[end] === rows[end - 1]! + 1) end++
      readAll(this.file, memory, ROWS + i * this.stride, (end - i) * this.stride, rows[i]! * this.stride)
      i = end
    }
    this.kernel.dots(QUERY, ROWS, rows.length, this.stride, OUT)
    return this.results
  }

  /**
   * Moves the first `count` rows to a file in `directory`. Where the disk does not take them they stay in memory, and
   * where it takes no more, what it took comes back.
   */
  spill(directory: string, count: number): void {
    const path = `${directory}/vectors.scratch`
    this.fileBytes = count * this.stride
    let file: number | undefined
    try {
      file = openSync(path, "w+", 0o600)
      unlinkSync(path)
      writeAll(file, new Uint8Array(this.kernel.memory.buffer, ROWS, this.fileBytes), 0)
    } catch (error) {
      if (file !== undefined) closeSync(file) // else a full disk would stay as full as this made it
      log.warn(IN_MEMORY, { error })
      return
    }
    this.file = file
    this.rowsPerPass = Math.min(ROWS_PER_PASS, Math.floor(WINDOW_BYTES / this.stride))
    this.kernel = createKernel()
    this.results = this.resultsView()
    this.reserve(this.rowsPerPass * this.stride)
  }

  /** Of memory; what lies in the file does not count. */
  get bytes(): number {
    return this.kernel.memory.buffer.byteLength
  }

  close(): void {
    if (this.file !== undefined && this.file !== CLOSED) closeSync(this.file)
    this.file = CLOSED
  }

  private takeBack(file: number, error: unknown): void {
    log.warn(IN_MEMORY, { error })
    this.reserve(this.fileBytes)
    readAll(file, new Uint8Array(this.kernel.memory.buffer), ROWS, this.fileBytes, 0)
    closeSync(file)
    this.file = undefined
  }

  /** Where rows lie in the kernel's memory, read into it if need be. */
  private bring(row: number, count: number): number {
    if (this.file === undefined) return ROWS + row * this.stride
    const memory = new Uint8Array(this.kernel.memory.buffer)
    readAll(this.file, memory, ROWS, count * this.stride, row * this.stride)
    return ROWS
  }

  private reserve(bytes: number): void {
    if (growKernel(this.kernel, ROWS, bytes)) this.results = this.resultsView()
  }

  private resultsView(): Int32Array {
    return new Int32Array(this.kernel.memory.buffer, OUT, ROWS_PER_PASS)
  }
}

function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, position + done)
}

function readAll(file: number, into: Uint8Array, at: number, length: number, position: number): void {
  try {
    for (let done = 0; done < length; ) {
      const read = readSync(file, into, at + done, length - done, position + done)
      if (read === 0) throw new Error("it ends early")
      done += read
    }
  } catch (cause) {
    throw new ScratchError(`the scratch file of vectors cannot be read: ${(cause as Error).message}`, { cause })
  }
}
