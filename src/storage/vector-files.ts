/**
 * Heals the folder of vectors before LanceDB opens it. LanceDB does not wait for the disk: after a power failure, or on a
 * disk that turned read-only, the files of the last half minute may be empty or end in zeros, and a table whose newest
 * version is such a file does not open at all.
 *
 * A version is a manifest that names its files. Those that name a damaged one go, and where none is left, the table. The
 * vectors that are missing then are made again.
 */
import { existsSync } from "node:fs"
import { open, readdir, readFile, rm, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import { log } from "../log.ts"

/** Last bytes of what LanceDB writes in its own format. */
const MAGIC = "LANC"
const FRAMED = /\.(?:lance|manifest|idx)$/
/** Manifests are called by what is missing to it, so that the newest comes first in a listing. */
const LAST_VERSION = 2n ** 64n - 1n

/** Changes nothing where all is whole. To be called while nobody has the tables open. */
export async function healVectorFiles(dataDirectory: string): Promise<void> {
  const directory = join(dataDirectory, "vectors")
  if (!existsSync(directory)) return
  for (const name of await readdir(directory)) if (name.endsWith(".lance")) await healTable(join(directory, name), name)
}

async function healTable(table: string, name: string): Promise<void> {
  const entries = await readdir(table, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const damaged: string[] = []
  for (const file of files) if (await isDamaged(file)) damaged.push(file)
  if (damaged.length === 0) return
  const versions = files.filter(file => file.endsWith(".manifest"))
  const lost: string[] = []
  for (const version of versions) if (await isLost(version, damaged)) lost.push(version)
  if (lost.length === versions.length) await rm(table, { recursive: true })
  else {
    for (const path of new Set([...lost, ...damaged])) await rm(path)
    await rm(join(table, "_versions", "latest_version_hint.json"), { force: true })
  }
  log.warn("the disk lost vectors: those that are missing are made again", {
    table: name,
    damaged_files: damaged.length,
    versions_left: versions.length - lost.length,
  })
}

async function isDamaged(path: string): Promise<boolean> {
  const { size } = await stat(path)
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

/** Data is named in a manifest as text, a file of deletions by the version that it was made for, `fragment-version-id`. */
async function isLost(manifest: string, damaged: readonly string[]): Promise<boolean> {
  if (damaged.includes(manifest)) return true
  const bytes = await readFile(manifest)
  const version = LAST_VERSION - BigInt(/(\d+)\.manifest$/.exec(manifest)?.[1] ?? 0)
  return damaged.some(path => {
    if (path.endsWith(".manifest")) return false
    const deletions = /_deletions\/\d+-(\d+)-\d+\.\w+$/.exec(path)
    if (deletions) return version > BigInt(deletions[1]!)
    return path.includes("/_indices/") || bytes.includes(basename(path))
  })
}
