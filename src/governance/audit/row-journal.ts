/**
 * Rows on their way into the audit log: a line each in a file of this node's data directory (`journal-file.ts`), so that an
 * answer may leave before its row is committed. What was written is also here, until it is.
 */
import { JournalFile, leftIn, linesLeft, removeLeft } from "../journal-file.ts"
import type { Together } from "./chain-writer.ts"
import type { Told } from "./entry.ts"

/** Beyond, the next rows go to a file of their own: it can be removed once its rows are committed, whatever comes meanwhile. */
const FILE_BYTES = 2 ** 20

/** What is to be committed, and then `done`, or given back. */
export interface Noted {
  rows: Told[]
  strangers: number
  /** Files that hold nothing else. */
  former: JournalFile[]
}

const nothing = (): Noted => ({ rows: [], strangers: 0, former: [] })

export class RowJournal {
  private file: JournalFile
  private noted = nothing()
  /** The file ends amid a line, which the disk has not taken as a whole. */
  private isCut = false

  /** @param directory of journals, made where it is missing */
  constructor(private readonly directory: string) {
    this.file = new JournalFile(directory)
  }

  /** Bytes that are noted and not yet done, or more. */
  get bytes(): number {
    return this.file.bytes + this.noted.former.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** @throws what the disk refuses with: nothing is noted then */
  note({ rows, strangers }: Together): void {
    const line = `${this.isCut ? "\n" : ""}${JSON.stringify({ rows, strangers })}\n`
    for (let left = Buffer.from(line); left.length > 0; ) {
      const before = this.file.bytes
      try {
        left = left.subarray(this.file.write(left))
      } finally {
        if (this.file.bytes > before) this.isCut = left.length > 0
      }
    }
    this.noted.rows.push(...rows)
    this.noted.strangers += strangers
  }

  /** Undefined where nothing was noted since the last time. */
  take(): Noted | undefined {
    if (this.isEmpty) return undefined
    const { noted } = this
    if (this.file.bytes > FILE_BYTES) {
      const file = new JournalFile(this.directory)
      noted.former.push(this.file)
      this.file = file
      this.isCut = false
    }
    this.noted = nothing()
    return noted
  }

  /** It could not be committed. */
  giveBack(noted: Noted): void {
    const { rows, strangers, former } = this.noted
    noted.rows.push(...rows)
    noted.strangers += strangers
    noted.former.push(...former)
    this.noted = noted
  }

  /** It is committed. */
  done({ former }: Noted): void {
    for (const file of former) file.remove()
    if (!this.isEmpty) return
    this.file.cut(0)
    this.isCut = false
  }

  private get isEmpty(): boolean {
    return this.noted.rows.length === 0 && this.noted.strangers === 0
  }

  /** To be called at the end: what is not committed is there at the next start. */
  close(): void {
    this.file.close()
  }
}

/** Commits what processes noted that were killed, and removes their journals. */
export async function takeIn(directory: string, commit: (noted: Together) => Promise<void>): Promise<void> {
  for (const id of leftIn(directory)) {
    const noted = linesLeft(directory, id).lines.flatMap(line => understood(line) ?? [])
    const strangers = noted.reduce((sum, each) => sum + each.strangers, 0)
    await commit({ rows: noted.flatMap(({ rows }) => rows), strangers })
    removeLeft(directory, id)
  }
}

/** Undefined for a line that was cut: it was not answered. */
function understood(line: string): Together | undefined {
  try {
    return JSON.parse(line) as Together
  } catch {
    return undefined
  }
}
