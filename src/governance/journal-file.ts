/**
 * A file of lines of this node, each written with a plain write, which takes microseconds and outlives a `kill -9`, for the
 * system has it. Its lines are folded into the database, and the file gives way to a new one.
 */
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { newId } from "../id.ts"

const SUFFIX = ".journal"

export class JournalFile {
  readonly id = newId("jnl")
  /** Written, and not removed. */
  bytes = 0
  private readonly descriptor: number

  /** @param directory of journals, made where it is missing */
  constructor(private readonly directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.descriptor = openSync(pathIn(directory, this.id), "ax", 0o600)
  }

  /** @returns how many bytes the disk has taken @throws what it refuses with */
  write(bytes: Buffer): number {
    const written = writeSync(this.descriptor, bytes)
    this.bytes += written
    return written
  }

  /** Removes what lies behind so many bytes. */
  cut(bytes: number): void {
    ftruncateSync(this.descriptor, bytes)
    this.bytes = bytes
  }

  remove(): void {
    closeSync(this.descriptor)
    removeLeft(this.directory, this.id)
  }

  /** To be called at the end: what was not folded is there at the next start. */
  close(): void {
    closeSync(this.descriptor)
    if (this.bytes > 0) return
    try {
      removeLeft(this.directory, this.id)
    } catch {
      // a disk that takes nothing keeps an empty file: the next start removes it
    }
  }
}

const pathIn = (directory: string, id: string): string => join(directory, id + SUFFIX)

/** Journals that former processes left in the directory. */
export const leftIn = (directory: string): string[] => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return readdirSync(directory)
    .filter(name => name.endsWith(SUFFIX))
    .map(name => name.slice(0, -SUFFIX.length))
    .sort()
}

/** The lines behind so many bytes, and where they end; one that was cut is none. */
export function linesLeft(directory: string, id: string, from = 0): { lines: string[]; bytes: number } {
  const bytes = readFileSync(pathIn(directory, id))
  const end = bytes.lastIndexOf(10) + 1
  return { lines: bytes.subarray(from, end).toString().split("\n").filter(Boolean), bytes: end }
}

export const removeLeft = (directory: string, id: string): void => unlinkSync(pathIn(directory, id))
