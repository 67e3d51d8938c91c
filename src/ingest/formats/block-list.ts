import { BLOCK_KINDS, type Block, type Place } from "../../storage/document.ts"

/** Blocks of one page of columns. */
const PAGE = 65_536

/**
 * Blocks in the order in which they were found, as columns: 18 bytes each instead of about a hundred. A table of a
 * gigabyte has fifteen million rows, each of which is a block.
 */
export class BlockList implements Iterable<Block> {
  length = 0
  private readonly pages: Page[] = []
  private readonly places: Place[] = []

  push({ kind, start, end, level = 0, place }: Block): void {
    const at = this.length % PAGE
    if (at === 0) this.pages.push(emptyPage())
    const page = this.pages.at(-1)!
    // Blocks of one place come one after the other and share one object.
    if (place !== this.places.at(-1)) this.places.push(place)
    page.kinds[at] = BLOCK_KINDS.indexOf(kind)
    page.levels[at] = level
    page.starts[at] = start
    page.lengths[at] = end - start
    page.places[at] = this.places.length - 1
    this.length++
  }

  *[Symbol.iterator](): Generator<Block> {
    for (let i = 0; i < this.length; i++) {
      const page = this.pages[Math.floor(i / PAGE)]!
      const at = i % PAGE
      const start = page.starts[at]!
      const block: Block = {
        kind: BLOCK_KINDS[page.kinds[at]!]!,
        start,
        end: start + page.lengths[at]!,
        place: this.places[page.places[at]!]!,
      }
      const level = page.levels[at]!
      if (level > 0) block.level = level
      yield block
    }
  }
}

interface Page {
  kinds: Uint8Array
  levels: Uint8Array
  starts: Float64Array
  lengths: Uint32Array
  /** Index of the block's place. */
  places: Uint32Array
}

function emptyPage(): Page {
  return {
    kinds: new Uint8Array(PAGE),
    levels: new Uint8Array(PAGE),
    starts: new Float64Array(PAGE),
    lengths: new Uint32Array(PAGE),
    places: new Uint32Array(PAGE),
  }
}
