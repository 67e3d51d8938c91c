/**
 * What is used without a change of the database, such as a request that reads: a line each in a file of this node's data
 * directory (`journal-file.ts`). What was written is also here, summed up, until it is folded into the database (`fold.ts`)
 * and the file gives way to a new one.
 */
import { Trouble } from "../../log.ts"
import { JournalFile, linesLeft } from "../journal-file.ts"

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
  /** Removes the file, once it is folded; left out where more is noted in it. */
  remove?: () => void
}

export class Journal {
  private file: JournalFile
  private lines: Lines = new Map()
  /** What the disk has not taken yet. */
  private unwritten = Buffer.alloc(0)
  private readonly trouble = new Trouble({ begins: "use cannot be noted in the data directory; it is kept in memory" })

  /** @param directory of journals, made where it is missing */
  constructor(private readonly directory: string) {
    this.file = new JournalFile(directory)
  }

  /** Bytes that are noted and not yet folded. */
  get pendingBytes(): number {
    return this.lines.size > 0 ? this.file.bytes + this.unwritten.length : 0
  }

  /** @param line without a line break */
  note(line: string): void {
    this.lines.set(line, (this.lines.get(line) ?? 0) + 1)
    this.write(Buffer.from(`${line}\n`))
  }

  /**
   * What is noted since the last time; it is to be folded before the next is taken. Its file gives way to a new one at once,
   * so that none grows, or keeps a name, for as long as requests follow on each other; not while the disk takes nothing.
   */
  take(): Noted {
    const noted = { id: this.file.id, bytes: this.file.bytes + this.unwritten.length, lines: this.lines }
    this.lines = new Map()
    if (noted.lines.size === 0 || this.unwritten.length > 0) return noted
    const former = this.file
    try {
      this.file = new JournalFile(this.directory)
    } catch (error) {
      this.trouble.note(error)
      return noted
    }
    return { ...noted, remove: () => former.remove() }
  }

  /** To be called once all is folded, at the end. */
  close(): void {
    this.file.close()
  }

  private write(line: Buffer): void {
    const given = this.unwritten.length > 0 ? Buffer.concat([this.unwritten, line]) : line
    let written = 0
    try {
      written = this.file.write(given)
      this.trouble.clear()
    } catch (error) {
      this.trouble.note(error)
    }
    const left = given.subarray(written)
    this.unwritten = left.length === 0 || left.length > MAX_UNWRITTEN_BYTES ? Buffer.alloc(0) : Buffer.from(left)
  }
}

/** The lines behind so many bytes; one that was cut is none. */
export function readLeft(directory: string, id: string, from: number): Noted {
  const left = linesLeft(directory, id, from)
  const lines: Lines = new Map()
  for (const line of left.lines) lines.set(line, (lines.get(line) ?? 0) + 1)
  return { id, bytes: left.bytes, lines }
}
