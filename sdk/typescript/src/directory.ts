/** A folder brought in, with a manifest of what is there. Node, Bun and Deno. */
import { appendFile, mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises"
import { dirname, join, relative, resolve, sep } from "node:path"
import { ApiError } from "./api-error.ts"
import type { Files } from "./files.ts"
import type { UploadAnswer } from "./generated.ts"
import type { CallOptions } from "./transport.ts"
import type { UploadFields } from "./upload.ts"

export interface UploadDirectoryOptions extends UploadFields, CallOptions {
  /** Requests at the same time; 4. */
  parallel?: number
  /** Whether a file is brought; its path has `/` and begins below the folder. */
  include?(path: string): boolean
  /** Where what was brought is noted: `.carrel-manifest.jsonl` in the folder. */
  manifest?: string
}

export interface UploadDirectoryResult {
  /** Brought now, by path. */
  uploaded: Record<string, string>
  /** There already, as they are. */
  unchanged: number
  rejected: { path: string; code: string; message: string }[]
}

/** A line of the manifest: the last one of a path counts. */
export interface ManifestLine {
  path: string
  size: number
  /** Milliseconds. */
  mtime: number
  file_id: string
}

const MANIFEST = ".carrel-manifest.jsonl"
const PARALLEL = 4
/** Of one request. */
const MOST = { files: 50, bytes: 16 * 1024 * 1024 }
/** Files looked at together: one after the other each waits 20 µs for its turn, together 2. */
const LOOKS = 64

export async function uploadDirectory(
  files: Pick<Files, "upload" | "delete">,
  folder: string,
  { parallel = PARALLEL, include = () => true, manifest = join(folder, MANIFEST), ...rest }: UploadDirectoryOptions,
): Promise<UploadDirectoryResult> {
  const { signal, timeoutMs, retryMs, headers, ...fields } = rest
  const options = { signal, ...defined({ timeoutMs, retryMs, headers }) }
  const known = await readManifest(manifest)
  const result: UploadDirectoryResult = { uploaded: {}, unchanged: 0, rejected: [] }
  const batches = batchesOf(folder, known, { include, manifest }, result)
  const worker = async () => {
    for await (const batch of batches) {
      signal?.throwIfAborted()
      await bring(files, batch, { fields, options, manifest, known }, result)
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  await compact(manifest, known)
  return result
}

type Entry = Omit<ManifestLine, "file_id"> & { source: string }

interface Bringing {
  fields: UploadFields
  options: CallOptions
  manifest: string
  /** What of each path is there, as it becomes known. */
  known: Map<string, ManifestLine>
}

/** The API knows the last part of a path alone: no two of a batch have the same. What a changed file was before goes. */
async function bring(
  files: Pick<Files, "upload" | "delete">,
  batch: readonly Entry[],
  { fields, options, manifest, known }: Bringing,
  result: UploadDirectoryResult,
): Promise<void> {
  const given = batch.map(({ source, path }) => ({ source, name: nameIn(path) }))
  const answer = await files.upload(given, fields, options).catch(refusedAll)
  const rejected = new Map(answer.rejected.map(({ name, error }) => [name, error]))
  const names = new Set(given.map(({ name }) => name))
  const isOther = [...rejected.keys()].some(name => !names.has(name))
  if (batch.length > 1 && (isOther || answer.files.length + rejected.size !== batch.length)) {
    // The server knows a file by another name than the disk does: alone each one's answer is its own.
    for (const entry of batch) await bring(files, [entry], { fields, options, manifest, known }, result)
    return
  }
  if (batch.length === 1 && rejected.size > 0) rejected.set(given[0]!.name, [...rejected.values()][0]!)
  const accepted = batch.filter(({ path }) => !rejected.has(nameIn(path)))
  const lines = accepted.map(({ source: _, ...entry }, at) => ({ ...entry, file_id: answer.files[at]!.id }))
  if (lines.length > 0) await appendFile(manifest, lines.map(line => `${JSON.stringify(line)}\n`).join(""))
  const former = lines.flatMap(({ path }) => known.get(path)?.file_id ?? [])
  for (const line of lines) known.set(line.path, line)
  for (const { path, file_id } of lines) result.uploaded[path] = file_id
  for (const { path } of batch) {
    const error = rejected.get(nameIn(path))
    if (error) result.rejected.push({ path, code: error.code, message: error.message })
  }
  if (former.length === 0) return
  // Equal files of several paths are one.
  const used = new Set([...known.values()].map(({ file_id }) => file_id))
  for (const id of former) if (!used.has(id)) await gone(files, id, options)
}

/** Where none of a form is accepted the answer is an error, whose details say why of each. */
function refusedAll(error: unknown): Pick<UploadAnswer, "files" | "rejected"> {
  const details = error instanceof ApiError ? (error.details ?? []) : []
  if (details.length === 0 || !details.every(({ name, code }) => name && code)) throw error
  const rejected = details.map(({ name, code, message }) => ({ name: `${name}`, error: { code, message } }))
  return { files: [], rejected: rejected as UploadAnswer["rejected"] }
}

const gone = (files: Pick<Files, "delete">, id: string, options: CallOptions) =>
  files.delete(id, options).catch(error => {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
  })

const nameIn = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** What is to be brought, small files together. Several may read on: each batch goes to one of them. */
async function* batchesOf(
  folder: string,
  known: ReadonlyMap<string, ManifestLine>,
  { include, manifest }: { include(path: string): boolean; manifest: string },
  result: UploadDirectoryResult,
): AsyncGenerator<Entry[], void> {
  let batch: Entry[] = []
  let bytes = 0
  const own = [resolve(manifest), resolve(fresh(manifest))]
  const pathOf = (source: string) => relative(folder, source).split(sep).join("/")
  const isWanted = (source: string) => !own.includes(resolve(source)) && include(pathOf(source))
  for await (const { source, size, mtime } of walk(folder, isWanted)) {
    const path = pathOf(source)
    const before = known.get(path)
    if (before?.size === size && before.mtime === mtime) {
      result.unchanged++
      continue
    }
    const isFull = batch.length === MOST.files || (batch.length > 0 && bytes + size > MOST.bytes)
    if (isFull || batch.some(other => nameIn(other.path) === nameIn(path))) {
      yield batch
      ;[batch, bytes] = [[], 0]
    }
    batch.push({ path, size, mtime, source })
    bytes += size
  }
  if (batch.length > 0) yield batch
}

/** Plain files below it, by name; links are not followed. */
async function* walk(folder: string, isWanted: (path: string) => boolean): AsyncGenerator<FoundFile, void> {
  const entries = await readdir(folder, { withFileTypes: true })
  entries.sort((left, right) => (left.name < right.name ? -1 : 1))
  for (let at = 0; at < entries.length; at += LOOKS) {
    const looked = entries.slice(at, at + LOOKS).map(async entry => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return path
      return entry.isFile() && isWanted(path) ? lookedAt(path) : undefined
    })
    for (const found of await Promise.all(looked))
      if (typeof found === "string") yield* walk(found, isWanted)
      else if (found) yield found
  }
}

interface FoundFile {
  source: string
  size: number
  mtime: number
}

async function lookedAt(source: string): Promise<FoundFile> {
  const { size, mtimeMs } = await stat(source)
  return { source, size, mtime: Math.floor(mtimeMs) }
}

/** A line that a kill cut is left out, and ended, so that the next one stands alone. */
async function readManifest(path: string): Promise<Map<string, ManifestLine>> {
  await mkdir(dirname(path), { recursive: true })
  const text = await readFile(path, "utf8").catch(error => {
    if (error.code === "ENOENT") return ""
    throw error
  })
  if (text !== "" && !text.endsWith("\n")) await appendFile(path, "\n")
  const lines = text.split("\n").flatMap(line => {
    try {
      return line ? [JSON.parse(line) as ManifestLine] : []
    } catch {
      return []
    }
  })
  return new Map(lines.map(line => [line.path, line]))
}

/** One line a path. */
async function compact(path: string, known: ReadonlyMap<string, ManifestLine>): Promise<void> {
  await writeFile(fresh(path), [...known.values()].map(line => `${JSON.stringify(line)}\n`).join(""))
  await rename(fresh(path), path)
}

const fresh = (manifest: string): string => `${manifest}.new`

const defined = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>
  }
