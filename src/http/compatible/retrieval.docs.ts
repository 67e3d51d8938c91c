/** What `/retrieval` takes and answers. */
import { t } from "elysia"
import { operation } from "../operation.ts"
import { integer, oneOf, optional } from "../schemas.ts"

export const OPERATORS = [
  ...[
    "contains",
    "not contains",
    "start with",
    "is",
    "is not",
    "in",
    "not in",
    "empty",
    "not empty",
    "null",
    "not null",
  ],
  ...["=", "≠", ">", "<", "≥", "≤", "before", "after"],
] as const

const Condition = t.Object({
  name: t.Union([t.String(), t.Array(t.String(), { minItems: 1, maxItems: 10 })], {
    description: "A key of the files' metadata; of several, one has to satisfy the condition",
  }),
  comparison_operator: t.String({ description: OPERATORS.join(", ") }),
  value: t.Optional(t.Any({ description: "A text, a number, or a list of them; none where nothing is compared" })),
})
export type Condition = typeof Condition.static

const Conditions = t.Object({
  logical_operator: optional(oneOf(["and", "or"])),
  conditions: optional(t.Array(Condition, { maxItems: 50 })),
})
export type Conditions = typeof Conditions.static

const retrievalBody = t.Object({
  knowledge_id: t.String({ minLength: 1, maxLength: 128, description: "A context, or `*` for the whole library" }),
  query: t.String({ minLength: 1, maxLength: 100_000, description: "Its first 2 000 characters count" }),
  retrieval_setting: optional(
    t.Object({
      top_k: optional(integer({ minimum: 1, maximum: 100, default: 4 })),
      score_threshold: optional(t.Number({ minimum: 0, maximum: 1, default: 0 })),
    }),
  ),
  metadata_condition: optional(Conditions),
})
export type RetrievalBody = typeof retrievalBody.static

const Records = t.Object(
  {
    records: t.Array(
      t.Object({
        content: t.String({ examples: ["Either party may end this agreement with 90 days' notice."] }),
        score: t.Number({ minimum: 0, maximum: 1, description: "How surely the passage answers, as `relevance`" }),
        title: t.String({ examples: ["contract.pdf"] }),
        metadata: t.Record(t.String(), t.Any(), {
          description: "The file's metadata, and where the passage stands; nothing in it is null",
          examples: [{ year: 2026, file_id: "file_01m7y48vkz3s85f1acdta2", page: 4, start: 1234, end: 1291 }],
        }),
      }),
      { description: "Best first" },
    ),
  },
  { title: "RetrievalRecords" },
)

/** @param path clients add `/retrieval` to the base that they are given, which may end in `/v1` */
const declared = (path: "/retrieval" | "/v1/retrieval") =>
  operation({
    id: path === "/retrieval" ? "retrieve" : "retrieveV1",
    audit: "nothing",
    scope: "search",
    summary: path === "/retrieval" ? "Search for Dify" : "Search for Dify (v1)",
    description: "The external knowledge API of Dify: the address to register is this server's.",
    tag: "Compatible",
    compatible: "dify",
    body: retrievalBody,
    example: {
      knowledge_id: "project:42",
      query: "How can the contract be ended?",
      retrieval_setting: { top_k: 4, score_threshold: 0.1 },
      metadata_condition: null,
    },
    answers: { 200: { description: "Passages", schema: Records } },
    errors: ["not_found", "invalid_filter"],
  })

export const retrieve = declared("/retrieval")
export const retrieveV1 = declared("/v1/retrieval")
