import type { Dirent } from "node:fs"
import { readdir, stat, statfs } from "node:fs/promises"
import { join } from "node:path"

export interface DiskUse {
  used_bytes: number
  free_bytes: number
}

/** Walking a large data directory takes seconds of disk time; a figure this old is good enough to look at. */
const KEPT_MS = 60_000

/** What the data directory holds and what its disk has left. Asked again at most once a minute. */
export function watchDiskUse(directory: string): () => Promise<DiskUse> {
  let kept: { at: number; use: Promise<DiskUse> } | undefined
  return () => {
    if (!kept || performance.now() - kept.at > KEPT_MS) kept = { at: performance.now(), use: measure(directory) }
    return kept.use
  }
}

async function measure(directory: string): Promise<DiskUse> {
  const { bavail, bsize } = await statfs(directory)
  return { used_bytes: await sizeOf(directory), free_bytes: bavail * bsize }
}

/** Files that vanish while walking count as nothing. */
async function sizeOf(directory: string): Promise<number> {
  let size = 0
  const entries = await readdir(directory, { withFileTypes: true }).catch((): Dirent[] => [])
  for (const entry of entries) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) size += await sizeOf(path)
    else if (entry.isFile())
      size += await stat(path)
        .then(found => found.size)
        .catch(() => 0)
  }
  return size
}
