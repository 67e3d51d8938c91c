/** Files of work in progress. */
import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from "node:fs"
import { type FileHandle, rm } from "node:fs/promises"
import { join } from "node:path"
import type { LocalFile } from "./blobs.ts"

/** The folder of them; made when missing. */
export function scratchIn(dataDirectory: string): string {
  const directory = join(dataDirectory, "tmp")
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return directory
}

/** What a crash left half-written; called at start, before anything is received. */
export function clearScratch(directory: string): void {
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true })
}

/** An empty file there, gone when it is disposed, as far as the disk lets go of it; the next start does the rest. */
export function scratchFile(directory: string): LocalFile {
  const path = join(directory, `scratch-${crypto.randomUUID()}`)
  closeSync(openSync(path, "wx", 0o600))
  return { path, [Symbol.asyncDispose]: () => rm(path, { force: true }).catch(() => {}) }
}

export async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, offset, chunk.byteLength - offset)
    offset += bytesWritten
  }
}
