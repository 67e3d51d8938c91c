import { withoutMarks } from "../grounding/citations.ts"
import { placeText } from "../grounding/passages.ts"
import { filtersOf } from "../grounding/scope.ts"
import { FOR_A_REPLY } from "../search/rerank/budgets.ts"
import type { Tool } from "./tool.ts"

const DEFAULT_LIMIT = 6

export const searchLibrary: Tool<{ query: string; limit?: number }> = {
  name: "search_library",
  title: "Search the library",
  readsFiles: true,
  numbersPassages: true,
  description:
    "Finds the passages of the library that fit a query best, by words and by meaning. Each passage has a number: cite it as [number]. Use read_file for what stands around a passage.",
  parameters: {
    type: "object",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: 2000,
        description: "What to look for, in a few words or a question",
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: 20,
        description: `Number of passages, ${DEFAULT_LIMIT} unless told`,
      },
    },
    required: ["query"],
    additionalProperties: false,
  },
  async execute({ query, limit = DEFAULT_LIMIT }, { search, view, scope, passages, signal, shows }) {
    if (query.trim() === "") return "The query is blank: say what to look for."
    const asked = { view, query, limit, rerank: FOR_A_REPLY, filters: filtersOf(scope) }
    const { hits, degraded } = await search.search(asked, signal)
    if (hits.length === 0)
      return "Nothing in the library fits this query. Try other words, or list_files to see what there is."
    const lines = hits.map(hit => {
      shows?.(hit.file.id)
      const index = passages.add({
        file_id: hit.file.id,
        chunk_id: hit.id,
        name: hit.file.name,
        position: hit.position,
      })
      const { start, end } = hit.position
      const place = [`file_id ${hit.file.id}`, placeText(hit.position), `characters ${start}-${end}`].filter(Boolean)
      return `[${index}] ${withoutMarks(`${hit.file.name} (${place.join(", ")})\n${hit.text}`)}`
    })
    return [
      ...lines,
      ...(degraded === "keyword_only" ? ["(Found by words alone: the meaning search is not available now.)"] : []),
    ].join("\n\n")
  },
}
