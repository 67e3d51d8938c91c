/** What people filled into a PDF or wrote on it: form values, text typed over a page, comments. */
import { annotationsOn, FILE_ATTACHMENT } from "./annotations.ts"
import type { Box, Entry } from "./entries.ts"
import { type Pdfium, textFrom } from "./pdfium-library.ts"

export interface PageEntries {
  entries: Entry[]
  /** Comments attached to places of the page. */
  comments: string[]
  /** Files hang on the page. */
  files: boolean
}

const FORM_INFO_VERSION = 2
/** More than the structure of callbacks has; all of them stay unset. */
const FORM_INFO_BYTES = 512
const MAX_OPTIONS = 1000

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
    document: number,
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
    const found: PageEntries = { entries: [], comments: [], files: false }
    for (const annotation of annotationsOn(this.pdfium, page)) this.look(annotation, found)
    return found
  }

  private look(annotation: number, found: PageEntries): void {
    const { entries, comments } = found
    const type = this.pdfium._FPDFAnnot_GetSubtype(annotation)
    if (type === LINK || type === POPUP || this.pdfium._FPDFAnnot_GetFlags(annotation) & HIDDEN) return
    if (type === WIDGET) {
      const filled = this.form ? this.filled(annotation) : undefined
      if (filled?.value.trim()) entries.push({ ...filled, box: this.box(annotation) })
      return
    }
    if (type === FILE_ATTACHMENT) found.files = true
    const contents = this.stringOf(annotation, "Contents").trim()
    if (!contents) return
    if (type === FREE_TEXT) entries.push({ name: "", value: contents, ticked: false, box: this.box(annotation) })
    else comments.push(contents)
  }

  private filled(annotation: number): Omit<Entry, "box"> | undefined {
    const { pdfium, form } = this
    const type = pdfium._FPDFAnnot_GetFormFieldType(form, annotation)
    if (type === CHECK_BOX || type === RADIO_BUTTON) {
      const value = textFrom(pdfium, (b, n) => pdfium._FPDFAnnot_GetFormFieldValue(form, annotation, b, n))
      // The appearance tells of each button whether it is on; the value is that of the whole group.
      const state = this.stringOf(annotation, "AS") || (type === CHECK_BOX ? value : "")
      if (state === "" || state === "Off") return undefined
      return { name: this.nameOf(annotation), value: value === "Off" ? state : value || state, ticked: true }
    }
    const choice = type === COMBO_BOX || type === LIST_BOX ? this.chosen(annotation) : ""
    if (!choice && type !== TEXT_FIELD && type !== COMBO_BOX) return undefined
    if (type === TEXT_FIELD && pdfium._FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD) return undefined
    const value = choice || textFrom(pdfium, (b, n) => pdfium._FPDFAnnot_GetFormFieldValue(form, annotation, b, n))
    return { name: this.nameOf(annotation), value, ticked: false }
  }

  /** Labels of the options that are chosen. */
  private chosen(annotation: number): string {
    const { pdfium, form } = this
    const count = Math.min(MAX_OPTIONS, pdfium._FPDFAnnot_GetOptionCount(form, annotation))
    const labels: string[] = []
    for (let i = 0; i < count; i++)
      if (pdfium._FPDFAnnot_IsOptionSelected(form, annotation, i))
        labels.push(textFrom(pdfium, (b, n) => pdfium._FPDFAnnot_GetOptionLabel(form, annotation, i, b, n)))
    return labels.join(", ")
  }

  /** What it is called for people, else the last part of its technical name. */
  private nameOf(annotation: number): string {
    const { pdfium, form } = this
    const shown = textFrom(pdfium, (b, n) => pdfium._FPDFAnnot_GetFormFieldAlternateName(form, annotation, b, n)).trim()
    if (shown) return shown
    const full = textFrom(pdfium, (b, n) => pdfium._FPDFAnnot_GetFormFieldName(form, annotation, b, n))
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
    const value = textFrom(pdfium, (b, n) => pdfium._FPDFAnnot_GetStringValue(annotation, label, b, n))
    pdfium.wasmExports.free(label)
    return value
  }
}
