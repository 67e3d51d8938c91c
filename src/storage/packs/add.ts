/**
 * Adds a pack to an installation and takes one away, beside a running daemon. A pack is unpacked and checked in a folder of
 * its own, which gets its name when all of it is on the disk: a process that is killed leaves a folder that nobody looks at
 * and that the next one removes.
 */
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream, existsSync, readdirSync, statSync } from "node:fs"
import { mkdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { extract } from "tar-stream"
import { diskTrouble } from "../../errors.ts"
import { syncFile, syncFolder } from "../../native/sync-path.ts"
import { damagedFiles, type InstalledPack, installedPacks, UNFINISHED } from "./installed.ts"
import {
  DAMAGED,
  foreign,
  MANIFEST,
  MAX_MANIFEST_BYTES,
  PackError,
  type PackFile,
  type PackManifest,
  parseManifest,
  SEAL,
} from "./manifest.ts"

/** What a file may unpack to: the largest of Tesseract have 90 MB. */
const MAX_UNPACKED_BYTES = 256 * 2 ** 20
const MODES = { folder: 0o700, file: 0o600 }

export interface Added {
  manifest: PackManifest
  /** The same pack was there already, whole. */
  wasThere: boolean
}

/**
 * Installs the pack of a file; a pack of the same name is replaced. Nothing changes where it throws.
 * @throws PackError for what is no whole pack
 */
export async function addPack(source: string, directory: string): Promise<Added> {
  await mkdir(directory, { recursive: true, mode: MODES.folder })
  await removeAbandoned(directory)
  const staging = join(directory, unfinished("adding"))
  await mkdir(staging, { mode: MODES.folder })
  try {
    const { manifest, digest } = await readPack(source, (file, content) => store(join(staging, file.path), content))
    await writeFile(join(staging, MANIFEST), JSON.stringify(manifest, null, 2), { mode: MODES.file })
    await syncFile(join(staging, MANIFEST))
    await syncFolder(staging)
    const target = join(directory, `${manifest.name}-${digest.slice(0, 12)}`)
    const wasThere = await isWhole(target, directory)
    if (!wasThere) await putInPlace(staging, target, directory)
    for (const other of installedPacks(directory))
      if (other.manifest.name === manifest.name && other.folder !== target) await takeAway(other.folder, directory)
    return { manifest, wasThere }
  } catch (error) {
    throw diskTrouble(error) === "full"
      ? new PackError(`there is no space left for ${directory}`, { hint: "make room", cause: error })
      : error
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** Reads a pack through and compares every checksum. @throws PackError naming what is wrong */
export const checkPack = async (source: string): Promise<PackManifest> =>
  (await readPack(source, (_, content) => drain(content))).manifest

/** @throws PackError where there is none of this name */
export async function removePack(name: string, directory: string): Promise<void> {
  const found = installedPacks(directory).filter(({ manifest }) => manifest.name === name)
  if (found.length === 0)
    throw new PackError(`there is no pack ${JSON.stringify(name)}`, {
      hint: "`carrel packs list` names those there are",
    })
  for (const { folder } of found) await takeAway(folder, directory)
  await removeAbandoned(directory)
}

type Keep = (file: PackFile, content: AsyncIterable<Uint8Array>) => Promise<void>

/** @returns what the pack says of itself, and the checksum of that */
async function readPack(source: string, keep: Keep): Promise<{ manifest: PackManifest; digest: string }> {
  needFile(source)
  const tar = extract()
  const input = createReadStream(source)
  const reading = pipeline(input, tar)
  reading.catch(() => {}) // reported below
  let begun: { manifest: PackManifest; digest: string } | undefined
  let sealed = false
  let next = 0
  try {
    for await (const entry of tar) {
      const { name, type, size = 0 } = entry.header
      if (type !== "file" || sealed) throw foreign(source)
      if (!begun) {
        if (name !== MANIFEST || size > MAX_MANIFEST_BYTES) throw foreign(source)
        const bytes = Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Uint8Array>))
        begun = { manifest: parseManifest(bytes.toString(), source), digest: sha256(bytes) }
      } else if (name === SEAL && size <= MAX_MANIFEST_BYTES) {
        const seal = Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Uint8Array>)).toString()
        sealed = seal.trim() === begun.digest && next === begun.manifest.files.length
        if (!sealed) throw damaged(source, "its list of contents")
      } else {
        const file = begun.manifest.files[next++]
        if (file?.path !== name || file.size !== size) throw damaged(source, name)
        await keepChecked(source, file, entry as AsyncIterable<Uint8Array>, keep)
      }
    }
    await reading
  } catch (error) {
    if (error instanceof PackError || (error as NodeJS.ErrnoException).syscall) throw error
    throw begun
      ? new PackError(`${source} is truncated or damaged`, { hint: DAMAGED, cause: error })
      : foreign(source, error)
  } finally {
    input.destroy()
    await reading.catch(() => {})
  }
  if (!begun) throw foreign(source)
  if (!sealed) throw new PackError(`${source} is truncated: its end is missing`, { hint: DAMAGED })
  return begun
}

async function keepChecked(
  source: string,
  file: PackFile,
  entry: AsyncIterable<Uint8Array>,
  keep: Keep,
): Promise<void> {
  const hash = createHash("sha256")
  const told = async function* () {
    for await (const chunk of entry) {
      hash.update(chunk)
      yield chunk
    }
  }
  await keep(file, told())
  if (hash.digest("hex") !== file.sha256) throw damaged(source, file.path)
}

const damaged = (source: string, what: string): PackError =>
  new PackError(`${source} is damaged: ${what} is not what was packed`, { hint: DAMAGED })

/** Data that unpacks without end would be found out by each reader process, at the cost of its file. */
async function store(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(content, createWriteStream(path, { flags: "wx", mode: MODES.file }))
  await syncFile(path)
  if (!path.endsWith(".gz")) return
  let size = 0
  const unpacked = createReadStream(path).pipe(createGunzip())
  try {
    for await (const chunk of unpacked as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > MAX_UNPACKED_BYTES) throw new Error("it unpacks to more than OCR data has")
    }
  } finally {
    unpacked.destroy()
  }
}

async function drain(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of content);
}

async function isWhole(target: string, directory: string): Promise<boolean> {
  const there = installedPacks(directory).find(({ folder }) => folder === target)
  return there !== undefined && (await damagedFiles(there)).length === 0
}

async function putInPlace(staging: string, target: string, directory: string): Promise<void> {
  if (existsSync(target)) await takeAway(target, directory) // damaged
  try {
    await rename(staging, target)
  } catch (error) {
    if (!(await isWhole(target, directory))) throw error // somebody else was faster
  }
  await syncFolder(directory)
}

/** From one moment to the next, so that no reader finds half of it. */
async function takeAway(folder: InstalledPack["folder"], directory: string): Promise<void> {
  const removing = join(directory, unfinished("removing"))
  await rename(folder, removing)
  await syncFolder(directory)
  await rm(removing, { recursive: true, force: true })
}

const unfinished = (doing: "adding" | "removing"): string =>
  `${UNFINISHED}${doing}-${process.pid}-${crypto.randomUUID()}`

/** What processes that were killed left in the directory of packs. */
export async function removeAbandoned(directory: string): Promise<void> {
  for (const name of readdirSync(directory)) {
    const [, pid] = /^\.(?:adding|removing)-(\d+)-/.exec(name) ?? []
    if (pid && !isRunning(Number(pid))) await rm(join(directory, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

function needFile(source: string): void {
  const found = statSync(source, { throwIfNoEntry: false })
  if (!found) throw new PackError(`there is no file ${source}`)
  if (!found.isFile()) throw new PackError(`${source} is not a file`)
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
