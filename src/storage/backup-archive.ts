/**
 * The file of a backup: a tar whose entries are all listed with their checksums in a manifest at its end. What the entries
 * are is for those who write and read them to know: a data directory (`backup.ts`), or the records of several machines.
 */
import { createHash } from "node:crypto"
import { accessSync, constants, createReadStream, statSync } from "node:fs"
import { open, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { extract, type Pack, pack } from "tar-stream"
import { diskTrouble, OperatorError } from "../errors.ts"
import { syncFile } from "../native/sync-path.ts"
import { dataDirectoryProblem } from "./access.ts"
import { sealArchive, sealedArchive } from "./encryption/archive.ts"

interface ManifestEntry {
  path: string
  /** Bytes. */
  size: number
  sha256: string
}

interface Archived {
  /** Version of Carrel that wrote it. */
  version: string
  created_at: string
  files: ManifestEntry[]
}

/** Of a data directory: the database, the originals and the texts themselves. */
export interface DirectoryManifest extends Archived {
  format: 1
  /** Packs that the installation had: they are not in the backup. Absent where a version wrote it that knew none. */
  packs?: BackedPack[]
}

export interface BackedPack {
  name: string
  /** As the pack names them. */
  languages: string[]
}

/** Of several machines: their records, and a list of the originals and texts that belong to them. */
export interface ClusterManifest extends Archived {
  format: 2
  kind: "cluster"
  /** What the other engines of the cluster carry as well. */
  cluster_id: string
  /** Names of the migrations that the tables had. */
  migrations: string[]
  /** Number of the next passage. */
  next_passage: number
  /** Rows of each table. */
  rows: Record<string, number>
  /** Originals and texts listed. */
  stored: number
}

export type Manifest = DirectoryManifest | ClusterManifest

const MANIFEST = "manifest.json"
export const SNAPSHOT = "carrel.db"
/** Settings of the daemon, where the operator wrote some: without them a restored one might, say, no longer redact. */
export const SETTINGS = "carrel.toml"

/** A backup that cannot be written, is not whole or is not one of ours. */
export class BackupError extends OperatorError {}

/** Told how many bytes of how many are done. */
export type OnBytes = (done: number, total: number) => void

/** Adds an entry of a size that is known. */
export type AddEntry = (path: string, size: number, source: AsyncIterable<Uint8Array>) => Promise<void>

/**
 * Writes a backup; `target` appears only when it is whole.
 * @param write adds the entries, and says all of the manifest but their list
 * @param key of the key file, where all of it is to be encrypted
 * @throws BackupError when the target cannot be written
 */
export async function writeArchive<M extends Manifest>(
  target: string,
  write: (add: AddEntry) => Promise<Omit<M, "files">>,
  key?: Uint8Array,
): Promise<M> {
  checkTarget(target)
  const partial = `${target}.partial`
  await rm(partial, { force: true }) // of one that was killed
  let isOurs = async () => false
  try {
    const file = await open(partial, "wx", 0o600)
    const { ino } = await file.stat()
    isOurs = async () => (await stat(partial).catch(() => undefined))?.ino === ino
    const tar = pack()
    const sink = file.createWriteStream()
    const written = key ? pipeline(tar, source => sealArchive(source, key), sink) : pipeline(tar, sink)
    written.catch(() => {}) // reported below
    try {
      const files: ManifestEntry[] = []
      const head = await write(
        async (path, size, source) => void files.push(await addTo(tar, written, path, size, source)),
      )
      const manifest = { ...head, files } as M
      tar.entry({ name: MANIFEST }, JSON.stringify(manifest))
      tar.finalize()
      await written
      await syncFile(partial)
      if (!(await isOurs())) throw new BackupError(`another backup is being written to ${target}`)
      await rename(partial, target)
      return manifest
    } finally {
      tar.destroy()
      await written.catch(() => {})
    }
  } catch (error) {
    if (diskTrouble(error) !== "full") throw error
    throw new BackupError(`there is no space left to write ${target}`, {
      hint: "make room, or write it to another disk; nothing was left behind",
      cause: error,
    })
  } finally {
    if (await isOurs()) await rm(partial, { force: true })
  }
}

async function addTo(
  tar: Pack,
  written: Promise<void>,
  path: string,
  size: number,
  source: AsyncIterable<Uint8Array>,
): Promise<ManifestEntry> {
  const hash = createHash("sha256")
  const measured = async function* () {
    for await (const chunk of source) {
      hash.update(chunk)
      yield chunk
    }
  }
  const entry = tar.entry({ name: path, size, mode: 0o600 })
  await Promise.race([pipeline(Readable.from(measured()), entry), written.then(() => undefined)])
  return { path, size, sha256: hash.digest("hex") }
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

/** Receives an entry; without it, it is only read through. */
export type KeepEntry = (name: string, content: AsyncIterable<Uint8Array>) => Promise<void>

interface ReadOptions {
  on: OnBytes
  keep?: KeepEntry
  /** Of the key file; needed for a backup that is encrypted. */
  key?: Uint8Array | undefined
}

/** Reads a backup through and compares every checksum. @throws BackupError naming what is wrong */
export async function readArchive(source: string, { on, keep = readThrough, key }: ReadOptions): Promise<Manifest> {
  const total = sizeOf(source)
  const sealed = await openerOf(source, key)
  const tar = extract()
  const input = createReadStream(source, { start: sealed?.start ?? 0 })
  let done = 0
  input.on("data", chunk => {
    done += chunk.length
    on(done, total)
  })
  const reading = sealed ? pipeline(input, sealed.open, tar) : pipeline(input, tar)
  reading.catch(() => {}) // reported below
  const found = new Map<string, { size: number; sha256: string }>()
  let manifest: Manifest | undefined
  try {
    for await (const entry of tar) {
      const { name } = entry.header
      if (entry.header.type !== "file" || !isSafe(name))
        throw new BackupError(`${source} holds an unexpected entry ${JSON.stringify(name)}`)
      if (name === MANIFEST) manifest = parseManifest(Buffer.concat(await Array.fromAsync(entry)).toString(), source)
      else if (found.has(name)) throw new BackupError(`${source} holds ${name} twice`)
      else found.set(name, await readEntry(name, entry, keep))
    }
    await reading
  } catch (error) {
    if (error instanceof NotKept) throw error.cause
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

/** @throws BackupError where it is encrypted and the key is not there, or another one */
async function openerOf(source: string, key: Uint8Array | undefined) {
  const archive = await sealedArchive(source)
  if (!archive) return undefined
  if (!key)
    throw new BackupError(`${source} is encrypted, and no key file is named`, {
      hint: "give --encryption-key-file FILE, or CARREL_ENCRYPTION_KEY_FILE, with the key that the installation had when it was made",
    })
  const open = archive.opener(key)
  if (!open)
    throw new BackupError(
      `${source} is encrypted with another key than the one in the key file, or its beginning is damaged`,
      {
        hint: "name the key file that the installation had when the backup was made",
      },
    )
  return { start: archive.start, open }
}

export const DAMAGED = "take another backup, or copy this one anew from where it came"

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

async function readThrough(_name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of content);
}

/** The backup is no reason for it: whoever was to keep an entry could not. */
class NotKept extends Error {}

async function readEntry(name: string, entry: Readable, keep: KeepEntry): Promise<{ size: number; sha256: string }> {
  const hash = createHash("sha256")
  let size = 0
  let isBroken = false
  const measured = async function* () {
    try {
      for await (const chunk of entry as AsyncIterable<Uint8Array>) {
        hash.update(chunk)
        size += chunk.byteLength
        yield chunk
      }
    } catch (error) {
      isBroken = true
      throw error
    }
  }
  await keep(name, measured()).catch(error => {
    throw isBroken ? error : new NotKept("an entry was read and not kept", { cause: error })
  })
  return { size, sha256: hash.digest("hex") }
}

/** A backup may come from anywhere: only plain relative paths below the folders that we write. */
const isSafe = (name: string): boolean =>
  [MANIFEST, SNAPSHOT, SETTINGS].includes(name) ||
  /^(blobs|texts)\/[A-Za-z0-9_-]{1,8}\/[A-Za-z0-9_.-]{1,100}$/.test(name) ||
  /^(records\/[a-z_]{1,60}|stored)\/\d{1,15}\.jsonl$/.test(name)

function parseManifest(text: string, source: string): Manifest {
  try {
    const manifest = JSON.parse(text) as Manifest
    const isOurs = manifest.format === 1 || (manifest.format === 2 && manifest.kind === "cluster")
    if (isOurs && Array.isArray(manifest.files)) return manifest
  } catch {
    // said below
  }
  throw new BackupError(`${source} is not a backup that this version can read`)
}
