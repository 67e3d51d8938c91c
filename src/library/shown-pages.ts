import type { ShownPage } from "../ingest/process/page-reader.ts"
import { Lru } from "../threads/lru.ts"

/** Of one kind, see `Pages`: with what tells it from others. */
export interface TaggedPage extends ShownPage {
  tag: string
}

/** A page of A4 with text has some 250 KB: those that a few people leaf through. */
const MOST_BYTES = 48 * 2 ** 20
const MOST_PAGES = 1_000
const BYTES_PER_BOX = 100
const KEPT_MS = 10 * 60 * 1000

/**
 * Pages that were shown a while ago, in memory. Who looks one up has found the file first, and names its version: what is
 * deleted or replaced is out of reach at once, and out of memory in ten minutes.
 */
export class ShownPages implements Disposable {
  private readonly pages = new Lru<string, { page: TaggedPage; until: number }>({
    entries: MOST_PAGES,
    weight: MOST_BYTES,
    weigh: ({ page }) => page.picture.length + page.boxes.length * BYTES_PER_BOX,
  })
  private readonly timer: Timer

  constructor() {
    this.timer = setInterval(() => this.dropOld(), KEPT_MS / 10)
    this.timer.unref()
  }

  find(key: string): TaggedPage | undefined {
    return this.pages.get(key)?.page
  }

  keep(key: string, page: TaggedPage): void {
    this.pages.set(key, { page, until: performance.now() + KEPT_MS })
  }

  /** The key of a page begins with the id of its file. */
  forget(fileIds: ReadonlySet<string>): void {
    for (const [key] of [...this.pages]) if (fileIds.has(key.split(" ")[0]!)) this.pages.delete(key)
  }

  [Symbol.dispose](): void {
    clearInterval(this.timer)
    this.pages.clear()
  }

  private dropOld(): void {
    for (const [key, { until }] of [...this.pages]) if (until < performance.now()) this.pages.delete(key)
  }
}
