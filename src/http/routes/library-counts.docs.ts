/** What the routes that count files take and answer. */
import { t } from "elysia"
import { FILE_STATUSES } from "../file-record.ts"
import { FilterParameter } from "../filter-request.ts"
import { operation } from "../operation.ts"
import { integer } from "../schemas.ts"

const Counted = (example: Record<string, number>, description: string) =>
  t.Record(t.String(), integer(), { description, examples: [example] })

const Facets = t.Object(
  {
    facets: t.Record(
      t.String(),
      t.Array(
        t.Object(
          {
            value: t.Union([t.String(), t.Number(), t.Boolean()], { examples: ["pdf"] }),
            count: integer({ description: "Files that have it", examples: [12] }),
          },
          { title: "FacetValue" },
        ),
      ),
      {
        examples: [{ "file.type": [{ value: "pdf", count: 12 }], "metadata.year": [{ value: 2026, count: 7 }] }],
      },
    ),
    total_files: integer({ examples: [19] }),
  },
  { title: "Facets" },
)

export const getFacets = operation({
  id: "getFacets",
  audit: "nothing",
  scope: "files:read",
  summary: "Count the values that files have",
  description:
    "Of each key the 100 most frequent values, the most frequent first. An array counts once for each of its elements; what is missing or null is not counted.",
  tag: "Files",
  query: t.Object({
    keys: t.String({
      description: "Comma-separated keys of filters, 20 at most",
      examples: ["file.type,metadata.year"],
    }),
    filter: t.Optional(FilterParameter),
  }),
  answers: { 200: { description: "The values by key", schema: Facets } },
  errors: ["invalid_filter"],
})

const Summary = t.Object(
  {
    total: integer({ description: "Files", examples: [19] }),
    by_status: t.Object(Object.fromEntries(FILE_STATUSES.map(status => [status, integer()])) as ByStatus, {
      examples: [{ queued: 0, indexing: 1, searchable: 17, failed: 1 }],
    }),
    by_error: Counted({ no_text: 1 }, "Files by the code of their error"),
    warnings: Counted({ ocr_page_limit: 2 }, "Files by the code of each warning that they have"),
    bytes: integer({ examples: [9_160_147] }),
    pages: integer({ examples: [228] }),
    ocr_pages: integer({ examples: [12] }),
    chunks: integer({ description: "Passages", examples: [779] }),
  },
  { title: "LibrarySummary" },
)
type ByStatus = Record<(typeof FILE_STATUSES)[number], ReturnType<typeof integer>>

export const getSummary = operation({
  id: "getSummary",
  audit: "nothing",
  scope: "files:read",
  summary: "Sum up the library",
  description: "How many files there are by state, error and warning, and what they hold.",
  tag: "Files",
  query: t.Object({ filter: t.Optional(FilterParameter) }),
  answers: { 200: { description: "The sums", schema: Summary } },
  errors: ["invalid_filter"],
})
