/** Sheets, slides and attached files of a document, as its passages name them. */
import { api, isGone } from "../api.ts"
import type { Position } from "../wire.ts"
import type { Span } from "./spans.ts"

export interface Part extends Span {
  /** Of a sheet or an attached file; empty for a slide, and for what belongs to none. */
  name: string
  kind: "sheet" | "slide" | "member" | "rest"
  slide: number | null
}

/** Of one query; the most there is. */
const AT_ONCE = 100
/** What a workbook of this many passages holds beyond is shown with its last sheet. */
const MAX_QUERIES = 100

const QUERY = `query ($id: ID!, $after: String) { file(id: $id) { passages(first: ${AT_ONCE}, after: $after) {
  nodes { position { start sheet slide member } } pageInfo { endCursor hasNextPage } } } }`

type Place = Pick<Position, "start" | "sheet" | "slide" | "member">

interface Answer {
  data?: {
    file: {
      passages: { nodes: { position: Place }[]; pageInfo: { endCursor: string | null; hasNextPage: boolean } }
    } | null
  }
}

const ask = (variables: { id: string; after: string | null }, signal: AbortSignal): Promise<Answer> =>
  api.graphql<Answer>({ query: QUERY, variables }, signal).catch(error => {
    if (isGone(error)) return {} // such as where GraphQL is switched off
    throw error
  })

/** In the order of the text, of which they leave nothing out; one part where the daemon answers no such queries. */
export async function loadParts(id: string, length: number, signal: AbortSignal): Promise<Part[]> {
  const parts: Part[] = []
  let after: string | null = null
  for (let query = 0; query < MAX_QUERIES; query++) {
    const answer: Answer = await ask({ id, after }, signal)
    const passages = answer.data?.file?.passages
    if (!passages) break
    for (const { position } of passages.nodes) addTo(parts, position)
    after = passages.pageInfo.endCursor
    if (!passages.pageInfo.hasNextPage) break
  }
  if (parts.length === 0) parts.push({ name: "", kind: "rest", slide: null, start: 0, end: length })
  parts[0]!.start = 0
  return parts.map((part, i) => ({ ...part, end: parts[i + 1]?.start ?? length }))
}

function addTo(parts: Part[], { start, sheet, slide, member }: Place): void {
  const kind = member !== null ? "member" : sheet !== null ? "sheet" : slide !== null ? "slide" : "rest"
  const name = member ?? sheet ?? ""
  const last = parts.at(-1)
  if (last && last.kind === kind && last.name === name && last.slide === slide) return
  parts.push({ kind, name, slide, start, end: start })
}

/** The part in which something stands. */
export const partAt = (parts: readonly Part[], at: number): number =>
  Math.max(
    0,
    parts.findLastIndex(part => part.start <= at),
  )
