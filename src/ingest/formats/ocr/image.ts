import { ExtractionError } from "../../../storage/document.ts"
import type { ExtractContext, Extractor, RecognizedText } from "../extractor.ts"
import { frameCount } from "./frames.ts"
import { explainMissing } from "./scripts.ts"

/** Below this the text of a picture deserves a warning. */
const DOUBTFUL_CONFIDENCE = 60

/** Pictures, by OCR. One without writing adds nothing, so that a file of its own ends as `no_text`. */
export const extractImage: Extractor = async (source, context) => {
  if (context.ocr.spent) {
    context.out.warn("ocr_limit", context.ocr.explain(`${source.name} not read`))
    return
  }
  context.expectOcr(1)
  await context.pause()
  let recognized: RecognizedText = { text: "", confidence: 0 }
  await context.ocr.charge(async () => {
    recognized = await recognize(source.bytes, context)
    return "recognized"
  })
  const frames = frameCount(source.bytes)
  if (frames > 1) context.out.warn("frames_skipped", `of the ${frames} frames of ${source.name} the first was read`)
  const { text, confidence, missing = [] } = recognized
  if (missing.length > 0) context.out.warn("ocr_language_missing", explainMissing(missing, `${source.name} has`))
  if (!text) return
  context.out.ocrPageCount++
  const { words = [], size = { width: 0, height: 0 } } = recognized
  context.out.onPage({ ...size, ocr: true }, words, () => {
    for (const paragraph of text.split(/\n{2,}/)) context.out.add("paragraph", paragraph)
  })
  if (confidence < DOUBTFUL_CONFIDENCE && missing.length === 0)
    context.out.warn("low_ocr_confidence", `the text of ${source.name} was recognized with low confidence`)
}

async function recognize(picture: Uint8Array, context: ExtractContext): Promise<RecognizedText> {
  try {
    return await context.recognize(picture)
  } catch (error) {
    if (error instanceof ExtractionError) throw error
    throw new ExtractionError("corrupt_file", "the picture cannot be decoded", false, { cause: error })
  }
}
