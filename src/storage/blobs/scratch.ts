/** Files of work in progress. */
import { mkdirSync, readdirSync, rmSync } from "node:fs"
import type { FileHandle } from "node:fs/promises"
import { join } from "node:path"

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

export async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, offset, chunk.byteLength - offset)
    offset += bytesWritten
  }
}
