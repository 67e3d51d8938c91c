import { ExtractionError } from "../../../storage/document.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { ExtractContext } from "../extractor.ts"
import { addSvg } from "../text/svg.ts"
import type { OfficePackage, Relation } from "./ooxml.ts"

/** A document in a document in a document is still read. */
const MAX_DEPTH = 3

/** Office documents embedded in a part, with their own readers; their text lies where they are embedded. */
export async function addEmbedded(
  pack: OfficePackage,
  relations: Iterable<Relation>,
  context: ExtractContext,
): Promise<void> {
  const { out, budget } = context
  for (const { type, target } of relations) {
    const format = type === "package" ? context.formats.byName(target) : undefined
    const bytes = format && budget.depth < MAX_DEPTH ? pack.bytes(target) : undefined
    if (!format || !bytes) continue
    budget.depth++
    try {
      await out.holdingPlace(() => context.extractMember({ name: target, bytes }, format))
    } catch (error) {
      if (!(error instanceof ExtractionError) || error.code === "archive_rejected") throw error
      out.warn("embedded_skipped", `an embedded document: ${error.message}`)
    } finally {
      budget.depth--
    }
  }
}

/** Drawings that are shown in a part: the pictures that are files of SVG. */
export function addDrawings(pack: OfficePackage, relations: Iterable<Relation>, out: DocumentBuilder): void {
  for (const { type, target } of relations) {
    if (type !== "image" || !/\.svg$/i.test(target)) continue
    const xml = pack.part(target)
    if (xml) addSvg(xml, out)
  }
}
