/** Copies originals and texts that the records name from one place to another; what arrived before is left there. */
import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { OperatorError } from "../../errors.ts"
import { log } from "../../log.ts"
import type { Blobs, StoredBytes } from "../../storage/blobs/blobs.ts"
import type { Database } from "../../storage/database.ts"

interface Place {
  database: Database
  blobs: Blobs
}

/** Files read from the records at a time. */
const PAGE = 256
/** Copies at the same time: small files wait for answers more than for bytes. */
const AT_ONCE = 8

/** An original, or the text of a generation. */
interface Item {
  name: string
  /** Recorded of originals that are the newest of their file. */
  sha256?: string
  find(blobs: Blobs): Promise<StoredBytes | undefined>
  /** @returns the hash of what arrived */
  write(bytes: StoredBytes): Promise<string>
}

/**
 * Told bytes. An original that the source has lost is told of and left out: it was lost before.
 * @returns originals and texts that lie in the target
 * @throws OperatorError where an original is not what was uploaded
 */
export async function copyBlobs(from: Place, to: Place, on: (done: number, total: number) => void): Promise<number> {
  const { total } = await from.database
    .selectFrom("files")
    .select(eb => eb.fn.coalesce(eb.fn.sum<number>("size"), eb.val(0)).as("total"))
    .executeTakeFirstOrThrow()
  let [done, count] = [0, 0]
  for await (const page of itemsOf(from.database, to.blobs)) {
    const queue = page.values()
    const work = async () => {
      for (const item of queue) {
        const bytes = await copy(item, from.blobs, to.blobs)
        if (bytes === undefined) continue
        count++
        done += bytes
        on(done, Math.max(done, Number(total)))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
  return count
}

/** @returns bytes that lie in the target; undefined where the source has none */
async function copy(item: Item, from: Blobs, to: Blobs): Promise<number | undefined> {
  const bytes = await item.find(from)
  if (!bytes) {
    log.warn("a stored file is missing in the source and is not moved", { name: item.name })
    return undefined
  }
  const there = await item.find(to)
  if (there?.size === bytes.size) return bytes.size
  const sha256 = await item.write(bytes)
  if (item.sha256 !== undefined && sha256 !== item.sha256)
    throw new OperatorError(`the original ${item.name} is not what was uploaded: its bytes changed`, {
      hint: "`carrel doctor --check` on the source says more; delete that file, or upload it again",
    })
  return bytes.size
}

async function* itemsOf(database: Database, target: Blobs): AsyncGenerator<Item[]> {
  for (let after = ""; ; ) {
    const files = await database
      .selectFrom("files")
      .select(["id", "blob", "live_blob", "live_generation", "sha256"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE)
      .execute()
    if (files.length === 0) return
    yield files.flatMap(({ id, blob, live_blob, live_generation, sha256 }) => [
      original(target, blob, sha256),
      ...(live_blob !== null && live_blob !== blob ? [original(target, live_blob)] : []),
      ...(live_generation === null ? [] : [text(target, id, live_generation)]),
    ])
    after = files.at(-1)!.id
  }
}

const original = (target: Blobs, name: string, sha256?: string): Item => ({
  name,
  ...(sha256 === undefined ? {} : { sha256 }),
  find: blobs => blobs.findOriginal(name),
  write: async bytes => {
    const stored = await target.write(name, await bytes.stream(), Number.POSITIVE_INFINITY)
    await target.keepNames([name])
    return stored.sha256
  },
})

const text = (target: Blobs, fileId: string, generation: number): Item => ({
  name: `${fileId}.${generation}`,
  find: blobs => blobs.findText(fileId, generation),
  write: async bytes => {
    const path = join(target.temporaryDirectory, `move-${crypto.randomUUID()}`)
    const hash = createHash("sha256")
    const source = Readable.from(await bytes.stream())
    source.on("data", chunk => hash.update(chunk))
    await pipeline(source, createWriteStream(path, { mode: 0o600 }))
    await target.moveText(fileId, generation, path)
    return hash.digest("hex")
  },
})
