/** What people filled into a PDF or wrote on it: form values, text typed over a page, comments. */

import { walkXml } from "../xml.ts"
import type { Pdfium } from "./pdfium-library.ts"

/** Coordinates of a page in points; y grows upwards. */
interface Box {
  left: number
  bottom: number
  right: number
  top: number
}

export interface Entry {
  /** What the form calls it; empty where it has no name for people. */
  name: string
  value: string
  /** A box or button that is ticked: its label stands right of it. */
  ticked: boolean
  box: Box
}

export interface PageEntries {
  entries: Entry[]
  /** Comments attached to places of the page. */
  comments: string[]
}

const NOTHING: PageEntries = { entries: [], comments: [] }
const FORM_INFO_VERSION = 2
/** More than the structure of callbacks has; all of them stay unset. */
const FORM_INFO_BYTES = 512
const MAX_ANNOTATIONS = 5000
const MAX_OPTIONS = 1000
const MAX_STRING_BYTES = 1024 * 1024
const MAX_PACKET_BYTES = 64 * 1024 * 1024
const MAX_PACKETS = 100
const MAX_LABELS = 2000

const FREE_TEXT = 3
const WIDGET = 20
const POPUP = 16
const LINK = 2
const HIDDEN = 2
const CHECK_BOX = 2
const RADIO_BUTTON = 3
const COMBO_BOX = 4
const LIST_BOX = 5
const TEXT_FIELD = 6
/** Of a text field's flags. */
const PASSWORD = 1 << 13

export class PdfForms {
  /** 0 where the document has no form. */
  private readonly form: number
  private readonly info: number

  constructor(
    private readonly pdfium: Pdfium,
    private readonly document: number,
  ) {
    this.info = 0
    this.form = 0
    if (pdfium._FPDF_GetFormType(document) <= 0) return
    this.info = pdfium.wasmExports.malloc(FORM_INFO_BYTES)
    pdfium.HEAPU8.fill(0, this.info, this.info + FORM_INFO_BYTES)
    new DataView(pdfium.HEAPU8.buffer).setInt32(this.info, FORM_INFO_VERSION, true)
    this.form = pdfium._FPDFDOC_InitFormFillEnvironment(document, this.info)
  }

  /** Before the document is closed. */
  close(): void {
    if (this.form) this.pdfium._FPDFDOC_ExitFormFillEnvironment(this.form)
    if (this.info) this.pdfium.wasmExports.free(this.info)
  }

  entriesOn(page: number): PageEntries {
    const count = Math.min(MAX_ANNOTATIONS, this.pdfium._FPDFPage_GetAnnotCount(page))
    if (count <= 0) return NOTHING
    const found: PageEntries = { entries: [], comments: [] }
    for (let i = 0; i < count; i++) {
      const annotation = this.pdfium._FPDFPage_GetAnnot(page, i)
      if (!annotation) continue
      try {
        this.look(annotation, found)
      } finally {
        this.pdfium._FPDFPage_CloseAnnot(annotation)
      }
    }
    return found
  }

  /** What an XFA form says beside the pages, which some of them do not have: labels, and values by name. */
  xfa(): { labels: string[]; values: { name: string; value: string }[] } {
    return {
      labels: readLabels(this.packet("template")).slice(0, MAX_LABELS),
      values: readDatasets(this.packet("datasets")),
    }
  }

  private look(annotation: number, { entries, comments }: PageEntries): void {
    const type = this.pdfium._FPDFAnnot_GetSubtype(annotation)
    if (type === LINK || type === POPUP || this.pdfium._FPDFAnnot_GetFlags(annotation) & HIDDEN) return
    if (type === WIDGET) {
      const filled = this.form ? this.filled(annotation) : undefined
      if (filled?.value.trim()) entries.push({ ...filled, box: this.box(annotation) })
      return
    }
    const contents = this.stringOf(annotation, "Contents").trim()
    if (!contents) return
    if (type === FREE_TEXT) entries.push({ name: "", value: contents, ticked: false, box: this.box(annotation) })
    else comments.push(contents)
  }

  private filled(annotation: number): Omit<Entry, "box"> | undefined {
    const { pdfium, form } = this
    const type = pdfium._FPDFAnnot_GetFormFieldType(form, annotation)
    if (type === CHECK_BOX || type === RADIO_BUTTON) {
      const value = this.string((b, n) => pdfium._FPDFAnnot_GetFormFieldValue(form, annotation, b, n))
      // The appearance tells of each button whether it is on; the value is that of the whole group.
      const state = this.stringOf(annotation, "AS") || (type === CHECK_BOX ? value : "")
      if (state === "" || state === "Off") return undefined
      return { name: this.nameOf(annotation), value: value === "Off" ? state : value || state, ticked: true }
    }
    const choice = type === COMBO_BOX || type === LIST_BOX ? this.chosen(annotation) : ""
    if (!choice && type !== TEXT_FIELD && type !== COMBO_BOX) return undefined
    if (type === TEXT_FIELD && pdfium._FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD) return undefined
    const value = choice || this.string((b, n) => pdfium._FPDFAnnot_GetFormFieldValue(form, annotation, b, n))
    return { name: this.nameOf(annotation), value, ticked: false }
  }

  /** Labels of the options that are chosen. */
  private chosen(annotation: number): string {
    const { pdfium, form } = this
    const count = Math.min(MAX_OPTIONS, pdfium._FPDFAnnot_GetOptionCount(form, annotation))
    const labels: string[] = []
    for (let i = 0; i < count; i++)
      if (pdfium._FPDFAnnot_IsOptionSelected(form, annotation, i))
        labels.push(this.string((b, n) => pdfium._FPDFAnnot_GetOptionLabel(form, annotation, i, b, n)))
    return labels.join(", ")
  }

  /** What it is called for people, else the last part of its technical name. */
  private nameOf(annotation: number): string {
    const { pdfium, form } = this
    const shown = this.string((b, n) => pdfium._FPDFAnnot_GetFormFieldAlternateName(form, annotation, b, n)).trim()
    if (shown) return shown
    const full = this.string((b, n) => pdfium._FPDFAnnot_GetFormFieldName(form, annotation, b, n))
    return (full.split(".").at(-1) ?? "").replace(/\[\d+\]$/, "").trim()
  }

  private box(annotation: number): Box {
    const { pdfium } = this
    const at = pdfium.wasmExports.malloc(16)
    const known = pdfium._FPDFAnnot_GetRect(annotation, at)
    const view = new DataView(pdfium.HEAPU8.buffer, at, 16)
    // FS_RECTF: left, top, right, bottom.
    const [x1, y1, x2, y2] = [0, 4, 8, 12].map(offset => view.getFloat32(offset, true)) as [
      number,
      number,
      number,
      number,
    ]
    pdfium.wasmExports.free(at)
    if (!known) return { left: 0, bottom: 0, right: 0, top: 0 }
    return { left: Math.min(x1, x2), right: Math.max(x1, x2), bottom: Math.min(y1, y2), top: Math.max(y1, y2) }
  }

  private stringOf(annotation: number, key: string): string {
    const { pdfium } = this
    const label = pdfium.wasmExports.malloc(key.length + 1)
    pdfium.HEAPU8.set(Buffer.from(`${key}\0`, "latin1"), label)
    const value = this.string((b, n) => pdfium._FPDFAnnot_GetStringValue(annotation, label, b, n))
    pdfium.wasmExports.free(label)
    return value
  }

  /** A string that the library writes in UTF-16 with a closing zero, once it has the room. */
  private string(write: (buffer: number, bytes: number) => number): string {
    const bytes = this.bytes(write)
    return new TextDecoder("utf-16le").decode(bytes.subarray(0, Math.max(0, (bytes.length & ~1) - 2)))
  }

  /** What the library writes: asked without room, it tells how many bytes it needs. */
  private bytes(write: (buffer: number, bytes: number) => number, most = MAX_STRING_BYTES): Uint8Array {
    const length = write(0, 0)
    if (length <= 0 || length > most) return new Uint8Array()
    const buffer = this.pdfium.wasmExports.malloc(length)
    if (buffer === 0) return new Uint8Array()
    write(buffer, length)
    const copy = this.pdfium.HEAPU8.slice(buffer, buffer + length)
    this.pdfium.wasmExports.free(buffer)
    return copy
  }

  /** The XML of that name; empty where there is none. */
  private packet(wanted: string): string {
    const { pdfium, document } = this
    const count = Math.min(MAX_PACKETS, pdfium._FPDF_GetXFAPacketCount(document))
    for (let i = 0; i < count; i++) {
      const name = this.bytes((buffer, bytes) => pdfium._FPDF_GetXFAPacketName(document, i, buffer, bytes))
      if (new TextDecoder().decode(name).split("\0")[0] === wanted)
        return new TextDecoder().decode(this.packetContent(i))
    }
    return ""
  }

  private packetContent(index: number): Uint8Array {
    const length = this.pdfium.wasmExports.malloc(4)
    const content = this.bytes((buffer, bytes) => {
      this.pdfium._FPDF_GetXFAPacketContent(this.document, index, buffer, bytes, length)
      return new DataView(this.pdfium.HEAPU8.buffer).getUint32(length, true)
    }, MAX_PACKET_BYTES)
    this.pdfium.wasmExports.free(length)
    return content
  }
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

/** Where an entry goes into the text of a page: after the character at `at` - 1. */
interface Insertion {
  at: number
  text: string
  left: number
}

/** Boxes of the characters of a page by their position in its text; undefined for those that are not drawn. */
export type CharacterBoxes = (Box & { at: number })[]

/** Points by which boxes may overlap or lie apart and still stand side by side. */
const SLACK = 3
/** A label stands at most this far above its field. */
const LABEL_ABOVE = 16
/** One on the same line is taken before one above unless it is further away than this. */
const LABEL_LEFT = 150
/** A label stands at most this far right of its box. */
const LABEL_RIGHT = 150

/** The text with the entries where they stand on the page, and those that stand beside no text as lines of their own. */
export function fillIn(
  text: string,
  entries: Entry[],
  boxes: CharacterBoxes,
): { text: string; unplaced: string[]; origin(at: number): number } {
  const insertions: Insertion[] = []
  const unplaced: string[] = []
  for (const entry of entries) {
    const place = findPlace(entry, boxes)
    if (place) insertions.push(place)
    else unplaced.push(entryLine(entry))
  }
  insertions.sort((a, b) => a.at - b.at || a.left - b.left)
  let filled = ""
  let from = 0
  /** Where the text grew, and by how much. */
  const growth: [at: number, by: number][] = []
  for (const { at, text: addition } of insertions) {
    filled += text.slice(from, at)
    growth.push([filled.length, addition.length])
    filled += addition
    from = at
  }
  filled += text.slice(from)
  const origin = (at: number) =>
    growth.reduce((left, [place, by]) => (place < at ? left - Math.min(by, at - place) : left), at)
  return { text: filled, unplaced, origin }
}

export function entryLine({ name, value }: { name: string; value: string }): string {
  return name ? `${name}: ${value}` : value
}

function findPlace(entry: Entry, boxes: CharacterBoxes): Insertion | undefined {
  const { box, ticked } = entry
  const value = oneLine(entry.value)
  // In a tall field what was typed begins at the top.
  const bottom = Math.max(box.bottom, box.top - 24)
  const row = boxes.filter(
    ({ bottom: low, top: high }) => (low + high) / 2 > bottom - SLACK && (low + high) / 2 < box.top + SLACK,
  )
  if (ticked) {
    const label = least(row, ({ left }) => (left >= box.right - SLACK ? left - box.right : LABEL_RIGHT))
    if (label && label.left - box.right < LABEL_RIGHT) return { at: label.at, text: "[x] ", left: box.left }
  }
  const before = least(row, ({ right }) => (right <= box.left + SLACK ? box.left - right : Number.POSITIVE_INFINITY))
  const beside = before && { at: before.at + 1, text: ` ${ticked ? "[x]" : value}`, left: box.left }
  if (beside && (ticked || box.left - before.right < LABEL_LEFT)) return beside
  const above = boxes.filter(
    ({ left, right, bottom: low }) =>
      low >= box.top - SLACK && low < box.top + LABEL_ABOVE && right > box.left - SLACK && left < box.right,
  )
  const last = least(above, ({ right }) => -right)
  return last && !ticked ? { at: last.at + 1, text: ` ${value}`, left: box.left } : beside
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim()

function least<T>(items: T[], cost: (item: T) => number): T | undefined {
  let best: T | undefined
  let lowest = Number.POSITIVE_INFINITY
  for (const item of items) {
    const value = cost(item)
    if (value < lowest) [best, lowest] = [item, value]
  }
  return best
}
