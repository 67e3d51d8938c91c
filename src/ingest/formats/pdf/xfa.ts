/** Forms of the XFA kind: XML that a PDF keeps apart from its pages. */
import { walkXml } from "../xml.ts"
import { bytesFrom, contentFrom, type Pdfium } from "./pdfium-library.ts"

const MAX_PACKET_BYTES = 64 * 1024 * 1024
const MAX_PACKETS = 100
const MAX_LABELS = 2000

/** What such a form says beside the pages, which some of them do not have: labels, and values by name. */
export function readXfa(
  pdfium: Pdfium,
  document: number,
): { labels: string[]; values: { name: string; value: string }[] } {
  return {
    labels: readLabels(packet(pdfium, document, "template")).slice(0, MAX_LABELS),
    values: readDatasets(packet(pdfium, document, "datasets")),
  }
}

/** The XML of that name; empty where there is none. */
function packet(pdfium: Pdfium, document: number, wanted: string): string {
  const count = Math.min(MAX_PACKETS, pdfium._FPDF_GetXFAPacketCount(document))
  for (let i = 0; i < count; i++) {
    const name = bytesFrom(pdfium, (buffer, bytes) => pdfium._FPDF_GetXFAPacketName(document, i, buffer, bytes))
    if (new TextDecoder().decode(name).split("\0")[0] === wanted)
      return new TextDecoder().decode(
        contentFrom(pdfium, (...room) => pdfium._FPDF_GetXFAPacketContent(document, i, ...room), MAX_PACKET_BYTES),
      )
  }
  return ""
}

/** Texts that are drawn, and captions of fields. */
function readLabels(xml: string): string[] {
  const labels: string[] = []
  let around = 0
  let texts = 0
  let text = ""
  walkXml(xml, {
    open(name) {
      if (name === "draw" || name === "caption") around++
      else if (name === "text" || name === "exData") texts++
    },
    text(piece) {
      if (around > 0 && texts > 0) text += piece
    },
    close(name) {
      if (name === "text" || name === "exData") texts--
      else if (name === "p" && texts > 0) text += "\n"
      else if (name === "draw" || name === "caption") {
        around--
        if (text.trim()) labels.push(text.trim())
        text = ""
      }
    },
  })
  return labels
}

/** Elements without elements inside, with their text. */
function readDatasets(xml: string): { name: string; value: string }[] {
  const values: { name: string; value: string }[] = []
  let text = ""
  let leaf = false
  walkXml(xml, {
    open() {
      text = ""
      leaf = true
    },
    text(piece) {
      text += piece
    },
    close(name) {
      if (leaf && text.trim()) values.push({ name, value: text.trim() })
      leaf = false
      text = ""
    },
  })
  return values
}
