import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { unpackBudget, ZipReader } from "../../../src/ingest/extract/zip-reader.ts"
import { ExtractionError } from "../../../src/storage/document.ts"
import { type Member, writeZip } from "./zip-writer.ts"

const members = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-zA-Zäöü0-9/_-]{1,20}$/),
    content: fc.uint8Array({ minLength: 1, maxLength: 2000 }),
    stored: fc.boolean(),
  }),
  { maxLength: 8, minLength: 1, selector: member => member.name },
)

const contents = (zip: ZipReader) => zip.entries.map(entry => ({ name: entry.name, bytes: [...zip.read(entry)] }))
const wanted = (written: Member[]) =>
  written.map(({ name, content }) => ({ name, bytes: [...(content as Uint8Array)] }))

/** Opens and reads everything; true if nothing but an ExtractionError was thrown. */
function survives(bytes: Uint8Array): boolean {
  try {
    const zip = new ZipReader(bytes, unpackBudget(bytes.length))
    for (const entry of zip.entries) {
      try {
        zip.read(entry)
      } catch (error) {
        if (!(error instanceof ExtractionError)) return false
      }
    }
    return true
  } catch (error) {
    return error instanceof ExtractionError
  }
}

describe("the zip reader", () => {
  test("gives back what was packed", () => {
    fc.assert(
      fc.property(members, written => {
        const bytes = writeZip(written)
        expect(contents(new ZipReader(bytes, unpackBudget(bytes.length)))).toEqual(wanted(written))
      }),
    )
  })

  test("does so with bytes in front, and from the local headers alone", () => {
    fc.assert(
      fc.property(members, fc.uint8Array({ maxLength: 100 }), (written, front) => {
        const shifted = Buffer.concat([front.fill(0x41), writeZip(written)])
        expect(contents(new ZipReader(shifted, unpackBudget(0)))).toEqual(wanted(written))
        const headless = new ZipReader(writeZip(written, true), unpackBudget(0))
        expect(headless.recovered).toBe(true)
        expect(contents(headless)).toEqual(wanted(written))
      }),
      { numRuns: 50 },
    )
  })

  test("meets any bytes with an answer or an ExtractionError", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), survives))
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(members, damage, fc.nat(), (written, changes, cut) => {
        const bytes = Buffer.from(writeZip(written))
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        return survives(bytes) && survives(bytes.subarray(0, cut % bytes.length))
      }),
      { numRuns: 300 },
    )
  })

  test("never unpacks more than the budget, which nested readers share", () => {
    const bytes = writeZip([1, 2, 3].map(i => ({ name: `${i}`, content: new Uint8Array(1000) })))
    const budget = { bytes: 2500, entries: 10, depth: 0 }
    const zip = new ZipReader(bytes, budget)
    zip.read(zip.entries[0]!)
    zip.read(zip.entries[1]!)
    expect(budget).toEqual({ bytes: 500, entries: 7, depth: 0 })
    expect(() => zip.read(zip.entries[2]!)).toThrow("unpacks to more")
    expect(() => new ZipReader(bytes, { bytes: 1, entries: 2, depth: 0 })).toThrow("too many entries")
  })
})
