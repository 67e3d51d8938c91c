/** Removes stored bytes that no file refers to: what a crash left between a commit and the removal of a blob, or the reverse. */
import { stat } from "node:fs/promises"
import type { Blobs } from "../storage/blobs.ts"
import type { Database } from "../storage/database.ts"

/** Looks only at what was there before `before`: an upload under way has its blob before its row. Ends early at the abort. */
export async function sweepFiles(
  database: Database,
  blobs: Blobs,
  before = Date.now(),
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0
  const modifiedAt = async (path: string) =>
    (await stat(path).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY
  for (const blob of [...blobs.list("blobs")]) {
    if (signal?.aborted) return removed
    if ((await modifiedAt(blobs.path(blob))) >= before) continue
    const owner = await database
      .selectFrom("files")
      .select("id")
      .where(eb => eb.or([eb("blob", "=", blob), eb("live_blob", "=", blob)]))
      .executeTakeFirst()
    if (owner) continue
    await blobs.remove(blob)
    removed++
  }
  for (const name of [...blobs.list("texts")]) {
    if (signal?.aborted) return removed
    const [, fileId, generation] = /^(.+)\.(\d+)\.txt$/.exec(name) ?? []
    if (!fileId || (await modifiedAt(blobs.textPath(fileId, Number(generation)))) >= before) continue
    const owner = await database
      .selectFrom("files")
      .select("id")
      .where("id", "=", fileId)
      .where(eb => eb.or([eb("generation", "=", Number(generation)), eb("live_generation", "=", Number(generation))]))
      .executeTakeFirst()
    if (owner) continue
    await blobs.removeText(fileId, Number(generation))
    removed++
  }
  return removed
}
