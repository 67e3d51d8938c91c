/** The pages of documents, in the isolated reader: see `reader-process.ts`. */
import { writeSync } from "node:fs"
import type { Conversation } from "../../threads/child-side.ts"
import { fileBytes } from "../../threads/mapped-file.ts"
import { highlight } from "../pages/highlight.ts"
import { marksOn } from "../pages/marks.ts"
import { outlineOf } from "../pages/outline.ts"
import type { PageBox, PagedDocument } from "../pages/page.ts"
import { openPaged } from "../pages/paged-document.ts"
import { pngOf } from "../pages/png.ts"
import type { Marks, OutlineRequest, PageAnswer, PageRequest } from "./page-protocol.ts"

/** @throws ExtractionError, and what no reader expects */
export async function showPages(
  request: OutlineRequest | PageRequest,
  { files }: Conversation<never>,
): Promise<PageAnswer> {
  const { bytes, release } = fileBytes(files[0]!)
  const source = { name: request.name, bytes }
  let document: PagedDocument | undefined
  try {
    document = await openPaged(source, request.type)
    if (!document) return { kind: "no_pages" }
    if (request.ask === "page") return showPage(document, request, files[1]!)
    const text = fileBytes(files[1]!)
    try {
      const stored = new TextDecoder().decode(text.bytes)
      writeAll(files[2]!, Buffer.from(JSON.stringify(await outlineOf(document, source, request.type, stored))))
    } finally {
      text.release()
    }
    return { kind: "outlined" }
  } finally {
    document?.close()
    release()
  }
}

function showPage(document: PagedDocument, { page, width, marks }: PageRequest, result: number): PageAnswer {
  const index = page - 1
  const boxes = marks ? boxesOf(document, index, marks) : []
  if (width === undefined) return { kind: "shown", boxes }
  const picture = index < document.pageCount ? document.draw(index, width) : undefined
  if (!picture) return { kind: "no_page" }
  highlight(picture, boxes)
  writeAll(result, pngOf(picture))
  return { kind: "shown", boxes }
}

const boxesOf = (document: PagedDocument, index: number, marks: Marks): PageBox[] =>
  "boxes" in marks ? [...marks.boxes] : marksOn(document, index, marks)

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}
