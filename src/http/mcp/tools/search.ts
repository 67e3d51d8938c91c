import { FOR_A_REPLY } from "../../../search/rerank/budgets.ts"
import { fitting } from "../bounds.ts"
import { args, listOf, record, TEXT, URL_TEXT } from "../schemas.ts"
import type { McpTool } from "../tool.ts"
import { QUERY, refuseBlank } from "./search-library.ts"

/** Files that one search names. */
const LIMIT = 10

/** Exactly as connectors of assistants ask for it. */
export const search: McpTool<{ query: string }> = {
  name: "search",
  title: "Search",
  description:
    "Finds the files of the library that fit a query best, by words and by meaning. Gives their ids for fetch, best first.",
  scope: "search",
  readOnly: true,
  idempotent: true,
  audit: "nothing",
  parameters: args({ query: QUERY }),
  result: record({ results: listOf(record({ id: TEXT, title: TEXT, url: URL_TEXT })) }),
  async execute({ query }, { house, principal, guard, signal }) {
    refuseBlank(query)
    const { view } = principal
    const asked = { view, query, limit: LIMIT, group_by: "file", group_size: 1, rerank: FOR_A_REPLY } as const
    const { hits } = await house.search.search(asked, signal)
    const results = await Promise.all(
      hits.map(async ({ file: { id, name }, position }) => ({
        id,
        title: await guard.text(name),
        url: house.links.linkTo(principal, id, position),
      })),
    )
    return fitting(results.length, count => ({ structured: { results: results.slice(0, count) } }))
  },
}
