/** The originals and texts that belong to the records of a backup: a list of them, and whether the storage holds them. */
import type { Blobs, StoredBytes } from "../../storage/blobs/blobs.ts"
import type { Executor } from "../../storage/database.ts"
import { mayHold } from "../../storage/encryption/segments.ts"

/** Sizes in bytes; null where nobody knew it when the list was made, because it was just being removed. */
export type StoredFile =
  | { original: string; size: number | null; sha256?: string }
  | { text: string; generation: number; size: number | null }

/** Rows read at a time. */
const PAGE = 500
/** Asked for at the same time: an answer of another machine takes its while. */
const AT_ONCE = 32

/** What the rows of files name, those of batches and pictures of messages included, in pages. */
export async function* listStored(records: Executor, blobs: Blobs): AsyncGenerator<StoredFile[]> {
  for (let after = ""; ; ) {
    const rows = await records
      .selectFrom("files")
      .select(["id", "size", "sha256", "blob", "live_blob", "live_generation"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE)
      .execute()
    if (rows.length === 0) break
    const named = rows.flatMap(({ id, size, sha256, blob, live_blob, live_generation }): StoredFile[] => [
      { original: blob, size, sha256 },
      // Of the version that is found while a newer one is yet to be read, the row has no size any more.
      ...(live_blob !== null && live_blob !== blob ? [{ original: live_blob, size: null }] : []),
      ...(live_generation === null ? [] : [{ text: id, generation: live_generation, size: null }]),
    ])
    yield await inTurns(named, async file =>
      file.size === null ? { ...file, size: (await find(blobs, file))?.size ?? null } : file,
    )
    after = rows.at(-1)!.id
  }
  yield* bareFiles(records, "batch_files")
  yield* bareFiles(records, "message_images")
}

async function* bareFiles(records: Executor, table: "batch_files" | "message_images"): AsyncGenerator<StoredFile[]> {
  for (let after = ""; ; ) {
    const rows = await records
      .selectFrom(table)
      .select(["id", "size", "sha256", "blob"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE)
      .execute()
    if (rows.length === 0) return
    yield rows.map(({ size, sha256, blob }) => ({ original: blob, size, sha256 }))
    after = rows.at(-1)!.id
  }
}

/** Names of those that the storage lacks, or holds in another size. */
export async function lackingOf(files: readonly StoredFile[], blobs: Blobs): Promise<string[]> {
  const names = await inTurns(files, async file => {
    const found = await find(blobs, file)
    const isThere = found && (file.size === null || mayHold(found.size, file.size))
    return isThere ? [] : ["original" in file ? file.original : `the text of ${file.text}`]
  })
  return names.flat()
}

const find = (blobs: Blobs, file: StoredFile): Promise<StoredBytes | undefined> =>
  "original" in file ? blobs.findOriginal(file.original) : blobs.findText(file.text, file.generation)

/** Answers in the order of what is asked for. */
async function inTurns<Asked, Answer>(asked: readonly Asked[], ask: (one: Asked) => Promise<Answer>) {
  const answers: Answer[] = []
  for (let at = 0; at < asked.length; at += AT_ONCE)
    answers.push(...(await Promise.all(asked.slice(at, at + AT_ONCE).map(ask))))
  return answers
}
