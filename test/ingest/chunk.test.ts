import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type ChunkOptions, chunkDocument } from "../../src/ingest/chunk.ts"
import { DocumentBuilder } from "../../src/ingest/formats/document-builder.ts"
import { splitMarkdown } from "../../src/ingest/formats/text/markdown.ts"
import { splitParagraphs } from "../../src/ingest/formats/text/text.ts"
import type { ExtractedDocument, Place } from "../../src/storage/document.ts"

function build(fill: (out: DocumentBuilder) => void): ExtractedDocument {
  const parts: string[] = []
  const out = new DocumentBuilder(text => parts.push(text))
  fill(out)
  return out.toDocument(parts.join(""))
}

const slices = (document: ExtractedDocument, options?: ChunkOptions) =>
  chunkDocument(document, options).map(chunk => ({ ...chunk, text: document.text.slice(chunk.start, chunk.end) }))

const sentence = (n: number) => `Sentence number ${n} says something about the matter at hand.`
const prose = (from: number, count: number) => Array.from({ length: count }, (_, i) => sentence(from + i)).join(" ")

describe("what a chunk holds", () => {
  test("a short document is one chunk, exactly its text", () => {
    const document = build(out => out.add("paragraph", "Just this."))
    expect(slices(document)).toEqual([{ start: 0, end: 10, place: document.blocks[0]!.place, text: "Just this." }])
  })

  test("a heading goes with its text and never ends a chunk", () => {
    const document = build(out => {
      for (let i = 1; i < 8; i++) {
        out.add("heading", `Part ${i}`, 2)
        out.add("paragraph", prose(i * 10, 9))
      }
    })
    const found = slices(document)
    expect(found.length).toBeGreaterThanOrEqual(7)
    for (const { text } of found) expect(text).not.toMatch(/Part \d$/)
    for (let i = 1; i < 8; i++) expect(found.filter(chunk => chunk.text.startsWith(`Part ${i}\n`))).toHaveLength(1)
  })

  test("pages, slides, sheets and archive members are never mixed", () => {
    const document = build(out => {
      for (let page = 1; page <= 3; page++) {
        out.at({ page })
        out.add("paragraph", `only on page ${page}`)
      }
      out.at({ page: null, slide: 1 })
      out.add("paragraph", "a slide")
      out.at({ slide: null, sheet: "Costs" })
      out.add("table_row", "a\tb")
      out.at({ sheet: null, member: "inner.zip/a.txt" })
      out.add("paragraph", "a member")
    })
    const found = slices(document)
    expect(found.map(chunk => chunk.text)).toEqual([
      "only on page 1",
      "only on page 2",
      "only on page 3",
      "a slide",
      "a\tb",
      "a member",
    ])
    expect(found.map(chunk => chunk.place.page)).toEqual([1, 2, 3, null, null, null])
    expect(found.at(-1)!.place.member).toBe("inner.zip/a.txt")
  })

  test("later rows carry the header of their table, and not that of another", () => {
    const document = build(out => {
      out.add("table_header", "Name\tCity")
      for (let i = 0; i < 200; i++) out.add("table_row", `Person ${i}\tCity of the number ${i}`)
      out.add("paragraph", "Something in between.")
      for (let i = 0; i < 50; i++) out.add("table_row", `loose ${i}\trow without any header`)
    })
    const found = slices(document)
    const rows = found.filter(chunk => chunk.text.startsWith("Person"))
    expect(rows.length).toBeGreaterThan(3)
    for (const chunk of rows) expect(chunk.context).toBe("Name\tCity")
    for (const chunk of found.filter(chunk => chunk.text.startsWith("loose"))) expect(chunk.context).toBeUndefined()
    for (const { text } of found)
      for (const row of text.split("\n")) expect(row).toMatch(/^(Name|Person \d+\tCity|loose \d+\t|Something|$)/)
  })

  test("a later chunk of a section is found by the section's title", () => {
    const document = build(out => {
      out.add("heading", "3.2 Term", 2)
      out.add("paragraph", prose(0, 60))
    })
    const found = slices(document)
    expect(found.length).toBeGreaterThan(2)
    for (const chunk of found) expect(chunk.place.section).toBe("3.2 Term")
    for (const chunk of found.slice(1)) expect(chunk.context).toBe("3.2 Term")
  })
})

describe("where text is cut", () => {
  test("between sentences, at about the size that was asked for, with some overlap", () => {
    const document = build(out => out.add("paragraph", prose(0, 100)))
    const found = slices(document)
    for (const chunk of found) {
      expect(chunk.text).toMatch(/^Sentence/)
      expect(chunk.text).toMatch(/hand\.$/)
      expect(chunk.text.length).toBeLessThanOrEqual(1120)
      expect(chunk.text.length).toBeGreaterThan(500)
    }
    for (let i = 1; i < found.length; i++) expect(found[i]!.start).toBeLessThan(found[i - 1]!.end)
  })

  test("never inside a surrogate pair, an emoji of several parts, or between a letter and its accent", () => {
    for (const cluster of ["😀", "👨‍👩‍👧‍👦", "e\u0301", "नि"]) {
      const document = build(out => out.add("paragraph", cluster.repeat(400)))
      for (const { text } of slices(document, { targetChars: 101, overlapChars: 10 })) {
        expect(text.length % cluster.length).toBe(0)
        expect(text.startsWith(cluster)).toBe(true)
      }
    }
  })

  test("Japanese at its own sentence ends, in smaller pieces", () => {
    const document = build(out => out.add("paragraph", "これは長い文章の一つの文です。".repeat(200)))
    for (const { text } of slices(document)) {
      expect(text).toEndWith("。")
      expect(text.length).toBeLessThanOrEqual(560)
    }
  })
})

describe("for any document", () => {
  const kinds = fc.constantFrom("heading", "paragraph", "list_item", "table_header", "table_row", "code", "notes")
  const piece = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 300 }),
    fc.lorem({ maxCount: 60 }),
    fc.constant("x".repeat(700)),
    fc.constant("\ud800broken"),
  )
  const documents = fc
    .array(fc.tuple(kinds, piece, fc.option(fc.integer({ min: 1, max: 3 }))), { maxLength: 30 })
    .map(blocks =>
      build(out => {
        for (const [kind, text, page] of blocks) {
          if (page) out.at({ page })
          out.add(kind, text)
        }
      }),
    )
  const sizes = fc.record({
    targetChars: fc.integer({ min: 20, max: 400 }),
    overlapChars: fc.integer({ min: 0, max: 60 }),
  })

  test("every sentence of a chunk stands on the page, slide and sheet, and in the member, that the chunk names", () => {
    const places = fc.record(
      {
        page: fc.integer({ min: 1, max: 3 }),
        slide: fc.integer({ min: 1, max: 2 }),
        sheet: fc.constantFrom("Costs", "Rents"),
        member: fc.constantFrom("a.pdf", "b.pdf"),
      },
      { requiredKeys: [] },
    )
    const placed = fc.array(fc.tuple(kinds, piece, places), { maxLength: 30 }).map(blocks =>
      build(out => {
        for (const [kind, text, place] of blocks) {
          out.at(place)
          out.add(kind, text)
        }
      }),
    )
    const whereOf = ({ page, slide, sheet, member }: Place) => ({ page, slide, sheet, member })
    fc.assert(
      fc.property(placed, sizes, (document, options) => {
        for (const { start, end, place } of chunkDocument(document, options))
          for (const block of document.blocks)
            if (block.start < end && block.end > start) expect(whereOf(block.place)).toEqual(whereOf(place))
      }),
    )
  })

  test("chunks cover the whole text, in order, within the size, on whole characters", () => {
    fc.assert(
      fc.property(documents, sizes, (document, options) => {
        const chunks = chunkDocument(document, options)
        expect(document.text.isWellFormed()).toBe(true)
        let covered = 0
        let lastStart = -1
        for (const { start, end } of chunks) {
          expect(start).toBeGreaterThan(lastStart)
          expect(end).toBeGreaterThan(start)
          expect(document.text.slice(covered, start).trim()).toBe("")
          expect(end).toBeGreaterThan(covered)
          covered = end
          lastStart = start
          const text = document.text.slice(start, end)
          expect(text.isWellFormed()).toBe(true)
          expect(text.trim()).not.toBe("")
          expect(text.length).toBeLessThanOrEqual(options.targetChars * 1.5 + options.overlapChars + 32)
        }
        expect(document.text.slice(covered).trim()).toBe("")
      }),
      { numRuns: 300 },
    )
  })

  test("raw text is kept as it is, and its blocks lie in order inside it", () => {
    for (const split of [splitParagraphs, splitMarkdown]) {
      fc.assert(
        fc.property(
          fc.array(
            fc.oneof(fc.lorem(), fc.constantFrom("", "# A", "```", "- b", "| a | b |", "|---|---|", "===", "\t")),
          ),
          lines => {
            const text = lines.join("\n")
            const document = build(out => out.addRaw(text, split))
            expect(document.text).toBe(text)
            let at = 0
            for (const { start, end } of document.blocks) {
              expect(start).toBeGreaterThanOrEqual(at)
              expect(end).toBeGreaterThan(start)
              at = end
            }
          },
        ),
      )
    }
  })
})
