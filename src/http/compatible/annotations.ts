/** Where a text cites which passage, in OpenAI's shape: one annotation for each number of each mark `[n]`. */
import { marksIn } from "../../grounding/citations.ts"

export interface Cited {
  index: number
  name: string
  url: string
}

export interface UrlCitation {
  type: "url_citation"
  url_citation: { url: string; title: string; start_index: number; end_index: number }
}

/** Offsets count UTF-16 units of the text; the end is exclusive. */
export function annotationsOf(text: string, citations: readonly Cited[]): UrlCitation[] {
  if (citations.length === 0) return []
  const byIndex = new Map(citations.map(citation => [citation.index, citation]))
  return marksIn(text).flatMap(({ numbers, start, end }) =>
    numbers.flatMap(number => {
      const cited = byIndex.get(number)
      if (!cited) return []
      const { url, name: title } = cited
      return [{ type: "url_citation" as const, url_citation: { url, title, start_index: start, end_index: end } }]
    }),
  )
}
