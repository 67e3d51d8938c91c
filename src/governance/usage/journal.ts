/**
 * What is used without a change of the database, such as a request that reads: a line each in a file of this node's data
 * directory, written with a plain write, which takes microseconds and outlives a `kill -9`, for the system has it. What was
 * written is also here, summed up, until it is folded into the database (`fold.ts`) and the file gives way to a new one.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from "node:fs"
import { join } from "node:path"
import { newId } from "../../id.ts"
import { Trouble } from "../../log.ts"

const SUFFIX = ".journal"
/** Kept for a disk that takes nothing: beyond, use is no longer noted. */
const MAX_UNWRITTEN_BYTES = 16 * 2 ** 20

/** Lines of a journal, each with how often it stands there. */
export type Lines = Map<string, number>

/** What of a journal is yet to be folded. */
export interface Noted {
  /** Of the journal. */
  id: string
  /** Bytes of the file up to the end of the lines. */
  bytes: number
  lines: Lines
}

export class Journal {
  private id = ""
  private descriptor = -1
  private bytes = 0
  private lines: Lines = new Map()
  /** What the disk has not taken yet. */
  private unwritten = Buffer.alloc(0)
  private readonly trouble = new Trouble({ begins: "use cannot be noted in the data directory; it is kept in memory" })

  /** @param directory of journals, made where it is missing */
  constructor(private readonly directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.begin()
  }

  /** Bytes that are noted and not yet folded. */
  get pendingBytes(): number {
    return this.lines.size > 0 ? this.bytes + this.unwritten.length : 0
  }

  /** @param line without a line break */
  note(line: string): void {
    this.lines.set(line, (this.lines.get(line) ?? 0) + 1)
    this.write(Buffer.from(`${line}\n`))
  }

  /** What is noted since the last time. It is to be folded with `done`, or to be given back. */
  take(): Noted {
    const noted = { id: this.id, bytes: this.bytes + this.unwritten.length, lines: this.lines }
    this.lines = new Map()
    return noted
  }

  /** It could not be folded. */
  giveBack({ lines }: Noted): void {
    for (const [line, count] of lines) this.lines.set(line, (this.lines.get(line) ?? 0) + count)
  }

  /** It is folded, and so is the file where nothing was noted since: then there is a new one. @returns whether it is gone */
  done({ id, bytes }: Noted): boolean {
    if (id !== this.id || this.bytes !== bytes || this.unwritten.length > 0) return false
    const former = this.descriptor
    this.begin()
    closeSync(former)
    unlinkSync(join(this.directory, id + SUFFIX))
    return true
  }

  /** To be called once all is folded, at the end. */
  close(): void {
    closeSync(this.descriptor)
    if (this.bytes === 0) unlinkSync(join(this.directory, this.id + SUFFIX))
  }

  private begin(): void {
    this.id = newId("jnl")
    this.descriptor = openSync(join(this.directory, this.id + SUFFIX), "ax", 0o600)
    this.bytes = 0
  }

  private write(line: Buffer): void {
    const given = this.unwritten.length > 0 ? Buffer.concat([this.unwritten, line]) : line
    let written = 0
    try {
      written = writeSync(this.descriptor, given)
      this.trouble.clear()
    } catch (error) {
      this.trouble.note(error)
    }
    this.bytes += written
    const left = given.subarray(written)
    this.unwritten = left.length === 0 || left.length > MAX_UNWRITTEN_BYTES ? Buffer.alloc(0) : Buffer.from(left)
  }
}

/** Journals that former processes left in the directory. */
export const leftIn = (directory: string): string[] => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return readdirSync(directory)
    .filter(name => name.endsWith(SUFFIX))
    .map(name => name.slice(0, -SUFFIX.length))
}

/** The lines behind so many bytes; one that was cut is none. */
export function readLeft(directory: string, id: string, from: number): Noted {
  const bytes = readFileSync(join(directory, id + SUFFIX))
  const lines: Lines = new Map()
  const end = bytes.lastIndexOf(10) + 1
  for (const line of bytes.subarray(from, end).toString().split("\n"))
    if (line) lines.set(line, (lines.get(line) ?? 0) + 1)
  return { id, bytes: end, lines }
}

export const removeLeft = (directory: string, id: string): void => unlinkSync(join(directory, id + SUFFIX))
