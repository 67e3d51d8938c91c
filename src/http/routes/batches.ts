/** Batches whose requests come as they are; what is made is a batch of `/v1/batches`. */
import { Elysia } from "elysia"
import type { BatchFile, BatchFiles } from "../../batches/files.ts"
import type { BatchRecord } from "../../batches/record.ts"
import { AppError, invalid } from "../../errors.ts"
import { contentTypeOf } from "../body.ts"
import { BATCHES_PER_PAGE } from "../compatible/batches.ts"
import { cursorOf, idList } from "../compatible/lists.ts"
import { caller, type RequestContext } from "../context.ts"
import { repetitionOf } from "../idempotency-key.ts"
import { receiveMultipart } from "../multipart.ts"
import { withoutNulls } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./batches.docs.ts"

export const batchRoutes = ({ batches }: Pick<Services, "batches">) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/batches",
      async ({ body, query, principal, request, context, status }) => {
        const inputs: Inputs = {
          bring: (bytes, name = INPUT_NAME) => batches.files.bring(principal.view, name, bytes, request.signal),
          drop: ({ id }) => batches.files.delete(principal.view, id),
        }
        const { input, ...given } = await receive(request, context, body, inputs)
        const asked = { ...given }
        if (query.completion_window) asked.completionWindow ??= query.completion_window
        let batch: BatchRecord | undefined
        try {
          const repetition = repetitionOf(request, principal, "batch", { ...asked, input: input.sha256 })
          batch = await batches.create(principal, { ...asked, inputFileId: input.id }, repetition)
          return status(201, batch)
        } finally {
          // Of a batch that was refused, or made before, nobody needs it.
          if (batch?.input_file_id !== input.id) await inputs.drop(input)
        }
      },
      docs.startBatch(),
    )
    .get(
      "/external/batches",
      async ({ query, principal }) => {
        const { most, fallback } = BATCHES_PER_PAGE
        const { items, hasMore } = await batches.list(principal.view, cursorOf(query, most, fallback))
        return idList(items, hasMore)
      },
      docs.listStartedBatches(),
    )
    .get(
      "/external/batches/:batch_id",
      ({ params, principal }) => batches.get(principal.view, params.batch_id),
      docs.getStartedBatch(),
    )
    .post(
      "/external/batches/:batch_id/cancel",
      ({ params, principal }) => batches.cancel(principal.view, params.batch_id),
      docs.cancelStartedBatch(),
    )

/** Of what came without a name. */
const INPUT_NAME = "batch.jsonl"

interface Received {
  input: BatchFile
  completionWindow?: string | undefined
  metadata?: Record<string, string> | undefined
}

interface Inputs {
  bring(bytes: AsyncIterable<Uint8Array>, name?: string): ReturnType<BatchFiles["bring"]>
  drop(input: BatchFile): Promise<unknown>
}

/** @throws AppError as `Batches.create`; empty_file, file_too_large; what is wrong with a form */
async function receive(
  request: Request,
  context: RequestContext,
  body: docs.BatchBody,
  inputs: Inputs,
): Promise<Received> {
  const type = contentTypeOf(request)
  if (type === "multipart/form-data") return receiveForm(request, context, inputs)
  if (type === "application/jsonl") {
    const input = await inputs.bring(request.body ?? new Blob([]).stream())
    context.isRead = true
    return { input }
  }
  const { requests, completion_window: completionWindow, metadata } = withoutNulls(body)
  if (!requests) throw invalid("requests", "is missing")
  return { input: await inputs.bring(linesOf(requests)), completionWindow, metadata }
}

async function receiveForm(request: Request, context: RequestContext, inputs: Inputs): Promise<Received> {
  let input: BatchFile | undefined
  let completionWindow: string | undefined
  await receiveMultipart(request, {
    async file({ name, fileName, stream }) {
      if (name !== "file") throw invalid(name.slice(0, 100), "is not known: the file is named `file`")
      if (input) throw invalid("file", "must be one file")
      input = await inputs.bring(stream, fileName.slice(-200))
    },
    field(name, value) {
      if (name !== "completion_window") throw invalid(name.slice(0, 100), "is not known")
      completionWindow = value
    },
  }).catch(async error => {
    if (input) await inputs.drop(input)
    throw error
  })
  context.isRead = true
  if (!input) throw new AppError("invalid_multipart", { message: "there is no file part named `file`" })
  return { input, completionWindow }
}

async function* linesOf(requests: readonly object[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const request of requests) yield encoder.encode(`${JSON.stringify(request)}\n`)
}
