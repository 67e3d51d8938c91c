/** What `/v1/vector_stores/{id}/files` and `/file_batches` take and answer. */
import { t } from "elysia"
import { operation } from "../operation.ts"
import { integer, JsonObject, nullable, oneOf, optional } from "../schemas.ts"
import { backwardQuery, idListOf, UnixTime } from "./lists.ts"
import { Chunking, FileCounts, MAX_BATCH, STORE_ID, storeId } from "./vector-stores.docs.ts"

export const STATES = ["in_progress", "completed", "failed", "cancelled"] as const

const FILE_ID = "file_01m7y48vkz3s85f1acdta2"

const StoreFile = t.Object(
  {
    id: t.String({ examples: [FILE_ID] }),
    object: t.Literal("vector_store.file"),
    created_at: UnixTime,
    vector_store_id: t.String({ examples: [STORE_ID] }),
    usage_bytes: integer({ description: "Size of the file", examples: [482_113] }),
    status: oneOf(["in_progress", "completed", "failed"], { description: "`completed` once it can be found" }),
    last_error: nullable(
      t.Object({
        code: oneOf(["server_error", "unsupported_file", "invalid_file"]),
        message: t.String({ examples: ["there is nothing to index"] }),
      }),
      { examples: [null] },
    ),
    chunking_strategy: t.Object({ type: t.Literal("other") }),
    attributes: JsonObject,
  },
  { title: "VectorStoreFile" },
)
export type StoreFile = typeof StoreFile.static

const Attributes = optional(
  t.Record(t.String(), t.Any(), { description: "The file's `metadata`: replaced where it is given" }),
)

const byStore = t.Object({ vector_store_id: storeId })
const byFile = t.Object({ vector_store_id: storeId, file_id: t.String() })
export type ByFile = typeof byFile.static
const byBatch = t.Object({ vector_store_id: storeId, batch_id: t.String() })
const listQuery = t.Object({
  ...backwardQuery,
  filter: t.Optional(t.String({ description: `Only files in this state: ${STATES.join(", ")}` })),
})
export type ListQuery = typeof listQuery.static

const batchBody = t.Object({
  file_ids: optional(t.Array(t.String(), { minItems: 1, maxItems: MAX_BATCH })),
  files: optional(
    t.Array(t.Object({ file_id: t.String(), attributes: Attributes, chunking_strategy: Chunking }), {
      minItems: 1,
      maxItems: MAX_BATCH,
    }),
  ),
  attributes: Attributes,
  chunking_strategy: Chunking,
})
export type BatchBody = typeof batchBody.static

const of = { tag: "Compatible", compatible: true } as const

export const attachFile = operation({
  ...of,
  id: "createVectorStoreFile",
  audit: { action: "file.attach", id: "answer.id" },
  scope: "files:write",
  summary: "Put a file into a vector store (OpenAI)",
  description: "It leaves the context where it was.",
  params: byStore,
  body: t.Object({ file_id: t.String(), attributes: Attributes, chunking_strategy: Chunking }),
  example: { file_id: FILE_ID, attributes: { year: 2026 } },
  answers: { 200: { description: "The file in the store", schema: StoreFile } },
  errors: ["not_found"],
})

export const listStoreFiles = operation({
  ...of,
  id: "listVectorStoreFiles",
  audit: "nothing",
  scope: "files:read",
  summary: "List the files of a vector store (OpenAI)",
  description: "`limit` may be 1 to 100, and is 20 by default.",
  params: byStore,
  query: listQuery,
  answers: { 200: { description: "A page", schema: idListOf(StoreFile, "VectorStoreFileList") } },
  errors: ["not_found"],
})

export const getStoreFile = operation({
  ...of,
  id: "getVectorStoreFile",
  audit: "nothing",
  scope: "files:read",
  summary: "Get a file of a vector store (OpenAI)",
  params: byFile,
  answers: { 200: { description: "The file in the store", schema: StoreFile } },
  errors: ["not_found"],
})

export const updateStoreFile = operation({
  ...of,
  id: "updateVectorStoreFile",
  audit: { action: "file.update", id: "params.file_id", fields: true },
  scope: "files:write",
  summary: "Change the attributes of a file (OpenAI)",
  params: byFile,
  body: t.Object({ attributes: nullable(JsonObject) }),
  example: { attributes: { year: 2026 } },
  answers: { 200: { description: "The file in the store", schema: StoreFile } },
  errors: ["not_found"],
})

export const detachFile = operation({
  ...of,
  id: "deleteVectorStoreFile",
  audit: { action: "file.detach", id: "params.file_id" },
  held: "not covered",
  scope: "files:write",
  summary: "Take a file out of a vector store (OpenAI)",
  description: "The file stays in the library, without a context.",
  params: byFile,
  answers: {
    200: {
      description: "It is in the store no more",
      schema: t.Object(
        {
          id: t.String({ examples: [FILE_ID] }),
          object: t.Literal("vector_store.file.deleted"),
          deleted: t.Literal(true),
        },
        { title: "DeletedVectorStoreFile" },
      ),
    },
  },
  errors: ["not_found"],
})

export const readStoreFile = operation({
  ...of,
  id: "getVectorStoreFileContent",
  audit: { action: "file.download", id: "params.file_id" },
  scope: "files:read",
  summary: "Read the text of a file in a vector store (OpenAI)",
  description: "All that was read from the file, in one piece.",
  params: byFile,
  answers: {
    200: {
      description: "The text",
      schema: t.Object(
        {
          object: t.Literal("vector_store.file_content.page"),
          data: t.Array(
            t.Object({ type: t.Literal("text"), text: t.String({ examples: ["Lease of the boathouse\n\n§ 1 …"] }) }),
          ),
          has_more: t.Literal(false),
          next_page: t.Null(),
        },
        { title: "VectorStoreFileContent" },
      ),
      inPieces: true,
    },
  },
  errors: ["not_found", "conflict"],
})

const Batch = t.Object(
  {
    id: t.String({ examples: ["vsfb_01m7y48vkz3s85f1acdta2"] }),
    object: t.Literal("vector_store.files_batch"),
    created_at: UnixTime,
    vector_store_id: t.String({ examples: [STORE_ID] }),
    status: oneOf(["in_progress", "completed", "cancelled"]),
    file_counts: FileCounts,
  },
  { title: "VectorStoreFileBatch" },
)
export type Batch = typeof Batch.static

export const createBatch = operation({
  ...of,
  id: "createVectorStoreFileBatch",
  audit: { action: "file.attach" },
  scope: "files:write",
  summary: "Put files into a vector store (OpenAI)",
  description: `All of them or none, at most ${MAX_BATCH}: \`file_ids\`, or \`files\` with attributes of their own.`,
  params: byStore,
  body: batchBody,
  example: { file_ids: [FILE_ID] },
  answers: { 200: { description: "The batch", schema: Batch } },
  errors: ["not_found"],
})

export const getBatch = operation({
  ...of,
  id: "getVectorStoreFileBatch",
  audit: "nothing",
  scope: "files:read",
  summary: "Ask how far a batch of files is (OpenAI)",
  params: byBatch,
  answers: { 200: { description: "The batch", schema: Batch } },
  errors: ["not_found"],
})

export const cancelBatch = operation({
  ...of,
  id: "cancelVectorStoreFileBatch",
  audit: { action: "file.attach" },
  scope: "files:write",
  summary: "Cancel a batch of files (OpenAI)",
  description: "Files that cannot be found yet leave the store; they are read all the same, as files of the library.",
  params: byBatch,
  answers: { 200: { description: "The batch as it is now", schema: Batch } },
  errors: ["not_found"],
})

export const listBatchFiles = operation({
  ...of,
  id: "listVectorStoreFileBatchFiles",
  audit: "nothing",
  scope: "files:read",
  summary: "List the files of a batch (OpenAI)",
  description: "Those of them that are in the store. `limit` may be 1 to 100, and is 20 by default.",
  params: byBatch,
  query: listQuery,
  answers: { 200: { description: "A page", schema: idListOf(StoreFile, "VectorStoreFileList") } },
  errors: ["not_found"],
})
