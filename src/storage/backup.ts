/**
 * Backups: one tar file with a snapshot of the database, every original and every extracted text that the snapshot
 * refers to, and a manifest of checksums at its end. The search index is derived from the database and not part of it:
 * a restored installation makes it anew in the background, words first.
 */

import { Database as Sqlite } from "bun:sqlite"
import { createHash } from "node:crypto"
import { accessSync, constants, createReadStream, createWriteStream, existsSync, readdirSync, statSync } from "node:fs"
import { copyFile, link, mkdir, open, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { extract, pack } from "tar-stream"
import { diskTrouble, OperatorError } from "../errors.ts"
import { dataDirectoryProblem, exists, outermostMissing, removeUpTo } from "./access.ts"
import { DiskBlobs } from "./blobs/disk.ts"
import { writtenByNewer } from "./database.ts"
import { MIGRATIONS } from "./migrations/index.ts"
import { Writer } from "./sqlite/writer.ts"

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
/** Settings of the daemon, where the operator wrote some: without them a restored one might, say, no longer redact. */
const SETTINGS = "carrel.toml"
/** A file that is deleted between two steps makes the attempt start over; deletions do not come that fast for long. */
const ATTEMPTS = 5

/** A backup that cannot be written, is not whole or is not one of ours. */
class BackupError extends OperatorError {}

/** Told how many bytes of how many are done. */
export type OnBytes = (done: number, total: number) => void

/**
 * Writes a backup beside a running daemon. `target` appears only when it is whole.
 * @throws BackupError when the target cannot be written; DataDirectoryError without permission for the data directory
 */
export async function writeBackup(
  dataDirectory: string,
  target: string,
  version: string,
  on: OnBytes = () => {},
): Promise<Manifest> {
  checkTarget(target)
  if (!exists(join(dataDirectory, SNAPSHOT))) throw new BackupError(`${dataDirectory} contains no installation`)
  const staging = join(dataDirectory, "tmp", `backup-${crypto.randomUUID()}`)
  const partial = `${target}.partial`
  try {
    const paths = await stage(dataDirectory, staging)
    const manifest = await archive(staging, paths, partial, version, on)
    await rename(partial, target)
    return manifest
  } catch (error) {
    if (diskTrouble(error) !== "full") throw error
    throw new BackupError(`there is no space left to write ${target}`, {
      hint: "make room, or write it to another disk; nothing was left behind",
      cause: error,
    })
  } finally {
    await rm(staging, { recursive: true, force: true })
    await rm(partial, { force: true })
  }
}

/** @throws BackupError for a file that is there, or a folder that is not or may not be written */
function checkTarget(target: string): void {
  const folder = dirname(target)
  const parent = statSync(folder, { throwIfNoEntry: false })
  if (!parent) throw new BackupError(`there is no folder ${folder}`, { hint: "create it first (mkdir -p)" })
  if (!parent.isDirectory()) throw new BackupError(`${folder} is not a folder`)
  const found = statSync(target, { throwIfNoEntry: false })
  if (found?.isDirectory())
    throw new BackupError(`${target} is a folder`, { hint: `name a file in it, such as ${join(target, "carrel.tar")}` })
  if (found) throw new BackupError(`${target} already exists`, { hint: "name another file, or move that one away" })
  try {
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new BackupError(`this user may not write into ${folder} (${(error as NodeJS.ErrnoException).code})`, {
      hint: "name a folder that it may write into",
      cause: error,
    })
  }
}

/** Links what the snapshot refers to into `staging`, so that later deletions do not take it away. */
async function stage(dataDirectory: string, staging: string): Promise<string[]> {
  const blobs = new DiskBlobs(dataDirectory)
  for (let attempt = 1; ; attempt++) {
    await rm(staging, { recursive: true, force: true })
    await mkdir(staging, { recursive: true, mode: 0o700 })
    await snapshot(join(dataDirectory, SNAPSHOT), join(staging, SNAPSHOT))
    const wanted = referredFiles(join(staging, SNAPSHOT), blobs, dataDirectory)
    const missing: string[] = []
    for (const path of wanted) {
      await mkdir(dirname(join(staging, path)), { recursive: true })
      if (!(await linkOrCopy(join(dataDirectory, path), join(staging, path)))) missing.push(path)
    }
    // Deleted since the snapshot, most likely; an original that is lost for good must not prevent every backup.
    if (missing.length > 0 && attempt < ATTEMPTS) continue
    const settings = join(dataDirectory, SETTINGS)
    const hasSettings = existsSync(settings)
    if (hasSettings) await copyFile(settings, join(staging, SETTINGS))
    const lost = new Set(missing)
    return [SNAPSHOT, ...(hasSettings ? [SETTINGS] : []), ...wanted.filter(path => !lost.has(path))]
  }
}

/** False for a file that is not there. Some file systems have no links, and some systems refuse them on files of others. */
async function linkOrCopy(from: string, to: string): Promise<boolean> {
  const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT"
  try {
    await link(from, to).catch(error => (isMissing(error) ? Promise.reject(error) : copyFile(from, to)))
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** In the thread that writes: a large database takes a while to copy. */
async function snapshot(from: string, to: string): Promise<void> {
  const writer = await Writer.open(from, () => {})
  try {
    await writer.run("vacuum into ?", [to])
  } finally {
    await writer.close()
  }
}

function referredFiles(snapshotPath: string, blobs: DiskBlobs, dataDirectory: string): string[] {
  const database = new Sqlite(snapshotPath, { readonly: true })
  const known = new Set(MIGRATIONS.map(({ name }) => name))
  const applied = database.query("select name from migrations").all() as { name: string }[]
  const newer = applied.find(({ name }) => !known.has(name))
  if (newer) throw writtenByNewer(newer.name) // it may refer to files that this version does not know of
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

async function archive(root: string, paths: string[], target: string, version: string, on: OnBytes): Promise<Manifest> {
  const total = paths.reduce((sum, path) => sum + statSync(join(root, path)).size, 0)
  let done = 0
  const tar = pack()
  const output = createWriteStream(target, { flags: "wx", mode: 0o600 })
  const written = pipeline(tar, output)
  const manifest: Manifest = { format: 1, version, created_at: new Date().toISOString(), files: [] }
  for (const path of paths) {
    const { size } = await stat(join(root, path))
    const hash = createHash("sha256")
    const entry = tar.entry({ name: path, size, mode: 0o600 })
    const source = createReadStream(join(root, path))
    source.on("data", chunk => {
      hash.update(chunk)
      done += chunk.length
      on(done, total)
    })
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
export async function restoreBackup(source: string, dataDirectory: string, on: OnBytes = () => {}): Promise<Manifest> {
  checkEmpty(dataDirectory)
  const partial = `${dataDirectory}.restoring`
  await rm(partial, { recursive: true, force: true }) // of an attempt that was killed
  const made = outermostMissing(partial)
  try {
    const manifest = await readArchive(source, partial, on)
    await rm(dataDirectory, { recursive: true, force: true })
    await rename(partial, dataDirectory)
    return manifest
  } catch (error) {
    if (made) removeUpTo(partial, made)
    const { code, path } = error as NodeJS.ErrnoException
    if (diskTrouble(error) === "full")
      throw new BackupError(`there is no space left for ${dataDirectory}`, {
        hint: "make room, or restore to another disk; nothing was left behind",
        cause: error,
      })
    throw code === "EACCES" || code === "EPERM" ? dataDirectoryProblem(path ?? dataDirectory, error) : error
  }
}

/** @throws BackupError for a directory with something in it, or a file */
function checkEmpty(dataDirectory: string): void {
  if (!exists(dataDirectory)) return
  if (!statSync(dataDirectory).isDirectory()) throw dataDirectoryProblem(dataDirectory, { code: "ENOTDIR" })
  let names: string[]
  try {
    names = readdirSync(dataDirectory)
  } catch (error) {
    throw dataDirectoryProblem(dataDirectory, error)
  }
  if (names.length > 0)
    throw new BackupError(`${dataDirectory} is not empty`, { hint: "move it away first, or name another with --data" })
}

/** Reads a backup through and compares every checksum. @throws BackupError naming what is wrong */
export const verifyBackup = (source: string, on: OnBytes = () => {}): Promise<Manifest> => readArchive(source, null, on)

async function readArchive(source: string, target: string | null, on: OnBytes): Promise<Manifest> {
  const total = sizeOf(source)
  const tar = extract()
  const input = createReadStream(source)
  let done = 0
  input.on("data", chunk => {
    done += chunk.length
    on(done, total)
  })
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
    // The system's own errors, of a disk or a permission, say nothing of the backup.
    throw error instanceof BackupError || (error as NodeJS.ErrnoException).syscall
      ? error
      : new BackupError(`${source} is not a backup, or it is truncated or damaged`, { hint: DAMAGED, cause: error })
  } finally {
    input.destroy()
    await reading.catch(() => {})
  }
  if (!manifest) throw new BackupError(`${source} is truncated: its list of contents is missing`, { hint: DAMAGED })
  for (const file of manifest.files) {
    const copy = found.get(file.path)
    if (!copy) throw new BackupError(`${source} does not contain ${file.path}`, { hint: DAMAGED })
    if (copy.sha256 !== file.sha256 || copy.size !== file.size)
      throw new BackupError(`${file.path} in ${source} is damaged`, { hint: DAMAGED })
  }
  return manifest
}

const DAMAGED = "take another backup, or copy this one anew from where it came"

/** @throws BackupError for anything but a file that can be read */
function sizeOf(source: string): number {
  try {
    const found = statSync(source)
    if (!found.isFile()) throw new BackupError(`${source} is not a file`)
    accessSync(source, constants.R_OK)
    return found.size
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") throw new BackupError(`there is no file ${source}`)
    throw code === "EACCES" ? dataDirectoryProblem(source, error) : error
  }
}

/** Reads an entry through, into `path` if there is one. */
async function copyEntry(entry: Readable, path: string | null): Promise<{ size: number; sha256: string }> {
  const hash = createHash("sha256")
  let size = 0
  const measured = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.byteLength
      yield chunk
    }
  }
  if (path) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await pipeline(entry, measured, createWriteStream(path, { flags: "wx", mode: 0o600 }))
    await syncFile(path)
  } else for await (const _ of measured(entry));
  return { size, sha256: hash.digest("hex") }
}

/** A backup may come from anywhere: only plain relative paths below the folders that we write. */
const isSafe = (name: string): boolean =>
  [MANIFEST, SNAPSHOT, SETTINGS].includes(name) ||
  /^(blobs|texts)\/[A-Za-z0-9_-]{1,8}\/[A-Za-z0-9_.-]{1,100}$/.test(name)

function parseManifest(text: string, source: string): Manifest {
  try {
    const manifest = JSON.parse(text) as Manifest
    if (manifest.format === 1 && Array.isArray(manifest.files)) return manifest
  } catch {
    // said below
  }
  throw new BackupError(`${source} is not a backup that this version can read`)
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r")
  await handle.sync()
  await handle.close()
}
