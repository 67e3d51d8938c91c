/** Documents whose pages can be shown. Another kind is a file with its class and a line in `PAGED`. */
import { ExtractionError } from "../../storage/document.ts"
import { sniffFormat } from "../formats/extract.ts"
import type { Source } from "../formats/extractor.ts"
import { type FormatName, findFormat } from "../formats/formats.ts"
import type { PagedDocument } from "./page.ts"

type Open = (bytes: Uint8Array) => Promise<PagedDocument>

const PAGED: Partial<Record<FormatName, () => Promise<Open>>> = {
  pdf: async () => (await import("./pdf-pages.ts")).openPdfPages,
  image: async () => (await import("./picture-page.ts")).openPicture,
}

/**
 * The document, by what its bytes show; undefined where files of its format have no pages that can be shown.
 * @param type extension
 * @throws ExtractionError encrypted_file, corrupt_file
 */
export async function openPaged({ bytes }: Source, type: string): Promise<PagedDocument | undefined> {
  const named = findFormat(type)
  const open = named && bytes.length > 0 ? PAGED[sniffFormat(bytes, named)] : undefined
  if (!open) return undefined
  try {
    return await (await open())(bytes)
  } catch (error) {
    if (error instanceof ExtractionError) throw error
    throw new ExtractionError("corrupt_file", "the file is damaged", false, { cause: error })
  }
}
