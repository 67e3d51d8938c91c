/** PowerPoint presentations: slides in their order, each with its notes, comments, charts and diagrams. */
import { ExtractionError } from "../../../storage/document.ts"
import type { DocumentBuilder } from "../document-builder.ts"
import type { ExtractContext, Extractor } from "../extractor.ts"
import { attribute, walkXml } from "../xml.ts"
import { addDrawings, addEmbedded } from "./embedded.ts"
import { OfficePackage, relationId } from "./ooxml.ts"
import { formatNumber } from "./xlsx-values.ts"

const MAIN = "ppt/presentation.xml"

export const extractPptx: Extractor = async (source, context) => {
  const { out, budget, progress, pause } = context
  const pack = new OfficePackage(source.bytes, budget)
  const slides = slideOrder(pack)
  if (slides.length === 0) throw new ExtractionError("corrupt_file", "the presentation has no slide that can be read")
  out.pageCount = (out.pageCount ?? 0) + slides.length
  for (const [index, slide] of slides.entries()) {
    out.at({ slide: index + 1, section: null })
    await addSlide(pack, slide, context)
    progress((index + 1) / slides.length)
    await pause()
  }
  if (pack.damaged) out.warn("damaged_parts", "parts of the presentation are damaged and were left out")
}

/** The parts of the slides, in order of presentation; by number where that is not told. */
function slideOrder(pack: OfficePackage): string[] {
  const main = pack.mainPart(/^ppt\/presentation\.xml$/) ?? MAIN
  const relations = pack.relations(main)
  const order: string[] = []
  walkXml(pack.part(main) ?? "", {
    open(tag, attributes) {
      const target = tag === "sldId" && relations.get(relationId(attributes) ?? "")?.target
      if (target) order.push(target)
    },
  })
  if (order.length > 0) return order
  const number = (name: string) => Number(/(\d{1,9})\.xml$/.exec(name.slice(-20))?.[1])
  return pack
    .names()
    .filter(name => /^ppt\/slides\/slide\d+\.xml$/.test(name))
    .sort((a, b) => number(a) - number(b))
}

async function addSlide(pack: OfficePackage, slide: string, context: ExtractContext): Promise<void> {
  const { out } = context
  const relations = [...pack.relations(slide).values()]
  addShapes(pack.part(slide), out, "paragraph")
  for (const { type, target } of relations) {
    if (type === "chart" || type === "diagramData" || type === "chartEx") addShapes(pack.part(target), out, "paragraph")
    else if (type === "notesSlide" || type === "comments") addShapes(pack.part(target), out, "notes")
  }
  addDrawings(pack, relations, out)
  await addEmbedded(pack, relations, context)
}

/** Place holders of a notes page that repeat the slide: its picture, number, date and so on. */
const REPEATED = new Set(["sldImg", "sldNum", "dt", "ftr", "hdr"])

function addShapes(xml: string | undefined, out: DocumentBuilder, kind: "paragraph" | "notes"): void {
  let text = ""
  let inText = 0
  let fallbacks = 0
  let placeholder = ""
  let cells: string[] | undefined
  walkXml(xml ?? "", {
    open(tag, attributes) {
      if (tag === "Fallback") fallbacks++
      else if (tag === "t" || tag === "v" || tag === "text") inText++
      else if (tag === "br") text += "\n"
      else if (tag === "tab") text += "\t"
      else if (tag === "ph") placeholder = attribute(attributes, "type") ?? "body"
      else if (tag === "sp") placeholder = ""
      else if (tag === "tr") cells = []
    },
    text(piece) {
      if (inText > 0 && fallbacks === 0) text += piece
    },
    close(tag) {
      if (tag === "Fallback") fallbacks--
      else if (tag === "t" || tag === "v" || tag === "text") {
        inText = Math.max(0, inText - 1)
        if (tag === "v") text = `${text.replace(/\S+$/, formatNumber)} `
      } else if (tag === "tc" && cells) {
        cells.push(text.replace(/\s+/g, " ").trim())
        text = ""
      } else if (tag === "tr" && cells) {
        out.add("table_row", cells.join("\t"))
        cells = undefined
      } else if (cells && tag === "p") text += " "
      else if (tag === "p" || tag === "pt" || tag === "ser" || tag === "cm") {
        if (kind === "notes" && REPEATED.has(placeholder)) text = ""
        const title = kind === "paragraph" && /^(title|ctrTitle)$/.test(placeholder)
        if (title) out.add("heading", text, 1)
        else out.add(kind, text)
        text = ""
      }
    },
  })
  out.add(kind, text)
}
