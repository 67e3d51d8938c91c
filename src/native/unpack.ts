/** Puts embedded files into a real folder, once per content: libraries and models must be files to be opened. */
import { createHash } from "node:crypto"
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"
import type { EmbeddedFile, EmbeddedGroup } from "./embedded.ts"
import { FOLDERS_SYNC } from "./sync-path.ts"

/**
 * Large writes make large pages in the page cache, which Linux then maps whole: 120 MB of LanceDB's code counted as
 * memory of the daemon, where the 64 KB pieces that it really runs make 30.
 */
const WRITE_BYTES = 65_536
const READ_BYTES = 2 ** 20

/**
 * Returns `<directory>/<name>-<hash>`, which holds every file of the group, and unpacks it first when it does not, or holds
 * one that was changed.
 * Synchronous, because `require` of a native library is. Several processes and threads may call it at once: each
 * unpacks into a folder of its own and the first to rename wins. Folders of other versions of the group are removed.
 * @param on told how many bytes are written, after each part
 */
export function unpack(
  name: string,
  group: EmbeddedGroup,
  directory: string,
  on: (bytes: number) => void = () => {},
): string {
  const folder = unpackedFolder(name, group, directory)
  if (isIntact(folder, group)) return folder
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const partial = mkdtempSync(`${folder}.partial-`)
  try {
    let done = 0
    for (const file of group.files)
      writeFile(partial, file, bytes => {
        done += bytes
        on(done)
      })
    sync(partial)
    publish(partial, folder, group)
    sync(directory)
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
  removeOtherVersions(name, folder, directory)
  return folder
}

export const unpackedFolder = (name: string, group: EmbeddedGroup, directory: string): string =>
  join(directory, `${name}-${group.hash}`)

/**
 * True when every file has the content that it was built with: libraries are loaded into the process, and a disk, or
 * somebody with access to the folder, may have changed one. Of a start's 0.3 s it takes 11 ms for the models' 14 MB and
 * 26 ms, in the model's thread, for onnxruntime's 46 MB; LanceDB's 202 MB take 93 ms, in a child, at their first use.
 */
export function isIntact(folder: string, group: EmbeddedGroup): boolean {
  return group.files.every(file => {
    const path = join(folder, file.path)
    return statSync(path, { throwIfNoEntry: false })?.size === file.sizeBytes && sha256Of(path) === file.sha256
  })
}

function sha256Of(path: string): string {
  const hash = createHash("sha256")
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  const file = openSync(path, "r")
  try {
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer))
      hash.update(buffer.subarray(0, read))
  } finally {
    closeSync(file)
  }
  return hash.digest("hex")
}

function writeFile(
  folder: string,
  { path, packed, sha256, sizeBytes }: EmbeddedFile,
  on: (bytes: number) => void,
): void {
  const target = join(folder, path)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const file = openSync(target, "wx", 0o500)
  const hash = createHash("sha256")
  let size = 0
  try {
    for (const part of packed) {
      const bytes = Bun.zstdDecompressSync(readFileSync(part))
      hash.update(bytes)
      size += bytes.length
      writeSmallPieces(file, bytes)
      on(bytes.length)
      // Nothing else runs in between, so the parts would pile up until the last one.
      Bun.gc(true)
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  if (size !== sizeBytes || hash.digest("hex") !== sha256)
    throw new Error(`the executable is damaged: its copy of ${path} does not have the expected checksum`)
}

function writeSmallPieces(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(WRITE_BYTES, bytes.length - at))
}

function publish(partial: string, folder: string, group: EmbeddedGroup): void {
  try {
    renameSync(partial, folder)
  } catch (error) {
    if (isIntact(folder, group)) return
    // Something incomplete has the name: a file was lost, cut or changed.
    rmSync(folder, { recursive: true, force: true })
    try {
      renameSync(partial, folder)
    } catch {
      if (!isIntact(folder, group)) throw error
    }
  }
}

function sync(directory: string): void {
  if (!FOLDERS_SYNC) return
  const handle = openSync(directory, "r")
  fsyncSync(handle)
  closeSync(handle)
}

/** An upgrade would otherwise leave 250 MB behind each time. A library that is loaded stays usable without its name. */
function removeOtherVersions(name: string, current: string, directory: string): void {
  const versioned = new RegExp(`^${name}-[0-9a-f]+$`)
  for (const entry of readdirSync(directory))
    if (versioned.test(entry) && join(directory, entry) !== current)
      rmSync(join(directory, entry), { recursive: true, force: true })
}
