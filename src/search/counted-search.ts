/** A search of callers, each of which is counted with the tokens of its query. */
import type { View } from "../access/view.ts"
import { guessTokens } from "../backends/guess-tokens.ts"
import type { SearchService } from "./types.ts"

export type CountSearch = (view: View, searches: 0 | 1, queryTokens: number) => void

/** @param asked callers ask for the searches; those of replies and runs count their tokens alone */
export const countedSearch = (search: SearchService, asked: boolean, count: CountSearch): SearchService => ({
  async search(request, signal) {
    const found = await search.search(request, signal)
    const tokens = request.mode === "keyword" || found.degraded === "keyword_only" ? 0 : guessTokens(request.query)
    count(request.view, asked ? 1 : 0, tokens)
    return found
  },
})
