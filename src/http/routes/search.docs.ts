/** What the routes of search take and answer. */
import { t } from "elysia"
import { ASKED_FOR, MAX_CANDIDATES } from "../../search/rerank/budgets.ts"
import { FileSchema } from "../file-record.ts"
import { FilterSchema } from "../filter-request.ts"
import { operation } from "../operation.ts"
import { closed, EndUser, integer, LINK, Link, nullable, oneOf, optional, Position } from "../schemas.ts"

export const Filters = closed(
  {
    file_ids: optional(t.Array(t.String(), { description: "Any of these files; an unknown one is 404" })),
    types: optional(t.Array(t.String(), { description: "Any of these extensions", examples: [["pdf", "docx"]] })),
    tags: optional(t.Array(t.String(), { description: "Any of these tags" })),
    context_id: optional(t.String({ description: "The scope named at upload" })),
    created_after: optional(t.String({ description: "ISO-8601", examples: ["2026-01-01T00:00:00.000Z"] })),
    created_before: optional(t.String({ description: "ISO-8601" })),
    metadata: optional(t.Record(t.String(), t.Any(), { description: "Every key must have exactly this value" })),
  },
  {
    description: "Each one narrows, as does `filter`; lists are any-of; empty ones narrow nothing. Others are refused.",
  },
)

const QueryText = t.String({
  minLength: 1,
  maxLength: 2000,
  description:
    'Plain words, in any language. "A phrase" in quotes and +word must stand in the passage, -word must not; with nothing but excluded words there is nothing to rank by, and they are taken as plain ones. No text is an error.',
  examples: ["termination notice period"],
})

const Limit = (fallback: number) => t.Optional(integer({ minimum: 1, maximum: 100, default: fallback }))

const Score = t.Number({ minimum: 0, maximum: 1, examples: [0.83] })
const Relevance = t.Number({
  minimum: 0,
  maximum: 1,
  description:
    "How surely this answers the query, comparable between queries: of the hits at .5 about half are right, and filters do not change it. `score` only orders the hits of one answer.",
  examples: [0.62],
})
const LeastRelevance = t.Optional(
  t.Number({
    minimum: 0,
    maximum: 1,
    default: 0,
    description:
      "Hits of a lower `relevance` are left out. A question that no file answers still has its nearest passages, of low relevance: .01 drops what came near by chance, .3 all but 2 % of the hits of such questions, .5 keeps what is likelier right than wrong",
    examples: [0.1],
  }),
)
const LegScore = nullable(t.Object({ rank: integer({ minimum: 1 }), score: t.Number() }))

const HIT = {
  id: "chunk_00000000a7",
  score: 0.83,
  relevance: 0.62,
  text: "Either party may end this agreement with 90 days' notice.",
  highlights: [{ start: 46, end: 56 }],
  file: { id: "file_01m7y48vkz3s85f1acdta2", name: "contract.pdf", type: "pdf", context_id: null, tags: [] },
  position: { page: 4, sheet: null, slide: null, member: null, section: "3.2 Term", start: 1234, end: 1291 },
  url: LINK,
}

const Hit = t.Object(
  {
    id: t.String(),
    score: Score,
    relevance: Relevance,
    text: t.String({ description: "Exactly the slice of the file's text that `position` names" }),
    highlights: t.Array(t.Object({ start: integer(), end: integer() }), { description: "Offsets into `text`" }),
    file: t.Object({
      id: t.String(),
      name: t.String(),
      type: t.String(),
      context_id: nullable(t.String()),
      tags: t.Array(t.String()),
    }),
    position: Position,
    url: Link,
    scores: t.Optional(
      t.Object(
        {
          keyword: LegScore,
          semantic: LegScore,
          rerank: t.Optional(
            nullable(t.Object({ rank: integer({ minimum: 1 }), score: t.Number() }), { examples: [null] }),
          ),
          corrected: t.Optional(
            t.Array(t.String(), {
              description: "Words of this passage that were looked up in the place of misspelt ones",
            }),
          ),
        },
        {
          description: "Only with `explain`; `rerank` only where it was asked for, null where the model judged nothing",
        },
      ),
    ),
  },
  { title: "Hit", examples: [HIT] },
)

const Mode = t.UnionEnum(["hybrid", "keyword", "semantic"], { default: "hybrid" })

const Correction = t.Object(
  {
    word: t.String({ description: "Of the query, in lower case and without accents" }),
    tried: t.Array(t.String(), { description: "Looked up in its place, the commonest in the library first" }),
  },
  { title: "Correction", examples: [{ word: "terminaton", tried: ["termination"] }] },
)

const HitGroup = t.Object(
  {
    file_id: t.String({ examples: ["file_01m7y48vkz3s85f1acdta2"] }),
    score: Score,
    relevance: Relevance,
    hits: integer({
      minimum: 1,
      description: "How many of `hits` are this file's: they follow each other",
      examples: [2],
    }),
  },
  { title: "HitGroup" },
)

/** What a search went without, and what it had judged. */
const Said = {
  degraded: nullable(
    oneOf(["keyword_only", "not_reranked", "vectors_pending"], {
      description:
        "The first of these that holds. `keyword_only`: the embedding model is down, or knows nothing of the query of a `semantic` search, such as its language: words alone were searched. `not_reranked`: too much else waited for the reranking model, or it is down: the order is that of a search without. `vectors_pending`: some passages have no vector yet, and are found by words alone. That passages still wait for better vectors is said by `index.vectors` alone",
    }),
    { examples: [null] },
  ),
  reranked: t.Optional(
    integer({
      description:
        "Passages that the reranking model judged; only with `rerank`. Those in languages that it does not know keep their places, as do all for such a query",
      examples: [30],
    }),
  ),
}

const SearchAnswer = t.Object(
  {
    query: t.String({ examples: ["termination notice period"] }),
    mode: Mode,
    took_ms: t.Number({ examples: [12.3] }),
    total: integer({
      description:
        "Hits there are in all; with `group_by` the files that the best 1 000 passages stand in, 10 000 for pages further down",
      examples: [1],
    }),
    ...Said,
    index: t.Object({
      searchable_files: integer({ examples: [120] }),
      pending_files: integer({ examples: [0] }),
      embedding_model: t.String({ examples: ["builtin/multilingual-256"] }),
      vectors: t.Object(
        {
          done: integer({ minimum: 0, examples: [3120] }),
          total: integer({ minimum: 0, description: "Passages of the library", examples: [3120] }),
          tier: oneOf(["fast", "quality"], {
            description: "`fast` vectors are there with the words; `quality` ones follow in the background",
          }),
        },
        { title: "VectorProgress", description: "Passages that have a vector of the best tier in use" },
      ),
    }),
    corrections: t.Array(Correction, {
      description:
        "Words that stand in no passage of the library, and the words at one letter's distance that were looked up too",
      examples: [[]],
    }),
    hits: t.Array(Hit),
    groups: t.Optional(
      t.Array(HitGroup, {
        description: "Only with `group_by`: whose the hits are, files in the order of their best passages",
      }),
    ),
  },
  { title: "SearchAnswer" },
)

const DocumentsAnswer = t.Object(
  {
    documents: t.Array(
      t.Object(
        { file: FileSchema, score: Score, relevance: Relevance, passages: t.Array(Hit) },
        { title: "FoundDocument" },
      ),
    ),
    ...Said,
    took_ms: t.Number({ examples: [12.3] }),
  },
  { title: "DocumentsAnswer" },
)

export const Rerank = t.Union(
  [
    t.Boolean(),
    closed({ candidates: t.Optional(integer({ minimum: 1, maximum: MAX_CANDIDATES, default: ASKED_FOR.candidates })) }),
  ],
  {
    description:
      "Has a model read the best passages together with the query and order them anew, English ones: 20 to 40 ms of a core each. As many of the best as fit in two seconds, and `reranked` says how many; where not even ten do, the order stays as it was. Their `relevance` follows what it says",
  },
)

const Exact = t.Optional(
  t.Boolean({
    default: false,
    description:
      "Looks words up only as they are written. Otherwise one that stands in no passage is also looked up at one letter's distance (one inserted, missing, changed, or two swapped): words of 4 to 24 letters without digits, in scripts with spaces, where no more than four of the query are unknown. `corrections` says which; they count for less than words found as they are written. A `+word` and a phrase are never corrected. Words are compared by their stems either way, outside English by their first five letters (`Vertrag` finds `Vertreter`); in quotes they are compared as they are written. English function words (`the`, `from`) ask for nothing alone. With more than four words beside it a quotation is a name in a question, and no condition unless a `+` stands before it",
  }),
)

const searchBody = t.Object({
  query: QueryText,
  limit: Limit(10),
  offset: t.Optional(integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  mode: t.Optional(Mode),
  highlight: t.Optional(t.Boolean({ default: true })),
  explain: t.Optional(t.Boolean({ default: false, description: "Adds each leg's rank and score" })),
  min_relevance: LeastRelevance,
  exact: Exact,
  group_by: t.Optional(
    t.Literal("file", {
      description:
        "Hits of one file follow each other, files in the order of their best passages. `limit`, `offset` and `total` then count files, and `groups` says whose the hits are",
    }),
  ),
  group_size: t.Optional(
    integer({ minimum: 1, maximum: 10, description: "With `group_by`: hits of a file, at most; 3 unless given" }),
  ),
  rerank: optional(Rerank),
  filters: optional(Filters),
  filter: optional(FilterSchema),
  end_user: optional(EndUser),
})

const documentsBody = t.Object({
  query: t.Optional(QueryText),
  keywords: t.Optional(QueryText),
  context_id: optional(t.String({ description: "A scope named at upload, or a conversation: then its files only" })),
  limit: Limit(5),
  min_relevance: LeastRelevance,
  exact: Exact,
  rerank: optional(Rerank),
  filters: optional(Filters),
  filter: optional(FilterSchema),
  end_user: optional(EndUser),
})

export const search = operation({
  id: "search",
  audit: "nothing",
  scope: "search",
  summary: "Search the library",
  description:
    "Hybrid: exact BM25 and meaning, fused. The same library and query give the same order, but for the first search after a start or after ten minutes without any: it goes by the fast vectors, while the model of the quality tier is loaded for those that follow.",
  tag: "Search",
  body: searchBody,
  example: { query: "termination notice period", limit: 10, min_relevance: 0.01, filters: { types: ["pdf"] } },
  answers: { 200: { description: "The best passages, best first", schema: SearchAnswer } },
  errors: ["not_found", "invalid_filter"],
})

export const findDocuments = operation({
  id: "findDocuments",
  audit: "nothing",
  scope: "search",
  summary: "Find the most relevant documents",
  description: "Hybrid search, with the hits of a file gathered under its record.",
  tag: "Search",
  body: documentsBody,
  example: { query: "termination notice period", limit: 5 },
  answers: { 200: { description: "The best documents, best first", schema: DocumentsAnswer } },
  errors: ["not_found", "invalid_filter"],
})
