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

export const annotationsOf = (text: string, citations: readonly Cited[]): UrlCitation[] =>
  marked(text, citations).map(({ cited: { url, name: title }, start, end }) => ({
    type: "url_citation",
    url_citation: { url, title, start_index: start, end_index: end },
  }))

/** What each number of each mark cites. Offsets of the mark count UTF-16 units of the text; the end is exclusive. */
export function marked<Passage extends { index: number }>(text: string, citations: readonly Passage[]) {
  if (citations.length === 0) return []
  const byIndex = new Map(citations.map(citation => [citation.index, citation]))
  return marksIn(text).flatMap(({ numbers, start, end }) =>
    numbers.flatMap(number => {
      const cited = byIndex.get(number)
      return cited ? [{ cited, start, end }] : []
    }),
  )
}
