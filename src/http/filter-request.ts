/** A filter as requests carry it (section 13 of the API). */
import { t } from "elysia"
import { type Filter, parseFilter } from "../access/filter/filter.ts"

const FILTER = {
  type: "and",
  filters: [
    { type: "eq", key: "file.type", value: "pdf" },
    { type: "gte", key: "metadata.year", value: 2025 },
  ],
}

/** Its form is checked by `checkFilter`, which says more of what is wrong than a schema. */
export const FilterSchema = t.Any({
  title: "Filter",
  description:
    "`{type, key, value}` with one of eq, ne, gt, gte, lt, lte, in, nin, contains, starts_with, exists, or `{type, filters}` with and, or, not. Keys are file.id, .name, .type, .size, .sha256, .external_id, .context_id, .tags, .status, .source_id, .created_at, .updated_at and metadata.<path>. At most 6 levels and 100 comparisons; joined by and with what else narrows. A bad one is 422 and its place is named",
  examples: [FILTER],
})

/** The same as a query parameter. */
export const FilterParameter = t.String({
  description: "JSON of a filter: `{type, key, value}` or `{type: and | or | not, filters}`",
  examples: [JSON.stringify(FILTER.filters[0])],
})

/** @throws AppError invalid_filter. An empty text is no filter. */
export const filterOfQuery = (text: string | undefined): Filter | null => (text ? parseFilter(text) : null)
