/** Packs what must be a real file at run time, and writes the module that lists it in place of `src/native/embedded.ts`. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bundleConsole, bundleGraphiql, readAddresses } from "../../src/native/console-assets.ts"
import type { GroupName } from "../../src/native/embedded.ts"
import { collectLicenses } from "../../src/native/licenses.ts"

/** Level 12 packs LanceDB from 202 to 56 MB in half a minute; 19 saves 8 MB more and takes minutes. */
const ZSTD_LEVEL = 12

/** Compressed on its own; what unpacking holds in memory at a time. */
const PART_BYTES = 8 * 2 ** 20

interface Source {
  path: string
  file: string
}

/** JavaScript source that stands for one value or import in the written module. */
interface Module {
  imports: string[]
  groups: string[]
  pages: string[]
}

export interface Parts {
  natives: NativeFiles
  /** Folder of packs, as an installation has them; undefined for none. */
  packs: string | undefined
  commit: string
}

export interface NativeFiles {
  lancedb: string
  onnxruntime: string
}

/** @returns source of the module; compressed copies are kept in `cache` between builds, by content */
export async function embeddedModule(
  project: string,
  cache: string,
  { natives, packs, commit }: Parts,
): Promise<string> {
  mkdirSync(cache, { recursive: true })
  const module: Module = { imports: [], groups: [], pages: [] }
  addGroup(module, cache, "lancedb", [{ path: "lancedb.node", file: natives.lancedb }])
  // The binding looks for the library in its own folder (RUNPATH $ORIGIN).
  addGroup(module, cache, "onnxruntime", librariesIn(natives.onnxruntime))
  addGroup(module, cache, "models", filesBelow(join(project, "models")))
  if (packs) addGroup(module, cache, "packs", filesBelow(packs))
  await addConsole(module, cache)
  const licenses = Buffer.from(JSON.stringify(collectLicenses(project)))
  const packedLicenses = packedFile(cache, `${hashOf(licenses).slice(0, 16)}.licenses.zst`, () =>
    Bun.zstdCompressSync(licenses, { level: ZSTD_LEVEL }),
  )
  const licensesImport = importOf(module, packedLicenses)
  return [
    ...module.imports,
    `export const groups = {${module.groups.join(",")}}`,
    `export const consolePages = [${module.pages.join(",")}]`,
    `export const consoleAddresses = ${JSON.stringify(await readAddresses())}`,
    `export const licenses = ${licensesImport}`,
    `export const commit = ${JSON.stringify(commit)}`,
  ].join("\n")
}

function addGroup(module: Module, cache: string, name: GroupName, sources: Source[]): void {
  const files = sources.map(({ path, file }) => {
    const bytes = readFileSync(file)
    const parts = Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, index) =>
      importOf(module, packedPart(cache, bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES))),
    )
    return { path, sha256: hashOf(bytes), sizeBytes: bytes.length, parts }
  })
  const hash = hashOf(JSON.stringify(files.map(({ path, sha256 }) => [path, sha256]))).slice(0, 16)
  const list = files.map(({ parts, ...file }) => `{...${JSON.stringify(file)},packed:[${parts.join(",")}]}`)
  module.groups.push(`${name}:{hash:${JSON.stringify(hash)},files:[${list.join(",")}]}`)
}

function packedPart(cache: string, bytes: Uint8Array<ArrayBuffer>): string {
  const name = `${hashOf(bytes).slice(0, 16)}.${ZSTD_LEVEL}.zst`
  return packedFile(cache, name, () => Bun.zstdCompressSync(bytes, { level: ZSTD_LEVEL }))
}

async function addConsole(module: Module, cache: string): Promise<void> {
  for (const [path, { body, ...asset }] of [...(await bundleConsole()), ...(await bundleGraphiql())]) {
    const packed = packedFile(cache, `${hashOf(body).slice(0, 16)}.gz`, () => body)
    module.pages.push(`{...${JSON.stringify({ path, ...asset })},packed:${importOf(module, packed)}}`)
  }
}

function importOf(module: Module, file: string): string {
  const name = `file${module.imports.length}`
  module.imports.push(`import ${name} from ${JSON.stringify(file)} with { type: "file" }`)
  return name
}

function packedFile(cache: string, name: string, pack: () => Uint8Array): string {
  const file = join(cache, name)
  if (!existsSync(file)) {
    writeFileSync(`${file}.partial`, pack())
    renameSync(`${file}.partial`, file)
  }
  return file
}

/** Of macOS the folder holds one library under two names, of which the binding asks for the short one. */
const librariesIn = (folder: string): Source[] =>
  filesBelow(folder).filter(({ path }) => !/^libonnxruntime\.1\.\d+\.\d+\.dylib$/.test(path))

function filesBelow(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
    .map(file => ({ path: file.slice(folder.length + 1), file }))
}

const hashOf = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
