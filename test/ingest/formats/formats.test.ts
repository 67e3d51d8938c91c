import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { mayBeReadable, sniffFormat, sniffUnnamed } from "../../../src/ingest/formats/extract.ts"
import {
  FORMAT_NAMES,
  type FormatName,
  findExtension,
  findFormat,
  formatOf,
  isQuick,
  MIME_TYPES,
  TYPE_GROUPS,
} from "../../../src/ingest/formats/formats.ts"
import { WARNINGS } from "../../../src/ingest/formats/warnings.ts"
import { writeZip } from "./zip-writer.ts"

const text = (content: string) => new Uint8Array(Buffer.from(content, "latin1"))
const packageOf = (...paths: string[]) => writeZip(paths.map(name => ({ name, content: "x" })))

describe("the table of formats", () => {
  test("every extension has one format, a MIME type and a place in the groups", () => {
    const grouped = TYPE_GROUPS.flatMap(({ types }) => types)
    expect(grouped.toSorted()).toEqual([...MIME_TYPES.keys()].toSorted())
    expect(new Set(grouped).size).toBe(grouped.length)
    expect(TYPE_GROUPS.filter(({ types }) => types.length === 0)).toEqual([])
    for (const [extension, mime] of MIME_TYPES) {
      expect(findFormat(extension)).toBeDefined()
      expect(mime).toMatch(/^[a-z]+\/[\w.+-]+$/)
    }
  })

  test("every format has a reader, and a name or a signature to be found by", async () => {
    for (const name of FORMAT_NAMES) {
      expect(typeof (await formatOf(name).reader())).toBe("function")
      const { types, shows } = formatOf(name)
      expect(Object.keys(types).length > 0 || shows !== undefined).toBe(true)
    }
  })

  test("names count in any case, and only with a dot", () => {
    expect(findExtension("A.B.PDF")).toBe("pdf")
    expect(findExtension("pdf")).toBeUndefined()
    expect(findExtension("x.toString")).toBeUndefined()
  })

  test("both spellings of a format are quick; what may hold scans is not", () => {
    for (const extension of ["html", "htm", "yml", "yaml", "txt", "eml"]) expect(isQuick(extension)).toBe(true)
    for (const extension of ["pdf", "png", "zip", "doc", "exe"]) expect(isQuick(extension)).toBe(false)
  })
})

test("the documentation names every extension and every warning", () => {
  const page = readFileSync(join(import.meta.dir, "../../../docs/formats.md"), "utf8")
  const warnings = [...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, code, means]) => [code!, means!])
  expect(Object.fromEntries(warnings)).toEqual(WARNINGS)
  const named = new Set([...page.matchAll(/^\| ([a-z, ]+) \|/gm)].flatMap(([, list]) => list!.split(", ")))
  const formats = FORMAT_NAMES.filter(name => Object.keys(formatOf(name).types).length > 0)
  expect(formats.filter(name => !Object.keys(formatOf(name).types).some(extension => named.has(extension)))).toEqual([])
})

describe("a format is told by its content", () => {
  const told: [why: string, bytes: Uint8Array, named: FormatName, format: FormatName][] = [
    ["a PDF under another name", text("%PDF-1.7"), "docx", "pdf"],
    ["a PDF behind other bytes, where the name says so", text("\n\n%PDF-1.7"), "pdf", "pdf"],
    ["text that speaks of PDF", text("see %PDF-1.7"), "txt", "txt"],
    ["RTF", text("{\\rtf1 a}"), "doc", "rtf"],
    ["a picture", text("\x89PNG\r\n"), "csv", "image"],
    ["WebP", text("RIFF\x0a\x0d\x00\x00WEBP"), "pdf", "image"],
    ["a workbook called a document", packageOf("xl/workbook.xml"), "docx", "xlsx"],
    ["a package of two kinds is what it is called", packageOf("word/a", "xl/b"), "xlsx", "xlsx"],
    ["a package of two kinds under a third name", packageOf("word/a", "xl/b"), "pptx", "docx"],
    ["an archive stays one, whatever is in it", packageOf("word/a"), "zip", "zip"],
    ["an archive called text", packageOf("a.txt"), "txt", "zip"],
    ["a package of an unknown kind", packageOf("[Content_Types].xml", "visio/a"), "docx", "docx"],
    ["OpenDocument by its name", packageOf("content.xml"), "ods", "ods"],
    ["OpenDocument under another name", packageOf("content.xml"), "docx", "odt"],
    ["a book", packageOf("META-INF/container.xml", "content.xml"), "docx", "epub"],
    ["a web page called a document", text("<html><body>x"), "doc", "html"],
    ["markdown that begins with a tag", text("<table><tr>"), "md", "md"],
    ["a mail message called a document", text("MIME-Version: 1.0\r\nSubject: x\r\n\r\n<html>"), "doc", "eml"],
    ["a mailbox without a name", text("From a@b.test Tue Jul  1 10:52:37 2003\nSubject: x\n\nx"), "doc", "mbox"],
    ["a text that begins with From", text("From 10:00 on\nwe water."), "txt", "txt"],
    ["what Outlook wraps", text("\x78\x9f\x3e\x22\x01\x00"), "doc", "tnef"],
    ["Word's XML", text('<?xml version="1.0"?><w:wordDocument>'), "doc", "word_xml"],
    ["plain text called a document", text("Just words."), "doc", "txt"],
    ["bytes that show nothing", text("\x00\x01\x02"), "ppt", "ppt"],
  ]
  for (const [why, bytes, named, format] of told)
    test(why, () => {
      expect(sniffFormat(bytes, named)).toBe(format)
    })

  test("without a name, programs and film are nothing, text and archives are read", () => {
    expect(sniffUnnamed(text("MZ and words"))).toBeUndefined()
    expect(sniffUnnamed(text("\x00\x00\x00 ftypisom"))).toBeUndefined()
    expect(sniffUnnamed(text("Just words."))).toBe("txt")
    expect(sniffUnnamed(packageOf("a.txt"))).toBe("zip")
    expect(sniffUnnamed(text("<html><body>x"))).toBe("html")
  })

  test("the beginning of a container leaves a chance", () => {
    expect(mayBeReadable(text("PK\x03\x04"))).toBe(true)
    expect(mayBeReadable(text("\xd0\xcf\x11\xe0"))).toBe(true)
    expect(mayBeReadable(text("\x7fELF\x02\x01\x01\x00\x00"))).toBe(false)
  })
})
