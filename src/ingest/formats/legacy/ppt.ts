/**
 * PowerPoint 97-2003 ([MS-PPT]): a stream of nested records. The last edit's directory leads to the document, which lists
 * slides and notes in order; where that is broken, containers are taken in file order.
 */
import { ExtractionError } from "../../../storage/document.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { openOle } from "./ole.ts"
import { type PptRecord, PptRecords, RECORD } from "./ppt-records.ts"

export const extractPpt: Extractor = ({ bytes }, { out }) => {
  const streams = openOle(bytes)
  if (streams.has("encryptedpackage")) throw new ExtractionError("encrypted_file", "the presentation is encrypted")
  const stream = streams.get("powerpoint document")
  if (!stream) {
    const old = streams.has("pp40") ? "PowerPoint 95 and older cannot be read" : "the file is no presentation"
    throw new ExtractionError("corrupt_file", old)
  }
  const records = new PptRecords(stream, streams.get("current user"))
  if (records.encrypted) throw new ExtractionError("encrypted_file", "the presentation is encrypted")
  const slides = records.list(RECORD.slideList)
  if (slides.length > 0) out.pageCount = (out.pageCount ?? 0) + slides.length
  addListed(records, slides, "paragraph", out)
  addListed(records, records.list(RECORD.notesList), "notes", out)
  if (!out.hasText) addInFileOrder(records, out)
  if (!out.hasText) addTextContent(streams.get("text_content"), out)
}

interface Listed {
  texts: string[]
  container: PptRecord | undefined
}

function addListed(records: PptRecords, listed: Listed[], kind: "paragraph" | "notes", out: DocumentBuilder): void {
  for (const [index, { texts, container }] of listed.entries()) {
    out.at({ slide: index + 1, section: null })
    const all = [...texts, ...(container ? records.textsIn(container) : [])]
    // The first text of a slide's outline is its title.
    for (const [i, text] of all.entries()) {
      const title = kind === "paragraph" && i === 0 && texts.length > 0 && text.length < 200 && !text.includes("\n")
      if (title) out.add("heading", text, 1)
      else out.add(kind, text)
    }
  }
}

function addInFileOrder(records: PptRecords, out: DocumentBuilder): void {
  let slide = 0
  for (const record of records.topLevel()) {
    if (record.type !== RECORD.slide && record.type !== RECORD.notes) continue
    if (record.type === RECORD.slide) out.at({ slide: ++slide, section: null })
    for (const text of records.textsIn(record)) out.add(record.type === RECORD.slide ? "paragraph" : "notes", text)
  }
  if (out.hasText) return
  out.at({ slide: null })
  for (const record of records.topLevel()) for (const text of records.textsIn(record)) out.add("paragraph", text)
}

/** A plain copy of the text that some programs put beside the slides. */
function addTextContent(stream: Uint8Array | undefined, out: DocumentBuilder): void {
  if (!stream) return
  out.at({ slide: null })
  const zeros = stream.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0)
  const encoding = zeros > stream.length / 8 ? "utf-16le" : "windows-1252"
  out.add("paragraph", new TextDecoder(encoding).decode(stream).replace(/[\x01-\x08\x0e-\x1f]+/g, "\n"))
}
