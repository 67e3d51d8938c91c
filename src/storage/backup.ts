/**
 * Backups: one tar file with a snapshot of the database, every original and every extracted text that the snapshot
 * refers to, and a manifest of checksums at its end. The search index is derived from the database and not part of it:
 * a restored installation makes it anew in the background, words first.
 */

import { Database as Sqlite } from "bun:sqlite"
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream, existsSync, readdirSync } from "node:fs"
import { link, mkdir, open, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { finished, pipeline } from "node:stream/promises"
import { extract, pack } from "tar-stream"
import { Blobs } from "./blobs.ts"

interface ManifestEntry {
  path: string
  /** Bytes. */
  size: number
  sha256: string
}

export interface Manifest {
  format: 1
  /** Version of Carrel that wrote it. */
  version: string
  created_at: string
  files: ManifestEntry[]
}

const MANIFEST = "manifest.json"
const SNAPSHOT = "carrel.db"
/** A file that is deleted between two steps makes the attempt start over; deletions do not come that fast for long. */
const ATTEMPTS = 5

/** A backup that is not whole or not one of ours. */
export class BackupError extends Error {
  override name = "UsageError"
}

/**
 * Writes a backup beside a running daemon. `target` appears only when it is whole.
 * @throws BackupError when the target exists or the data directory holds no installation
 */
export async function writeBackup(dataDirectory: string, target: string, version: string): Promise<Manifest> {
  if (existsSync(target)) throw new BackupError(`${target} exists already`)
  if (!existsSync(join(dataDirectory, SNAPSHOT))) throw new BackupError(`${dataDirectory} holds no installation`)
  const staging = join(dataDirectory, "tmp", `backup-${crypto.randomUUID()}`)
  const partial = `${target}.partial`
  try {
    const paths = await stage(dataDirectory, staging)
    const manifest = await archive(staging, paths, partial, version)
    await rename(partial, target)
    return manifest
  } finally {
    await rm(staging, { recursive: true, force: true })
    await rm(partial, { force: true })
  }
}

/** Links what the snapshot refers to into `staging`, so that later deletions do not take it away. */
async function stage(dataDirectory: string, staging: string): Promise<string[]> {
  const blobs = new Blobs(dataDirectory)
  for (let attempt = 1; ; attempt++) {
    await rm(staging, { recursive: true, force: true })
    await mkdir(staging, { recursive: true, mode: 0o700 })
    snapshot(join(dataDirectory, SNAPSHOT), join(staging, SNAPSHOT))
    const wanted = referredFiles(join(staging, SNAPSHOT), blobs, dataDirectory)
    const missing: string[] = []
    for (const path of wanted) {
      await mkdir(dirname(join(staging, path)), { recursive: true })
      await link(join(dataDirectory, path), join(staging, path)).catch(() => missing.push(path))
    }
    // Deleted since the snapshot, most likely; an original that is lost for good must not prevent every backup.
    if (missing.length === 0 || attempt === ATTEMPTS)
      return [SNAPSHOT, ...wanted.filter(path => !missing.includes(path))]
  }
}

function snapshot(from: string, to: string): void {
  const database = new Sqlite(from, { readwrite: true })
  database.exec("PRAGMA busy_timeout = 30000")
  database.query("VACUUM INTO ?").run(to)
  database.close()
}

function referredFiles(snapshotPath: string, blobs: Blobs, dataDirectory: string): string[] {
  const database = new Sqlite(snapshotPath, { readonly: true })
  const rows = database.query("select id, blob, live_blob, live_generation from files").all() as {
    id: string
    blob: string
    live_blob: string | null
    live_generation: number | null
  }[]
  database.close()
  const paths = new Set<string>()
  for (const row of rows) {
    paths.add(blobs.path(row.blob))
    if (row.live_blob) paths.add(blobs.path(row.live_blob))
    if (row.live_generation !== null) paths.add(blobs.textPath(row.id, row.live_generation))
  }
  return [...paths].map(path => path.slice(dataDirectory.length + 1))
}

async function archive(root: string, paths: string[], target: string, version: string): Promise<Manifest> {
  const tar = pack()
  const output = createWriteStream(target, { flags: "wx", mode: 0o600 })
  const written = pipeline(tar, output)
  const manifest: Manifest = { format: 1, version, created_at: new Date().toISOString(), files: [] }
  for (const path of paths) {
    const { size } = await stat(join(root, path))
    const hash = createHash("sha256")
    const entry = tar.entry({ name: path, size, mode: 0o600 })
    const source = createReadStream(join(root, path))
    source.on("data", chunk => hash.update(chunk))
    await Promise.race([pipeline(source, entry), written.then(() => undefined)])
    manifest.files.push({ path, size, sha256: hash.digest("hex") })
  }
  tar.entry({ name: MANIFEST }, JSON.stringify(manifest))
  tar.finalize()
  await written
  await syncFile(target)
  return manifest
}

/**
 * Unpacks a backup into a data directory that must not exist or be empty, checking everything first.
 * Nothing is left behind when it fails.
 */
export async function restoreBackup(source: string, dataDirectory: string): Promise<Manifest> {
  if (existsSync(dataDirectory) && readdirSync(dataDirectory).length > 0)
    throw new BackupError(`${dataDirectory} is not empty; move it away first`)
  const partial = `${dataDirectory}.restoring`
  await rm(partial, { recursive: true, force: true })
  try {
    const manifest = await readArchive(source, partial)
    await rm(dataDirectory, { recursive: true, force: true })
    await mkdir(dirname(dataDirectory), { recursive: true })
    await rename(partial, dataDirectory)
    return manifest
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

/** Reads a backup through and compares every checksum. @throws BackupError naming what is wrong */
export const verifyBackup = (source: string): Promise<Manifest> => readArchive(source, null)

async function readArchive(source: string, target: string | null): Promise<Manifest> {
  if (!existsSync(source)) throw new BackupError(`there is no file ${source}`)
  const tar = extract()
  const input = createReadStream(source)
  const reading = pipeline(input, tar)
  reading.catch(() => {}) // reported below
  const found = new Map<string, { size: number; sha256: string }>()
  let manifest: Manifest | undefined
  try {
    for await (const entry of tar) {
      const { name } = entry.header
      if (entry.header.type !== "file" || !isSafe(name))
        throw new BackupError(`${source} holds an unexpected entry ${JSON.stringify(name)}`)
      if (name === MANIFEST) manifest = parseManifest(Buffer.concat(await Array.fromAsync(entry)).toString(), source)
      else found.set(name, await copyEntry(entry, target && join(target, name)))
    }
    await reading
  } catch (error) {
    throw error instanceof BackupError
      ? error
      : new BackupError(`${source} is cut or damaged: ${(error as Error).message}`)
  }
  if (!manifest) throw new BackupError(`${source} is cut: its list of contents is missing`)
  for (const file of manifest.files) {
    const copy = found.get(file.path)
    if (!copy) throw new BackupError(`${source} lacks ${file.path}`)
    if (copy.sha256 !== file.sha256 || copy.size !== file.size)
      throw new BackupError(`${file.path} in ${source} is damaged`)
  }
  return manifest
}

async function copyEntry(
  entry: AsyncIterable<Uint8Array>,
  path: string | null,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash("sha256")
  let size = 0
  if (path) await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const output = path ? createWriteStream(path, { flags: "wx", mode: 0o600 }) : undefined
  for await (const chunk of entry) {
    hash.update(chunk)
    size += chunk.byteLength
    if (output && !output.write(chunk)) await new Promise(resolve => output.once("drain", resolve))
  }
  if (output && path) {
    output.end()
    await finished(output)
    await syncFile(path)
  }
  return { size, sha256: hash.digest("hex") }
}

/** A backup may come from anywhere: only plain relative paths below the folders that we write. */
const isSafe = (name: string): boolean =>
  name === MANIFEST || name === SNAPSHOT || /^(blobs|texts)\/[A-Za-z0-9_-]{1,8}\/[A-Za-z0-9_.-]{1,100}$/.test(name)

function parseManifest(text: string, source: string): Manifest {
  try {
    const manifest = JSON.parse(text) as Manifest
    if (manifest.format === 1 && Array.isArray(manifest.files)) return manifest
  } catch {
    // said below
  }
  throw new BackupError(`${source} is no backup that this version can read`)
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r")
  await handle.sync()
  await handle.close()
}
