import { expect, test } from "bun:test"
import { BlockList } from "../../../src/ingest/formats/block-list.ts"
import { BLOCK_KINDS, type Block, NOWHERE } from "../../../src/storage/document.ts"

test("blocks come out as they were put in, over several pages and beyond four billion characters", () => {
  const places = [NOWHERE, { ...NOWHERE, page: 1 }, { ...NOWHERE, page: 2 }]
  const blocks = Array.from({ length: 140_000 }, (_, i): Block => {
    const start = i * 40_000
    const block: Block = {
      kind: BLOCK_KINDS[i % 7]!,
      start,
      end: start + (i % 39_000),
      place: places[((i / 1000) % 3) | 0]!,
    }
    return block.kind === "heading" ? { ...block, level: 1 + (i % 6) } : block
  })
  const list = new BlockList()
  for (const block of blocks) list.push(block)
  expect(list.length).toBe(blocks.length)
  let i = 0
  for (const block of list) {
    const put = blocks[i++]!
    if (!Bun.deepEquals(block, put, true)) throw new Error(`block ${i - 1} is ${JSON.stringify(block)}`)
    expect(block.place).toBe(put.place)
  }
  expect(i).toBe(blocks.length)
})
