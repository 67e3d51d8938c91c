/**
 * Heals the folder of vectors before LanceDB opens it. LanceDB does not wait for the disk: after a power failure, or on a
 * disk that turned read-only, the files of the last half minute may be empty or end in zeros, and a table whose newest
 * version is such a file does not open at all.
 *
 * A version is a manifest that names files written before it. So the versions that are older than every damaged file are
 * whole: the others go, and where none is left, the table. The vectors that are missing then are made again.
 */
import { existsSync } from "node:fs"
import { open, readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { log } from "../log.ts"

/** Last bytes of what LanceDB writes in its own format. */
const MAGIC = "LANC"
const FRAMED = /\.(?:lance|manifest|idx)$/

interface StoredFile {
  path: string
  size: number
  writtenAt: number
}

/** Changes nothing where all is whole. To be called while nobody has the tables open. */
export async function healVectorFiles(dataDirectory: string): Promise<void> {
  const directory = join(dataDirectory, "vectors")
  if (!existsSync(directory)) return
  for (const name of await readdir(directory)) if (name.endsWith(".lance")) await healTable(join(directory, name), name)
}

async function healTable(table: string, name: string): Promise<void> {
  const files = await filesOf(table)
  const damaged: StoredFile[] = []
  for (const file of files) if (await isDamaged(file)) damaged.push(file)
  if (damaged.length === 0) return
  const since = Math.min(...damaged.map(file => file.writtenAt))
  const versions = files.filter(file => file.path.endsWith(".manifest"))
  const doubtful = versions.filter(file => file.writtenAt >= since)
  if (doubtful.length === versions.length) await rm(table, { recursive: true })
  else {
    for (const { path } of [...doubtful, ...damaged]) await rm(path, { force: true })
    await rm(join(table, "_versions", "latest_version_hint.json"), { force: true })
  }
  log.warn("the disk lost vectors: those that are missing are made again", {
    table: name,
    damaged_files: damaged.length,
    versions_left: versions.length - doubtful.length,
  })
}

async function filesOf(directory: string): Promise<StoredFile[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  return Promise.all(
    paths.map(async path => {
      const { size, mtimeMs } = await stat(path)
      return { path, size, writtenAt: mtimeMs }
    }),
  )
}

async function isDamaged({ path, size }: StoredFile): Promise<boolean> {
  if (size < MAGIC.length) return true
  if (!FRAMED.test(path)) return false
  const file = await open(path, "r")
  try {
    const { buffer } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, size - MAGIC.length)
    return buffer.toString("latin1") !== MAGIC
  } finally {
    await file.close()
  }
}
