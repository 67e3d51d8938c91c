/**
 * Backups of a data directory: one tar file with a snapshot of the database, every original and every extracted text that
 * the snapshot refers to, and a manifest of checksums at its end. The search index is derived from the database and not
 * part of it: a restored installation makes it anew in the background, words first.
 */

import { Database as Sqlite } from "bun:sqlite"
import { createReadStream, createWriteStream, existsSync, readdirSync, statSync } from "node:fs"
import { copyFile, link, mkdir, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { diskTrouble } from "../errors.ts"
import { syncFile } from "../native/sync-path.ts"
import { dataDirectoryProblem, exists, outermostMissing, removeUpTo } from "./access.ts"
import {
  type BackedPack,
  BackupError,
  type DirectoryManifest,
  type KeepEntry,
  type Manifest,
  type OnBytes,
  readArchive,
  SETTINGS,
  SNAPSHOT,
  writeArchive,
} from "./backup-archive.ts"
import { DiskBlobs } from "./blobs/disk.ts"
import { writtenByNewer } from "./database.ts"
import { batches } from "./migrations/0030-batches.ts"
import { messageImages } from "./migrations/0037-message-images.ts"
import { MIGRATIONS } from "./migrations/index.ts"
import type { Migration } from "./migrations/migration.ts"
import { installedPacks, packsDirectory } from "./packs/installed.ts"
import { Writer } from "./sqlite/writer.ts"

/** A file that is deleted between two steps makes the attempt start over; deletions do not come that fast for long. */
const ATTEMPTS = 5

/** Of the key file, where all of a backup is encrypted. */
type Key = Uint8Array | undefined

/**
 * Writes a backup beside a running daemon. `target` appears only when it is whole.
 * @throws BackupError when the target cannot be written; DataDirectoryError without permission for the data directory
 */
export async function writeBackup(
  dataDirectory: string,
  target: string,
  version: string,
  on: OnBytes = () => {},
  key?: Key,
): Promise<DirectoryManifest> {
  if (!exists(join(dataDirectory, SNAPSHOT))) throw new BackupError(`${dataDirectory} contains no installation`)
  const staging = join(dataDirectory, "tmp", `backup-${crypto.randomUUID()}`)
  try {
    return await writeArchive<DirectoryManifest>(
      target,
      async add => {
        const paths = await stage(dataDirectory, staging)
        const created_at = new Date().toISOString()
        const sizes = new Map(paths.map(path => [path, statSync(join(staging, path)).size]))
        const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
        let done = 0
        const told = async function* (source: AsyncIterable<Uint8Array>) {
          for await (const chunk of source) {
            done += chunk.byteLength
            on(done, total)
            yield chunk
          }
        }
        for (const [path, size] of sizes) await add(path, size, told(createReadStream(join(staging, path))))
        return { format: 1, version, created_at, packs: packsOf(dataDirectory) }
      },
      key,
    )
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

const packsOf = (dataDirectory: string): BackedPack[] =>
  installedPacks(packsDirectory(dataDirectory)).map(({ manifest: { name, languages } }) => ({
    name,
    languages: languages.map(({ language }) => language),
  }))

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
  const blobsOf = (table: string, since: Migration): string[] =>
    applied.some(({ name }) => name === since.name)
      ? (database.query(`select blob from ${table}`).all() as { blob: string }[]).map(({ blob }) => blob)
      : []
  const others = [...blobsOf("batch_files", batches), ...blobsOf("message_images", messageImages)]
  database.close()
  const paths = new Set<string>(others.map(blob => blobs.path(blob)))
  for (const row of rows) {
    paths.add(blobs.path(row.blob))
    if (row.live_blob) paths.add(blobs.path(row.live_blob))
    if (row.live_generation === null) continue
    paths.add(blobs.textPath(row.id, row.live_generation))
    const layout = blobs.layoutPath(row.id, row.live_generation)
    if (existsSync(layout)) paths.add(layout) // most have none, and no file needs it
  }
  return [...paths].map(path => path.slice(dataDirectory.length + 1))
}

/**
 * Unpacks a backup into a data directory that must not exist or be empty, checking everything first.
 * Nothing is left behind when it fails.
 */
export async function restoreBackup(
  source: string,
  dataDirectory: string,
  on: OnBytes = () => {},
  key?: Key,
): Promise<DirectoryManifest> {
  checkEmpty(dataDirectory)
  const partial = `${dataDirectory}.restoring`
  await rm(partial, { recursive: true, force: true }) // of an attempt that was killed
  const made = outermostMissing(partial)
  try {
    const keep: KeepEntry = async (name, content) => {
      if (isOfCluster(name)) throw ofSeveral(source)
      await mkdir(dirname(join(partial, name)), { recursive: true, mode: 0o700 })
      await pipeline(content, createWriteStream(join(partial, name), { flags: "wx", mode: 0o600 }))
      await syncFile(join(partial, name))
    }
    const manifest = await readArchive(source, { on, keep, key })
    if (manifest.format !== 1) throw ofSeveral(source)
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
export const verifyBackup = (source: string, on: OnBytes = () => {}, key?: Key): Promise<Manifest> =>
  readArchive(source, { on, key })

const isOfCluster = (name: string): boolean => /^(records|stored)\//.test(name)

const ofSeveral = (source: string): BackupError =>
  new BackupError(`${source} is a backup of several machines: it holds no files, and makes no data directory`, {
    hint: "restore it with --database-url, --blob-url and --search-url; `carrel move --to` then makes a directory of it",
  })
