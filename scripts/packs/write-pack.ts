/** Writes the file of a pack: the same bytes from the same content, whenever and wherever it is made. */
import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { rename } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import { pack } from "tar-stream"
import {
  FORMAT,
  MANIFEST,
  type PackFile,
  type PackLanguage,
  type PackManifest,
  SEAL,
} from "../../src/storage/packs/manifest.ts"

export type PackContent = Pick<PackFile, "path" | "source" | "license"> & { bytes: Uint8Array }

export interface PackParts {
  name: string
  languages: PackLanguage[]
  files: PackContent[]
}

/** @returns SHA-256 of the file, which appears only when it is whole */
export async function writePack(target: string, { name, languages, files }: PackParts): Promise<string> {
  const manifest: PackManifest = {
    format: FORMAT,
    kind: "ocr",
    name,
    languages,
    files: files.map(({ bytes, path, source, license }) => ({
      path,
      size: bytes.length,
      sha256: sha256(bytes),
      source,
      license,
    })),
  }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  const tar = pack()
  const add = (path: string, bytes: Uint8Array) =>
    tar.entry({ name: path, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0, type: "file" }, Buffer.from(bytes))
  add(MANIFEST, text)
  for (const { path, bytes } of files) add(path, bytes)
  add(SEAL, Buffer.from(`${sha256(text)}\n`))
  tar.finalize()
  const hash = createHash("sha256")
  const hashed = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  await pipeline(tar, hashed, createWriteStream(`${target}.partial`))
  await rename(`${target}.partial`, target)
  return hash.digest("hex")
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
