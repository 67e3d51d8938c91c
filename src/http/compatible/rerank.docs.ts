/** What the rerank endpoints take and answer. */
import { t } from "elysia"
import { operation } from "../operation.ts"
import { integer, optional } from "../schemas.ts"

const MAX_DOCUMENTS = 1_000

const DocumentText = t.Object({ text: t.String({ examples: ["Berlin had 3,520,031 registered inhabitants."] }) })

const rerankBody = t.Object({
  model: optional(
    t.String({ description: "The one that there is, when left out", examples: ["ms-marco-MiniLM-L-12-v2"] }),
  ),
  query: t.String({ minLength: 1, maxLength: 10_000, description: "Its first 96 tokens count" }),
  documents: t.Array(t.Union([t.String(), DocumentText]), {
    minItems: 1,
    maxItems: MAX_DOCUMENTS,
    description:
      "Texts, or objects with a `text`. Of one longer than about 1 500 characters the best of three windows counts: its beginning, and those that hold most words of the query",
  }),
  top_n: optional(integer({ minimum: 1, description: "Best ones to answer with; all when left out" })),
  return_documents: optional(t.Boolean({ default: false })),
})

const Reranked = t.Object(
  {
    id: t.String({ examples: ["rr_01m7y48vkz3s85f1acdta2"] }),
    model: t.String({ examples: ["ms-marco-MiniLM-L-12-v2"] }),
    results: t.Array(
      t.Object({
        index: integer({ description: "Of the document as given, from 0", examples: [0] }),
        relevance_score: t.Number({ minimum: 0, maximum: 1, examples: [0.9999] }),
        document: t.Optional(DocumentText),
      }),
      { description: "Best first; equal ones in the order in which they were given" },
    ),
    usage: t.Object({ total_tokens: integer({ description: "What the model read", examples: [41] }) }),
  },
  { title: "Reranked" },
)

/** @param version of the path: clients of either shape ask the same */
const declared = (version: 1 | 2) =>
  operation({
    id: version === 1 ? "rerank" : "rerankV2",
    audit: "nothing",
    scope: "search",
    summary: version === 1 ? "Judge texts by a query" : "Judge texts by a query (v2)",
    description:
      "The shape of Cohere's and Jina's rerank endpoints. The built-in model reads English; a score says how surely a text answers the query. Nothing is stored.",
    tag: "Compatible",
    compatible: true,
    body: rerankBody,
    example: {
      query: "How many people live in Berlin?",
      documents: ["Berlin had 3,520,031 registered inhabitants.", { text: "Berlin is well known for its museums." }],
      top_n: 1,
    },
    answers: { 200: { description: "The texts, best first", schema: Reranked } },
    errors: ["model_not_found", "model_unavailable"],
  })

export const rerank = declared(1)
export const rerankV2 = declared(2)
