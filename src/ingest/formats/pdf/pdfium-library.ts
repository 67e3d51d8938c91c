/** The PDFium library (WASM): loaded once per process, with the two ways of giving it a file. */
import { PDFiumLibrary } from "@hyzyla/pdfium"
// @ts-expect-error: a file path at run time, embedded in the executable
import wasmPath from "@hyzyla/pdfium/pdfium.wasm" with { type: "file" }
import { ExtractionError } from "../../../storage/document.ts"

/** The functions of fpdfview.h and fpdf_text.h in use; pointers and handles are numbers. */
export interface Pdfium {
  HEAPU8: Uint8Array
  wasmExports: {
    malloc(bytes: number): number
    free(pointer: number): void
    __indirect_function_table: WebAssembly.Table
  }
  _FPDF_LoadCustomDocument(access: number, password: number): number
  _FPDF_LoadMemDocument64(data: number, size: number, password: number): number
  _FPDF_CloseDocument(document: number): void
  _FPDF_GetLastError(): number
  _FPDF_GetPageCount(document: number): number
  _FPDF_LoadPage(document: number, index: number): number
  _FPDF_ClosePage(page: number): void
  _FPDF_GetPageSizeByIndex(document: number, index: number, width: number, height: number): number
  _FPDF_GetPageWidth(page: number): number
  _FPDF_GetPageHeight(page: number): number
  _FPDFPage_CountObjects(page: number): number
  _FPDFPage_GetObject(page: number, index: number): number
  _FPDFPageObj_GetType(object: number): number
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number
  _FPDFText_LoadPage(page: number): number
  _FPDFText_ClosePage(text: number): void
  _FPDFText_CountChars(text: number): number
  _FPDFText_GetText(text: number, start: number, count: number, buffer: number): number
  _FPDFText_GetUnicode(text: number, index: number): number
  _FPDFText_GetLooseCharBox(text: number, index: number, rectangle: number): number
  _FPDFText_GetFontSize(text: number, index: number): number
  _FPDFText_HasUnicodeMapError(text: number, index: number): number
  _FPDFText_GetCharBox(text: number, index: number, left: number, right: number, bottom: number, top: number): number
  _FPDFText_GetTextIndexFromCharIndex(text: number, index: number): number
  _FPDFDOC_InitFormFillEnvironment(document: number, info: number): number
  _FPDFDOC_ExitFormFillEnvironment(form: number): void
  _FPDF_GetFormType(document: number): number
  _FPDF_GetXFAPacketCount(document: number): number
  _FPDF_GetXFAPacketName(document: number, index: number, buffer: number, bytes: number): number
  _FPDF_GetXFAPacketContent(document: number, index: number, buffer: number, bytes: number, length: number): number
  _FPDFPage_GetAnnotCount(page: number): number
  _FPDFPage_GetAnnot(page: number, index: number): number
  _FPDFPage_CloseAnnot(annotation: number): void
  _FPDFAnnot_GetSubtype(annotation: number): number
  _FPDFAnnot_GetFlags(annotation: number): number
  _FPDFAnnot_GetRect(annotation: number, rectangle: number): number
  _FPDFAnnot_GetStringValue(annotation: number, key: number, buffer: number, bytes: number): number
  _FPDFAnnot_GetFormFieldType(form: number, annotation: number): number
  _FPDFAnnot_GetFormFieldFlags(form: number, annotation: number): number
  _FPDFAnnot_GetFormFieldName(form: number, annotation: number, buffer: number, bytes: number): number
  _FPDFAnnot_GetFormFieldAlternateName(form: number, annotation: number, buffer: number, bytes: number): number
  _FPDFAnnot_GetFormFieldValue(form: number, annotation: number, buffer: number, bytes: number): number
  _FPDFAnnot_GetOptionCount(form: number, annotation: number): number
  _FPDFAnnot_GetOptionLabel(form: number, annotation: number, index: number, buffer: number, bytes: number): number
  _FPDFAnnot_IsOptionSelected(form: number, annotation: number, index: number): number
  _FPDFAnnot_GetFileAttachment(annotation: number): number
  _FPDFDoc_GetAttachmentCount(document: number): number
  _FPDFDoc_GetAttachment(document: number, index: number): number
  _FPDFAttachment_GetName(attachment: number, buffer: number, bytes: number): number
  _FPDFAttachment_GetFile(attachment: number, buffer: number, bytes: number, length: number): number
  _FPDF_GetPageBoundingBox(page: number, rectangle: number): number
  _FPDFPage_GetRotation(page: number): number
  _FPDFPageObj_GetClipPath(object: number): number
  _FPDFClipPath_CountPaths(clip: number): number
  _FPDFPageObj_GetMatrix(object: number, matrix: number): number
  _FPDFImageObj_GetImageDataRaw(image: number, buffer: number, bytes: number): number
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, buffer: number, stride: number): number
  _FPDFBitmap_FillRect(bitmap: number, left: number, top: number, width: number, height: number, color: number): void
  _FPDFBitmap_Destroy(bitmap: number): void
  _FPDF_PageToDevice(
    ...args: [
      page: number,
      left: number,
      top: number,
      width: number,
      height: number,
      rotate: number,
      pageX: number,
      pageY: number,
      x: number,
      y: number,
    ]
  ): number
  _FPDF_RenderPageBitmap(
    ...args: [
      bitmap: number,
      page: number,
      x: number,
      y: number,
      width: number,
      height: number,
      rotate: number,
      flags: number,
    ]
  ): void
}

let loading: Promise<Pdfium> | undefined

/** The library, compiled once per process. */
export function loadPdfium(): Promise<Pdfium> {
  loading ??= (async () => {
    const library = await PDFiumLibrary.init({ wasmBinary: await Bun.file(wasmPath as string).arrayBuffer() })
    // The wrapper's own reading loop never closes a page; the module underneath has all functions.
    return (library as unknown as { module: Pdfium }).module
  })()
  return loading
}

const MAX_STRING_BYTES = 1024 * 1024

/** A string that the library writes in UTF-16 with a closing zero, once it has the room. */
export function textFrom(pdfium: Pdfium, write: (buffer: number, bytes: number) => number): string {
  const bytes = bytesFrom(pdfium, write)
  return new TextDecoder("utf-16le").decode(bytes?.subarray(0, Math.max(0, (bytes.length & ~1) - 2)))
}

/**
 * What the library writes: asked without room, it tells how many bytes it needs.
 * @returns undefined where these are more than `most`
 */
export function bytesFrom(
  pdfium: Pdfium,
  write: (buffer: number, bytes: number) => number,
  most = MAX_STRING_BYTES,
): Uint8Array | undefined {
  const length = write(0, 0)
  if (length > most) return undefined
  if (length <= 0) return new Uint8Array()
  const buffer = pdfium.wasmExports.malloc(length)
  if (buffer === 0) return new Uint8Array()
  write(buffer, length)
  const copy = pdfium.HEAPU8.slice(buffer, buffer + length)
  pdfium.wasmExports.free(buffer)
  return copy
}

/** The same of functions that return whether they succeeded, and put the number of bytes at a place of its own. */
export function contentFrom(
  pdfium: Pdfium,
  write: (buffer: number, bytes: number, length: number) => number,
  most: number,
): Uint8Array | undefined {
  const length = pdfium.wasmExports.malloc(4)
  const written = (buffer: number, bytes: number) =>
    write(buffer, bytes, length) ? new DataView(pdfium.HEAPU8.buffer).getUint32(length, true) : 0
  const content = bytesFrom(pdfium, written, most)
  pdfium.wasmExports.free(length)
  return content
}

export interface Opened {
  /** 0 where it cannot be opened. */
  document: number
  /** Gives back what the document needed, once it is closed. */
  release: () => void
}

/** @throws ExtractionError where there is no room. */
export function openPdf(pdfium: Pdfium, bytes: Uint8Array): Opened {
  return bytes.length > READ_ON_DEMAND_BYTES ? openOnDemand(pdfium, bytes) : openCopy(pdfium, bytes)
}

function openCopy(pdfium: Pdfium, bytes: Uint8Array): Opened {
  const data = pdfium.wasmExports.malloc(bytes.length)
  if (data === 0) throw new ExtractionError("corrupt_file", "the PDF is too large to be opened")
  pdfium.HEAPU8.set(bytes, data)
  const document = pdfium._FPDF_LoadMemDocument64(data, bytes.length, 0)
  return { document, release: () => pdfium.wasmExports.free(data) }
}

/** Larger files are not copied into the memory of the library, which asks for pieces of them instead. */
const READ_ON_DEMAND_BYTES = 64 * 1024 * 1024
/** The files that pieces are asked of, by the number that the library passes back. */
const sources = new Map<number, Uint8Array>()
let opened = 0
/** A module that passes its import `e.f` (i32 ×4 → i32) on as its export `f`: only such functions may enter a table. */
const PASS_ON = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 9, 1, 96, 4, 127, 127, 127, 127, 1, 127, 2, 7, 1, 1, 101, 1, 102, 0, 0, 7, 5, 1, 1,
  102, 0, 0,
])
/** The library's table of functions cannot grow; its first place stands for null and is free. */
const READ_PIECE = 0

function openOnDemand(pdfium: Pdfium, bytes: Uint8Array): Opened {
  const table = pdfium.wasmExports.__indirect_function_table
  table.set(READ_PIECE, pieceReader(pdfium))
  const id = ++opened
  sources.set(id, bytes)
  // struct FPDF_FILEACCESS: length, function, its first argument.
  const access = pdfium.wasmExports.malloc(12)
  const view = new DataView(pdfium.HEAPU8.buffer, access, 12)
  for (const [i, value] of [bytes.length, READ_PIECE, id].entries()) view.setUint32(i * 4, value, true)
  const release = () => {
    sources.delete(id)
    pdfium.wasmExports.free(access)
  }
  return { document: pdfium._FPDF_LoadCustomDocument(access, 0), release }
}

function pieceReader(pdfium: Pdfium): WebAssembly.ExportValue {
  // Arguments come as signed numbers, positions beyond 2 GB as negative ones.
  const f = (id: number, position: number, buffer: number, size: number): number => {
    const piece = sources.get(id)?.subarray(position >>> 0, (position >>> 0) + (size >>> 0))
    if (piece?.length !== size >>> 0) return 0
    pdfium.HEAPU8.set(piece, buffer >>> 0)
    return 1
  }
  return new WebAssembly.Instance(new WebAssembly.Module(PASS_ON), { e: { f } }).exports.f!
}
