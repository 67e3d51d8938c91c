/** What the routes of batches take and answer; the batches are those of `/v1/batches`. */
import { type Static, t } from "elysia"
import { MAX_LINES } from "../../batches/input.ts"
import { TARGET_URLS } from "../../batches/targets.ts"
import { Batch, batchFields, batchId } from "../compatible/batches.docs.ts"
import { cursorQuery, idListOf } from "../compatible/lists.ts"
import { operation } from "../operation.ts"
import { IDEMPOTENCY_KEY, JsonObject } from "../schemas.ts"

/** Read on the main thread in one piece; what is larger comes as lines. */
const MAX_REQUESTS_BYTES = 32 * 2 ** 20

const BatchRequest = t.Object(
  {
    custom_id: t.String({ description: "Its own within the batch", examples: ["first"] }),
    method: t.Optional(t.Literal("POST")),
    url: t.String({ description: TARGET_URLS.join(", "), examples: ["/external/search"] }),
    body: JsonObject,
  },
  { title: "BatchRequest" },
)

/** Of JSON; another body has no field. */
const BatchBody = t.Object({
  requests: t.Optional(t.Array(BatchRequest, { minItems: 1, maxItems: MAX_LINES, description: "Needed in JSON" })),
  ...batchFields,
})
export type BatchBody = Static<typeof BatchBody>

const FORM = {
  type: "object",
  required: ["file"],
  properties: {
    file: { type: "string", format: "binary", description: "JSON lines, at most 100 MB" },
    completion_window: { type: "string", default: "24h" },
  },
}

const of = { scope: "batches", tag: "Batches" } as const

export const startBatch = operation({
  ...of,
  id: "startBatch",
  audit: { action: "batch.create", id: "answer.id" },
  summary: "Carry many requests out in the background",
  description: `Requests may call different URLs: ${TARGET_URLS.map(url => `\`${url}\``).join(", ")}. They come as JSON, \`requests\`;
or as JSON lines of the same objects, in the part \`file\` of a form or as a body of the type \`application/jsonl\`, at most 100 MB.
The batch is one of \`/v1/batches\`, where it is told how it goes on; its files are read by \`GET /v1/files/{id}/content\`.
A repetition under the same \`Idempotency-Key\` is answered with the batch that the first request made.`,
  headers: [IDEMPOTENCY_KEY],
  body: BatchBody,
  bodies: {
    "multipart/form-data": FORM,
    "application/jsonl": {
      type: "string",
      example: '{"custom_id":"first","method":"POST","url":"/external/search","body":{"query":"notice period"}}\n',
    },
  },
  query: t.Object({ completion_window: t.Optional(t.String({ description: "With `application/jsonl`" })) }),
  maxBytes: MAX_REQUESTS_BYTES,
  example: {
    requests: [{ custom_id: "first", method: "POST", url: "/external/search", body: { query: "notice period" } }],
  },
  answers: { 201: { description: "Accepted; its requests are looked at", schema: Batch } },
  errors: [
    "conflict",
    "overloaded",
    "file_too_large",
    "empty_file",
    "invalid_multipart",
    "request_timeout",
    "unsupported_media_type",
  ],
})

export const listStartedBatches = operation({
  ...of,
  id: "listStartedBatches",
  audit: "nothing",
  summary: "List batches",
  description: "As `GET /v1/batches`.",
  query: t.Object(cursorQuery),
  answers: { 200: { description: "A page", schema: idListOf(Batch, "BatchList") } },
})

export const getStartedBatch = operation({
  ...of,
  id: "getStartedBatch",
  audit: "nothing",
  summary: "Get a batch",
  params: batchId,
  answers: { 200: { description: "The batch", schema: Batch } },
  errors: ["not_found"],
})

export const cancelStartedBatch = operation({
  ...of,
  id: "cancelStartedBatch",
  audit: { action: "batch.cancel", id: "params.batch_id" },
  summary: "Cancel a batch",
  description: "As `POST /v1/batches/{batch_id}/cancel`.",
  params: batchId,
  answers: { 200: { description: "`cancelling`, and soon `cancelled`", schema: Batch } },
  errors: ["not_found", "conflict"],
})
