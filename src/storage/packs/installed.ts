/**
 * The packs of an installation: each a folder of `<data>/packs` with the files of the pack and its manifest. A folder is
 * there whole or not at all, so whoever looks needs no lock, and a daemon sees a new one at the next file that it reads.
 */
import { createHash } from "node:crypto"
import { createReadStream, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { MANIFEST, type PackManifest, parseManifest } from "./manifest.ts"

export interface InstalledPack {
  folder: string
  manifest: PackManifest
  addedAt: Date
}

/** Names that begin with it are being added or removed. */
export const UNFINISHED = "."

export const packsDirectory = (dataDirectory: string): string => join(dataDirectory, "packs")

/** Newest first; of what several have, the newest pack's is used. A folder that is no pack is passed over. */
export function installedPacks(directory: string): InstalledPack[] {
  return namesIn(directory)
    .flatMap(name => {
      const folder = join(directory, name)
      try {
        const manifest = parseManifest(readFileSync(join(folder, MANIFEST), "utf8"), folder)
        return [{ folder, manifest, addedAt: statSync(folder).mtime }]
      } catch {
        return []
      }
    })
    .sort((a, b) => Number(b.addedAt) - Number(a.addedAt) || (a.folder < b.folder ? -1 : 1))
}

/** Names of the languages that the packs in these directories have, with the pack's file of each. */
export function packLanguages(directories: readonly string[]): Map<string, { name: string; path: string }> {
  const found = new Map<string, { name: string; path: string }>()
  for (const { folder, manifest } of directories.flatMap(installedPacks))
    for (const { language, name, file } of manifest.languages)
      if (!found.has(language)) found.set(language, { name, path: join(folder, file) })
  return found
}

/** Names of files that are not what the manifest says; none where the pack is intact. */
export async function damagedFiles({ folder, manifest }: InstalledPack): Promise<string[]> {
  const damaged: string[] = []
  for (const { path, sha256 } of manifest.files)
    if ((await sha256Of(join(folder, path)).catch(() => undefined)) !== sha256) damaged.push(path)
  return damaged
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest("hex")
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter(name => !name.startsWith(UNFINISHED))
  } catch {
    return [] // nothing was ever added
  }
}
