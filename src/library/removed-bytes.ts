/** Asks for the bytes of what was removed: originals, pictures, texts, and pages that were drawn. What is left is removed. */
import type { EmptiedStore, NotedRemoval } from "../governance/receipts/store.ts"
import { timeOfId } from "../id.ts"
import type { Blobs } from "../storage/blobs/blobs.ts"
import type { Database } from "../storage/database.ts"
import { wantedBlobs } from "./sweep.ts"

/** A worker of another machine learns within a third of its lease that a file which it reads is gone, and may write its text until then. */
const READ_MS = 25_000
/** Texts that are asked for, of a file that was indexed often; earlier ones were removed one by one. */
const MOST_TEXTS = 1_000

export interface RemovedBytesDependencies {
  database: Database
  blobs: Blobs
  /** Pages that were drawn. */
  pages: { forget(fileIds: ReadonlySet<string>): void }
  /** Other machines have copies of originals for so long after somebody looked at a page; 0 where there are none. */
  copiesMs: number
}

export class RemovedBytes implements EmptiedStore {
  readonly names: readonly string[]

  constructor(private readonly dependencies: RemovedBytesDependencies) {
    this.names = ["originals", "texts", ...(dependencies.copiesMs === 0 ? ["page_pictures"] : [])]
  }

  async gone(removals: readonly NotedRemoval[]): Promise<ReadonlySet<string>> {
    const { database, pages, copiesMs } = this.dependencies
    const gone = new Set<string>()
    const files = removals.filter(({ kind }) => kind === "file" || kind === "version")
    pages.forget(new Set(files.map(({ resourceId }) => resourceId)))
    // A version that is still found keeps its bytes; another message may have the same picture.
    const wanted = await wantedBlobs(
      database,
      removals.flatMap(({ traces }) => traces.blobs ?? []),
    )
    for (const { id, resourceId, traces } of removals) {
      const { blobs = [], generation, isRead } = traces
      const rests = copiesMs === 0 || generation === undefined ? 0 : copiesMs + (isRead ? READ_MS : 0)
      const isDue = Date.now() >= (timeOfId(id) ?? 0) + rests
      const isKept = blobs.some(blob => wanted.has(blob))
      if (isDue && !isKept && (await this.hasNothing(resourceId, blobs, generation))) gone.add(id)
    }
    return gone
  }

  /** @returns false also where something was left and is removed now: it is asked for again */
  private async hasNothing(fileId: string, names: readonly string[], generation = 0): Promise<boolean> {
    const { blobs } = this.dependencies
    let isEmpty = true
    for (const name of names)
      if (await blobs.findOriginal(name)) {
        isEmpty = false
        await blobs.remove(name)
      }
    for (let each = generation; each > Math.max(0, generation - MOST_TEXTS); each--)
      if ((await blobs.findText(fileId, each)) || (await blobs.findLayout(fileId, each))) {
        isEmpty = false
        await blobs.removeText(fileId, each)
      }
    return isEmpty
  }
}
