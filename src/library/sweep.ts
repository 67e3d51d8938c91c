/** Removes stored bytes that no file refers to: what a crash left between a commit and the removal of a blob, or the reverse. */
import { type Blobs, parseTextName, type StoredName } from "../storage/blobs/blobs.ts"
import type { Database } from "../storage/database.ts"

/** Looks only at what was there before `before`: an upload under way has its blob before its row. Ends early at the abort. */
export async function sweepFiles(
  database: Database,
  blobs: Blobs,
  before = Date.now(),
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0
  const isOld = ({ modifiedAt }: StoredName) => modifiedAt < before
  for await (const found of blobs.list("blobs")) {
    const names = found.filter(isOld).map(({ name }) => name)
    const wanted = await wantedBlobs(database, names)
    for (const name of names) {
      if (signal?.aborted) return removed
      if (wanted.has(name)) continue
      await blobs.remove(name)
      removed++
    }
  }
  for await (const found of blobs.list("texts")) {
    const texts = found.filter(isOld).flatMap(({ name }) => parseTextName(name) ?? [])
    const wanted = await wantedGenerations(
      database,
      texts.map(({ fileId }) => fileId),
    )
    for (const { fileId, generation } of texts) {
      if (signal?.aborted) return removed
      if (wanted.get(fileId)?.includes(generation)) continue
      await blobs.removeText(fileId, generation)
      removed++
    }
  }
  return removed
}

/** Longest that an upload takes until its row is there, with much to spare. */
const SHARED_AGE_MS = 24 * 60 * 60 * 1000

/** The same where several machines share a store: what any of them is about to name has to stay. For one at a time. */
export async function sweepSharedFiles(database: Database, blobs: Blobs, signal?: AbortSignal): Promise<number> {
  const before = (await blobs.now()) - SHARED_AGE_MS
  const unfinished = await blobs.removeUnfinished(before, signal)
  return unfinished + (await sweepFiles(database, blobs, before, signal))
}

/** Those of the blobs that a row names. */
export async function wantedBlobs(database: Database, names: readonly string[]): Promise<Set<string | null>> {
  if (names.length === 0) return new Set()
  const rows = await database
    .selectFrom("files")
    .select(["blob", "live_blob"])
    .where(eb => eb.or([eb("blob", "in", names), eb("live_blob", "in", names)]))
    .execute()
  const ofBatches = await database.selectFrom("batch_files").select("blob").where("blob", "in", names).execute()
  const ofMessages = await database.selectFrom("message_images").select("blob").where("blob", "in", names).execute()
  const others = [...ofBatches, ...ofMessages].map(({ blob }) => blob)
  return new Set([...rows.flatMap(({ blob, live_blob }) => [blob, live_blob]), ...others])
}

async function wantedGenerations(
  database: Database,
  fileIds: readonly string[],
): Promise<Map<string, (number | null)[]>> {
  if (fileIds.length === 0) return new Map()
  const rows = await database
    .selectFrom("files")
    .select(["id", "generation", "live_generation"])
    .where("id", "in", fileIds)
    .execute()
  return new Map(rows.map(({ id, generation, live_generation }) => [id, [generation, live_generation]]))
}
