/** Files that lie in memory alone: clear bytes for readers that want a file, while nothing clear is to be on the disk. */
import { closeSync } from "node:fs"
import { open } from "node:fs/promises"
import { OperatorError } from "../../errors.ts"
import { cString, systemCall } from "../../threads/linux.ts"
import type { LocalFile } from "../blobs/blobs.ts"
import { writeAll } from "../blobs/scratch.ts"

const MEMFD_CREATE = { x64: 319, arm64: 279 }
const FCNTL = { x64: 72, arm64: 25 }
const CLOSE_ON_EXEC = 1
const ALLOW_SEALING = 2
const ADD_SEALS = 1033
const SHRINK_GROW_WRITE = 2 | 4 | 8

const PATHS = "/proc/self/fd/"

/** Whether a path is that of one. */
export const isInMemory = (path: string): boolean => path.startsWith(PATHS)

/** An empty one. Its path is good in this process alone; who opened it may keep it beyond. */
export function memoryFile(): LocalFile {
  const number = MEMFD_CREATE[process.arch as keyof typeof MEMFD_CREATE]
  const fd = number === undefined ? -1 : systemCall(number, cString("carrel"), CLOSE_ON_EXEC | ALLOW_SEALING)
  if (fd < 0) throw new OperatorError("this system has no files in memory (memfd_create), which encryption needs")
  let isOpen = true
  return {
    path: `${PATHS}${fd}`,
    async [Symbol.asyncDispose]() {
      if (isOpen) closeSync(fd)
      isOpen = false
    },
  }
}

/** One that holds what the source gives, and that nobody writes to any more. @throws what the source throws */
export async function inMemory(source: AsyncIterable<Uint8Array>): Promise<LocalFile> {
  const file = memoryFile()
  try {
    const handle = await open(file.path, "r+")
    try {
      for await (const bytes of source) await writeAll(handle, bytes)
    } finally {
      await handle.close()
    }
    seal(file)
    return file
  } catch (error) {
    await file[Symbol.asyncDispose]()
    throw error
  }
}

/** A reader that is given such a file could open it anew to write; that lies beyond what Landlock sees. */
function seal({ path }: LocalFile): void {
  const number = FCNTL[process.arch as keyof typeof FCNTL]
  systemCall(number, Number(path.slice(PATHS.length)), ADD_SEALS, SHRINK_GROW_WRITE)
}
