import { checkFilter } from "../../../access/filter/filter.ts"
import { filtersOf, type Scope } from "../../../grounding/scope.ts"
import { FOR_A_REPLY } from "../../../search/rerank/budgets.ts"
import { ToolError } from "../../../tools/tool-error.ts"
import { fitting } from "../bounds.ts"
import type { McpCall } from "../call.ts"
import {
  args,
  CONTEXT_ID,
  COUNT,
  COUNT_OR_NULL,
  FILTER,
  listOf,
  NEXT_START,
  record,
  START,
  TEXT,
  TEXT_OR_NULL,
  URL_TEXT,
} from "../schemas.ts"
import type { McpTool } from "../tool.ts"
import { everyFile } from "./reading.ts"

const DEFAULT_LIMIT = 8
const MAX_LIMIT = 20

export const QUERY = {
  type: "string",
  minLength: 1,
  maxLength: 2_000,
  description: "What to look for, in a few words or a question",
}

export function refuseBlank(query: string): void {
  if (query.trim() === "") throw new ToolError("The query is blank: say what to look for.")
}

interface Arguments {
  query: string
  context_id?: string
  filter?: unknown
  limit?: number
  start?: number
}

export const searchLibrary: McpTool<Arguments> = {
  name: "search_library",
  title: "Search the library",
  description:
    "Finds the passages of the library that fit a query best, by words and by meaning, each with its place and a link. Use read_file for what stands around a passage.",
  scope: "search",
  readOnly: true,
  idempotent: true,
  audit: "nothing",
  parameters: args(
    { query: QUERY },
    {
      context_id: CONTEXT_ID,
      filter: FILTER,
      limit: {
        type: "integer",
        minimum: 1,
        maximum: MAX_LIMIT,
        description: `Number of passages, ${DEFAULT_LIMIT} unless told`,
      },
      start: START,
    },
  ),
  result: record(
    {
      total: COUNT,
      hits: listOf(
        record({
          file_id: TEXT,
          name: TEXT,
          type: TEXT,
          context_id: TEXT_OR_NULL,
          text: TEXT,
          score: { type: "number" },
          relevance: { type: "number" },
          page: COUNT_OR_NULL,
          slide: COUNT_OR_NULL,
          sheet: TEXT_OR_NULL,
          section: TEXT_OR_NULL,
          member: TEXT_OR_NULL,
          start: COUNT,
          end: COUNT,
          url: URL_TEXT,
        }),
      ),
    },
    { degraded: TEXT, next_start: NEXT_START },
  ),
  async execute({ query, context_id, filter, limit = DEFAULT_LIMIT, start = 0 }, call) {
    refuseBlank(query)
    const { house, principal, guard, signal } = call
    const { view } = principal
    const filters = {
      ...filtersOf(await scopeOfContext(context_id, call)),
      ...(filter === undefined ? {} : { filter: checkFilter(filter) }),
    }
    const asked = { view, query, limit, offset: start, rerank: FOR_A_REPLY, filters }
    const found = await house.search.search(asked, signal)
    const hits = await Promise.all(
      found.hits.map(async ({ file, text, score, relevance, position }) => ({
        file_id: file.id,
        name: await guard.text(file.name),
        type: file.type,
        context_id: file.context_id,
        text: await guard.text(text),
        score,
        relevance,
        page: position.page,
        slide: position.slide,
        ...(await guard.value({ sheet: position.sheet, section: position.section, member: position.member })),
        start: position.start,
        end: position.end,
        url: house.links.linkTo(principal, file.id, position),
      })),
    )
    return fitting(hits.length, count => {
      const next = start + count
      return {
        structured: {
          total: found.total,
          hits: hits.slice(0, count),
          ...(found.degraded ? { degraded: found.degraded } : {}),
          ...(next < found.total ? { next_start: next } : {}),
        },
      }
    })
  },
}

/** A conversation is a context as well: the files that were given to it. @throws AppError not_found */
async function scopeOfContext(contextId: string | undefined, { house, principal }: McpCall): Promise<Scope> {
  if (contextId === undefined) return everyFile
  if (!contextId.startsWith("conv_")) return { fileIds: null, contextId, filter: null }
  const fileIds = await house.reading.conversationFiles?.(principal.view, contextId)
  return { fileIds: fileIds ?? [], contextId: null, filter: null }
}
