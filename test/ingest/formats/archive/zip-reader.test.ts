import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import iconv from "iconv-lite"
import { bunzip2 } from "../../../../src/ingest/formats/archive/unpack/bzip2.ts"
import { inflate64 } from "../../../../src/ingest/formats/archive/unpack/inflate64.ts"
import { unpackZipLzma } from "../../../../src/ingest/formats/archive/unpack/lzma.ts"
import { unpackBudget, ZipReader } from "../../../../src/ingest/formats/archive/zip-reader.ts"
import { ExtractionError } from "../../../../src/storage/document.ts"
import { type Member, writeZip } from "../zip-writer.ts"

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

  test("meets damaged data of every method with an answer or an error, within its limit", () => {
    const unpackers = [inflate64, bunzip2, (data: Uint8Array, limit: number) => unpackZipLzma(data, limit, undefined)]
    const packed = new ZipReader(
      readFileSync(join(import.meta.dir, "../../../fixtures/documents/packed.zip")),
      unpackBudget(0),
    )
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 6 })
    const data = packed.entries.map(entry => packed.compressed(entry))
    fc.assert(
      fc.property(fc.nat(2), changes, fc.nat(), fc.integer({ min: 1, max: 200_000 }), (which, patches, cut, limit) => {
        for (const unpack of unpackers) {
          const bytes = Uint8Array.from(data[which]!)
          for (const [at, value] of patches) bytes[at % bytes.length] = value
          try {
            if (unpack(bytes.subarray(0, cut % 3 ? bytes.length : cut % bytes.length), limit).length > limit)
              return false
          } catch (error) {
            if (!(error instanceof Error)) return false
          }
        }
        return true
      }),
      { numRuns: 150 },
    )
  }, 60_000)

  test("decodes names of old code pages, and takes those in Unicode beside them", () => {
    const namesOf = (names: Buffer[], extra?: Buffer) =>
      new ZipReader(
        writeZip(names.map(rawName => ({ name: "", rawName, ...(extra ? { extra } : {}), content: "x" }))),
        unpackBudget(0),
      ).entries.map(({ name }) => name)
    for (const [page, names] of [
      ["cp437", ["Größe Müller.txt", "übersicht.txt"]],
      ["cp866", ["Договор аренды.txt", "Приложение.txt"]],
      ["windows-1251", ["Договор аренды.txt"]],
      ["shift_jis", ["契約書のコピー.txt", "これは見積もり.txt"]],
      ["gbk", ["合同的副本.txt", "我们的租房说明.txt"]],
    ] as const)
      expect(namesOf(names.map(name => iconv.encode(name, page)))).toEqual([...names])
    const path = Buffer.from("Żółw.txt")
    const head = Buffer.alloc(9)
    head.writeUInt16LE(0x7075, 0)
    head.writeUInt16LE(5 + path.length, 2)
    head.writeUInt8(1, 4)
    expect(namesOf([Buffer.from("Z_lw.txt")], Buffer.concat([head, path]))).toEqual(["Żółw.txt"])
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
