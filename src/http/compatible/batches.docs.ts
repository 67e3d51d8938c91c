/** What `/v1/batches` takes and answers. */
import { t } from "elysia"
import { BATCH_STATUSES } from "../../batches/record.ts"
import { TARGET_URLS } from "../../batches/targets.ts"
import { operation } from "../operation.ts"
import { IDEMPOTENCY_KEY, integer, nullable, oneOf, optional } from "../schemas.ts"
import { cursorQuery, idListOf, UnixTime } from "./lists.ts"

const FILE = "file_01m7y48vkz3s85f1acdta2"
const time = nullable(UnixTime)

const LineProblem = t.Object(
  {
    code: t.String({ examples: ["duplicate_custom_id"] }),
    message: t.String({ examples: ["custom_id: is that of line 3 already"] }),
    param: nullable(t.String(), { examples: ["custom_id"] }),
    line: nullable(integer(), { description: "Of the input, from 1", examples: [7] }),
  },
  { title: "BatchError" },
)

export const Batch = t.Object(
  {
    id: t.String({ examples: ["batch_01m7y48vkz3s85f1acdta2"] }),
    object: t.Literal("batch"),
    endpoint: nullable(t.String(), {
      description: "What all requests call; null where they differ, or while that is not known",
      examples: ["/v1/chat/completions"],
    }),
    errors: nullable(t.Object({ object: t.Literal("list"), data: t.Array(LineProblem) }), {
      description: "Why it failed: what is wrong with the input, the first 100, or what ended it",
      examples: [null],
    }),
    input_file_id: t.String({ examples: [FILE] }),
    completion_window: t.String({ examples: ["24h"] }),
    status: oneOf(BATCH_STATUSES),
    output_file_id: nullable(t.String({ description: "Answers with a status of success" }), { examples: [FILE] }),
    error_file_id: nullable(t.String({ description: "All other requests" }), { examples: [null] }),
    created_at: UnixTime,
    in_progress_at: time,
    expires_at: UnixTime,
    finalizing_at: time,
    completed_at: time,
    failed_at: time,
    expired_at: time,
    cancelling_at: time,
    cancelled_at: time,
    request_counts: t.Object({
      total: integer({ examples: [2] }),
      completed: integer({ description: "Answered with success", examples: [2] }),
      failed: integer({ description: "Answered otherwise", examples: [0] }),
    }),
    metadata: nullable(t.Record(t.String(), t.String()), { examples: [null] }),
  },
  { title: "Batch" },
)

export const batchFields = {
  completion_window: optional(
    t.String({ description: "Time that it has, from `1m` to `7d`: `24h` by default", examples: ["24h"] }),
  ),
  metadata: optional(t.Record(t.String(), t.String(), { description: "At most 16 texts" })),
}

export const batchId = t.Object({ batch_id: t.String() })

const of = { scope: "batches", tag: "Batches", compatible: true } as const

export const createBatch = operation({
  ...of,
  id: "createBatch",
  audit: { action: "batch.create", id: "answer.id" },
  summary: "Carry many requests out in the background (OpenAI)",
  description: `Each line of the input is \`{"custom_id", "method": "POST", "url", "body"}\`, at most 10 000 of them; \`url\` is
the endpoint. They are carried out as requests of their own would be, by the rights that the key has at that moment, outside
of the request limit, when no others wait; a batch ends with its key. Each line is answered once, also over a restart: with
its \`custom_id\` in the output file, or, for another status than success, in the error file (\`GET /v1/files/{id}/content\`).
A line that cannot be carried out for want of a model waits for it. A bad line fails the batch before anything is carried out.
A repetition under the same \`Idempotency-Key\` is answered with the batch that the first request made.`,
  headers: [IDEMPOTENCY_KEY],
  body: t.Object({
    input_file_id: t.String({ description: "Of a file with the purpose `batch`", examples: [FILE] }),
    endpoint: oneOf(TARGET_URLS),
    ...batchFields,
  }),
  example: { input_file_id: FILE, endpoint: "/v1/chat/completions", completion_window: "24h" },
  answers: { 200: { description: "Accepted; its input is looked at", schema: Batch } },
  errors: ["not_found", "conflict", "overloaded"],
})

export const listBatches = operation({
  ...of,
  id: "listBatches",
  audit: "nothing",
  summary: "List batches (OpenAI)",
  description: "Newest first by default; `limit` may be 1 to 100, 20 by default.",
  query: t.Object(cursorQuery),
  answers: { 200: { description: "A page", schema: idListOf(Batch, "BatchList") } },
})

export const getBatch = operation({
  ...of,
  id: "getBatch",
  audit: "nothing",
  summary: "Get a batch (OpenAI)",
  params: batchId,
  answers: { 200: { description: "The batch", schema: Batch } },
  errors: ["not_found"],
})

export const cancelBatch = operation({
  ...of,
  id: "cancelBatch",
  audit: { action: "batch.cancel", id: "params.batch_id" },
  summary: "Cancel a batch (OpenAI)",
  description:
    "Requests under way are given up. What is answered by then is in the output file; the others are in the error file.",
  params: batchId,
  answers: { 200: { description: "`cancelling`, and soon `cancelled`", schema: Batch } },
  errors: ["not_found", "conflict"],
})
