/** What `/v1/vector_stores` takes and answers, but for the files of a store. */
import { t } from "elysia"
import { operation } from "../operation.ts"
import { integer, JsonObject, nullable, oneOf, optional } from "../schemas.ts"
import { backwardQuery, idListOf, UnixTime } from "./lists.ts"

export const MAX_BATCH = 2_000

export const storeId = t.String({ description: "`vs_` and the context's id" })
export const STORE_ID = "vs_project:42"

export const FileCounts = t.Object(
  {
    in_progress: integer(),
    completed: integer({ examples: [1] }),
    failed: integer(),
    cancelled: integer({ description: "Taken out again when a batch was cancelled" }),
    total: integer({ examples: [1] }),
  },
  { title: "VectorStoreFileCounts" },
)

const VectorStore = t.Object(
  {
    id: t.String({ examples: [STORE_ID] }),
    object: t.Literal("vector_store"),
    created_at: UnixTime,
    name: t.String({ description: "The context's id where it was given none", examples: ["Project 42"] }),
    description: nullable(t.String(), { examples: [null] }),
    usage_bytes: integer({ description: "Sizes of the files" }),
    file_counts: FileCounts,
    status: oneOf(["in_progress", "completed"], { description: "`completed` when no file is waiting" }),
    last_active_at: UnixTime,
    expires_after: t.Null({ description: "Stores of this server do not expire" }),
    expires_at: t.Null(),
    metadata: JsonObject,
  },
  { title: "VectorStore" },
)
export type VectorStore = typeof VectorStore.static

/** Each tells why it is refused. */
const Expiry = optional(t.Any({ description: "400: stores of this server do not expire" }))
export const Chunking = optional(
  t.Object({ type: t.String({ description: "`auto`; others are 400: passages are cut in one way" }) }),
)

const Name = t.String({ maxLength: 500, examples: ["Project 42"] })
const Metadata = optional(JsonObject)

const byId = t.Object({ vector_store_id: storeId })

export const createStore = operation({
  id: "createVectorStore",
  audit: { action: "vector_store.create", id: "answer.id" },
  scope: "files:write",
  summary: "Create a vector store (OpenAI)",
  description:
    "Makes a context of its own. `file_ids` are moved there, all or none; a file stands in one context at most.",
  tag: "Compatible",
  compatible: true,
  body: t.Object({
    name: optional(Name),
    description: optional(t.String({ maxLength: 2_000 })),
    file_ids: optional(t.Array(t.String(), { maxItems: MAX_BATCH })),
    metadata: Metadata,
    expires_after: Expiry,
    chunking_strategy: Chunking,
  }),
  example: { name: "Project 42", file_ids: ["file_01m7y48vkz3s85f1acdta2"] },
  answers: { 200: { description: "The store", schema: VectorStore } },
  errors: ["not_found"],
})

export const listStores = operation({
  id: "listVectorStores",
  audit: "nothing",
  scope: "files:read",
  summary: "List vector stores (OpenAI)",
  description: "Every context with files is one. `limit` may be 1 to 100, and is 20 by default.",
  tag: "Compatible",
  compatible: true,
  query: t.Object(backwardQuery),
  answers: { 200: { description: "A page", schema: idListOf(VectorStore, "VectorStoreList") } },
})

export const getStore = operation({
  id: "getVectorStore",
  audit: "nothing",
  scope: "files:read",
  summary: "Get a vector store (OpenAI)",
  tag: "Compatible",
  compatible: true,
  params: byId,
  answers: { 200: { description: "The store", schema: VectorStore } },
  errors: ["not_found"],
})

export const updateStore = operation({
  id: "updateVectorStore",
  audit: { action: "vector_store.update", id: "params.vector_store_id", fields: true },
  scope: "files:write",
  summary: "Name or describe a vector store (OpenAI)",
  tag: "Compatible",
  compatible: true,
  params: byId,
  body: t.Object({ name: optional(Name), metadata: Metadata, expires_after: Expiry }),
  example: { name: "Project 42, closed" },
  answers: { 200: { description: "The store as it is now", schema: VectorStore } },
  errors: ["not_found"],
})

export const deleteStore = operation({
  id: "deleteVectorStore",
  audit: { action: "vector_store.delete", id: "params.vector_store_id" },
  held: "not covered",
  scope: "files:write",
  summary: "Delete a vector store (OpenAI)",
  description: "Its files stay in the library, without a context.",
  tag: "Compatible",
  compatible: true,
  params: byId,
  answers: {
    200: {
      description: "There is no such store any more",
      schema: t.Object(
        {
          id: t.String({ examples: [STORE_ID] }),
          object: t.Literal("vector_store.deleted"),
          deleted: t.Literal(true),
        },
        { title: "DeletedVectorStore" },
      ),
    },
  },
  errors: ["not_found"],
})

const SearchHit = t.Object({
  file_id: t.String({ examples: ["file_01m7y48vkz3s85f1acdta2"] }),
  filename: t.String({ examples: ["contract.pdf"] }),
  score: t.Number({ minimum: 0, maximum: 1, description: "How surely the passage answers, as `relevance`" }),
  attributes: JsonObject,
  content: t.Array(t.Object({ type: t.Literal("text"), text: t.String({ examples: ["Either party may end …"] }) })),
})

export const searchStore = operation({
  id: "searchVectorStore",
  audit: "nothing",
  scope: "search",
  summary: "Search a vector store (OpenAI)",
  description:
    "Hybrid search in the files of the store, the most relevant passages first. Of several queries each passage counts by the one that it answers best. `rewrite_query` is taken and changes nothing: the search needs no rewriting. A query counts with its first 2 000 characters.",
  tag: "Compatible",
  compatible: true,
  params: byId,
  body: t.Object({
    query: t.Union([t.String(), t.Array(t.String(), { minItems: 1, maxItems: 10 })]),
    filters: optional(
      t.Any({
        description:
          "A filter, `{type, key, value}` or `{type, filters}`; a key without `file.` or `metadata.` means an attribute",
      }),
    ),
    max_num_results: optional(integer({ minimum: 1, maximum: 50, default: 10 })),
    ranking_options: optional(
      t.Object({
        ranker: optional(t.String()),
        score_threshold: optional(t.Number({ minimum: 0, maximum: 1, default: 0 })),
      }),
    ),
    rewrite_query: optional(t.Boolean()),
  }),
  example: {
    query: "How can the contract be ended?",
    filters: { type: "eq", key: "year", value: 2026 },
    max_num_results: 5,
  },
  answers: {
    200: {
      description: "Passages",
      schema: t.Object(
        {
          object: t.Literal("vector_store.search_results.page"),
          search_query: t.Array(t.String({ examples: ["How can the contract be ended?"] })),
          data: t.Array(SearchHit),
          has_more: t.Literal(false),
          next_page: t.Null(),
        },
        { title: "VectorStoreSearchResults" },
      ),
    },
  },
  errors: ["not_found", "invalid_filter"],
})
