/** What the marks of replies and outputs stand for. */
import type { Citation } from "../../../grounding/passages.ts"
import type { Asked } from "../asked.ts"
import { fileIfThere } from "./files.ts"

export const citationNodes = (citations: readonly Citation[], asked: Asked) =>
  citations.map(citation => ({
    ...asked.linked.passage(citation),
    file: () => fileIfThere(citation.file_id, asked),
  }))
