import type { Dirent } from "node:fs"
import { readdir, stat, statfs } from "node:fs/promises"
import { join } from "node:path"

/** What the data directory holds, as people think of it. */
export const KINDS = [
  "originals",
  "texts",
  "database",
  "index",
  "vectors",
  "models",
  "packs",
  "program",
  "other",
] as const
export type Kind = (typeof KINDS)[number]

export interface DiskUse {
  used_bytes: number
  free_bytes: number
  by_kind: Record<Kind, number>
}

/** By the names that begin an entry of the data directory. */
const STARTS: Record<string, Kind> = {
  blobs: "originals",
  texts: "texts",
  "carrel.db": "database",
  "keyword.db": "index",
  vectors: "vectors",
  models: "models",
  packs: "packs",
  native: "program",
}

const kindOf = (name: string): Kind => Object.entries(STARTS).find(([start]) => name.startsWith(start))?.[1] ?? "other"

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
  const by_kind = Object.fromEntries(KINDS.map(kind => [kind, 0])) as Record<Kind, number>
  for (const entry of await entriesOf(directory)) by_kind[kindOf(entry.name)] += await sizeOf(directory, entry)
  const used_bytes = Object.values(by_kind).reduce((sum, size) => sum + size, 0)
  return { used_bytes, free_bytes: bavail * bsize, by_kind }
}

const entriesOf = (directory: string): Promise<Dirent[]> =>
  readdir(directory, { withFileTypes: true }).catch((): Dirent[] => [])

/** Files that vanish while walking count as nothing. */
async function sizeOf(directory: string, entry: Dirent): Promise<number> {
  const path = join(directory, entry.name)
  if (entry.isFile())
    return stat(path).then(
      ({ size }) => size,
      () => 0,
    )
  let size = 0
  if (entry.isDirectory()) for (const inner of await entriesOf(path)) size += await sizeOf(path, inner)
  return size
}
