/** Word documents in one XML file: WordprocessingML of Word 2003, and packages written flat. Mostly they are called `.doc`. */

import type { Extractor } from "../extractor.ts"
import { decodeText } from "../text/decode.ts"
import { DocxWalk, hasPageBreaks } from "./docx.ts"
import { readHeadingStyles } from "./docx-styles.ts"

const DECLARED_ENCODING = /^[^<]{0,4}<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w-]+)/

export const extractWordXml: Extractor = ({ bytes }, { out }) => {
  const head = Buffer.from(bytes.subarray(0, 512)).toString("latin1")
  const xml = decodeText(bytes, DECLARED_ENCODING.exec(head)?.[1])
  const walk = new DocxWalk(out, readHeadingStyles(xml), hasPageBreaks(xml))
  walk.read(xml)
  if (walk.page > 1) out.pageCount = (out.pageCount ?? 0) + walk.page
}
