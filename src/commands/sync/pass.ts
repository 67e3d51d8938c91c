/** One pass: what the place has, what the daemon lacks of it, and that brought. A pass that was cut off is made again from the front, and brings only what is still lacking. */
import { OperatorError } from "../../errors.ts"
import { type Connector, Emptied, type Entry, Outage } from "../../sources/connector.ts"
import { counted } from "../command.ts"
import type { Progress } from "../progress.ts"
import { checksummed } from "./checksum.ts"
import { type Daemon, Refusal } from "./daemon.ts"
import type { RemoteSource } from "./remote.ts"
import { type Failed, uploadAll } from "./uploads.ts"

/** Of a manifest. */
const MAX_ENTRIES = 100_000
/** From this size of a file on, on average, progress is told in bytes. */
const LARGE_BYTES = 1_000_000

export interface PassPlan {
  daemon: Daemon
  connector: Connector
  /** Whether an entry is wanted. */
  admits(key: string): boolean
  /** Entries are told apart by their bytes, all of which are read. */
  checksum: boolean
  /** Files go whose entries are gone. */
  delete: boolean
  /** Also so many that somebody should look first; and what failed is tried again. */
  force: boolean
}

/** What the daemon says of a manifest. */
export interface Comparison {
  /** Keys of what it lacks. */
  upload: string[]
  unchanged: number
  deleted: number
  failed: Failed[]
  /** Of a dry run: so many would be deleted that it must be forced. */
  guarded?: boolean
}

export interface Outcome {
  entries: number
  uploaded: number
  unchanged: number
  deleted: number
  /** What the daemon could not read, or what could not be read here. */
  failed: Failed[]
  /** Gone since the listing. */
  gone: number
}

/** @throws OperatorError where the place cannot be listed whole: then nothing is sent */
export async function listed(
  { connector, admits, daemon, force, checksum }: PassPlan,
  progress: Progress,
): Promise<Entry[]> {
  progress.step("Listing", "files")
  const entries: Entry[] = []
  try {
    for await (const entry of connector.list(daemon.signal)) {
      if (!admits(entry.key)) continue
      if (entries.length === MAX_ENTRIES)
        throw new OperatorError(`there are more than ${MAX_ENTRIES} files`, {
          hint: "bring parts of them, each under a --name of its own, with --include or from folders further down",
        })
      progress.update(entries.push(entry))
    }
    return checksum ? await checksummed(connector, entries, progress, daemon.signal) : entries
  } catch (error) {
    daemon.signal.throwIfAborted()
    if (error instanceof Emptied && force) return []
    if (error instanceof Outage) {
      const hint = error instanceof Emptied ? { hint: "--force takes it for empty" } : {}
      throw new OperatorError(`the place cannot be listed: ${error.message}`, { ...hint, cause: error })
    }
    throw error
  }
}

/** @param dryRun nothing is changed by it. @throws as `Daemon.request`; Refusal `guarded` for a mass deletion */
export async function compare(
  { daemon, delete: deletes, force }: PassPlan,
  source: RemoteSource,
  entries: readonly Entry[],
  dryRun: boolean,
): Promise<Comparison> {
  const manifest = {
    entries: entries.map(({ key, fingerprint, size, updatedAt, name }) => ({
      key,
      fingerprint,
      ...(size === undefined ? {} : { size }),
      ...(updatedAt === undefined ? {} : { updated_at: updatedAt }),
      ...(name === undefined ? {} : { name }),
    })),
    delete_missing: deletes,
    ...(force ? { force } : {}),
    ...(dryRun ? { dry_run: true } : {}),
  }
  try {
    return await daemon.json<Comparison>("POST", `/sources/${source.id}/manifest`, manifest)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "guarded") throw error
    const hint = "look whether the place is whole; --force deletes them"
    throw new Refusal(error.status, error.code, error.message, error.details, hint)
  }
}

/** @throws as `listed`, `Daemon.request` and `uploadAll` */
export async function pass(plan: PassPlan, source: RemoteSource, progress: Progress): Promise<Outcome> {
  const { daemon, connector } = plan
  const entries = await listed(plan, progress)
  progress.step(`Comparing ${counted(entries.length, "file")}`)
  const { upload, unchanged, deleted, failed } = await compare(plan, source, entries, false)
  const asked = new Set(upload)
  const wanted = entries.filter(({ key }) => asked.has(key))
  const bytes = wanted.reduce((sum, { size = Number.NaN }) => sum + size, 0)
  // Some places do not tell how large their files are; and of small ones people count the files.
  const inBytes = bytes > wanted.length * LARGE_BYTES
  progress.step("Uploading", inBytes ? "bytes" : "files")
  progress.update(0, inBytes ? bytes : wanted.length)
  const onProgress = (doneFiles: number, doneBytes: number) => progress.update(inBytes ? doneBytes : doneFiles)
  const taken = await uploadAll({ daemon, connector, sourceId: source.id, onProgress }, wanted)
  return {
    entries: entries.length,
    uploaded: taken.accepted,
    unchanged,
    deleted,
    failed: [...failed, ...taken.failed],
    gone: taken.gone.length,
  }
}
