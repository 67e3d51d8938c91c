/** What the library holds, in numbers. */
import { Elysia } from "elysia"
import { fieldOf } from "../../access/filter/fields.ts"
import { invalid } from "../../errors.ts"
import { caller } from "../context.ts"
import { filterOfQuery } from "../filter-request.ts"
import { listItems } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./library-counts.docs.ts"

export const libraryCountsRoutes = ({ fileCounts }: Pick<Services, "fileCounts">) =>
  new Elysia()
    .use(caller)
    .get(
      "/external/libraries/facets",
      ({ query, principal }) => fileCounts.facets(principal.view, keysOf(query.keys), filterOfQuery(query.filter)),
      docs.getFacets(),
    )
    .get(
      "/external/libraries/summary",
      ({ query, principal }) => fileCounts.summary(principal.view, filterOfQuery(query.filter)),
      docs.getSummary(),
    )

/** Keys of one request: each is a look at all files. */
const MAX_KEYS = 20
const MAX_CHARACTERS = 1_000

/** @throws AppError invalid_request */
function keysOf(text: string): string[] {
  const keys = [...new Set(listItems(text))]
  if (keys.length === 0) throw invalid("keys", "must name at least one key, such as file.type")
  if (keys.length > MAX_KEYS) throw invalid("keys", `must name at most ${MAX_KEYS} keys`)
  const unknown = keys.find(key => key.length > MAX_CHARACTERS || !key.isWellFormed() || !fieldOf(key))
  if (unknown !== undefined)
    throw invalid("keys", `${JSON.stringify(unknown.slice(0, 60))} is no key of filters, such as file.type`)
  return keys
}
