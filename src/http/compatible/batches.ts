/** Batches as OpenAI's clients know them. */
import { Elysia } from "elysia"
import { caller } from "../context.ts"
import { repetitionOf } from "../idempotency-key.ts"
import { withoutNulls } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./batches.docs.ts"
import { cursorOf, idList } from "./lists.ts"

export const BATCHES_PER_PAGE = { most: 100, fallback: 20 }

export const compatibleBatchRoutes = ({ batches }: Pick<Services, "batches">) =>
  new Elysia()
    .use(caller)
    .post(
      "/v1/batches",
      ({ body, principal, request }) => {
        const {
          input_file_id: inputFileId,
          endpoint,
          completion_window: completionWindow,
          metadata,
        } = withoutNulls(body)
        const asked = { inputFileId, endpoint, completionWindow, metadata }
        return batches.create(principal, asked, repetitionOf(request, principal, "batch", asked))
      },
      docs.createBatch(),
    )
    .get(
      "/v1/batches",
      async ({ query, principal }) => {
        const { most, fallback } = BATCHES_PER_PAGE
        const { items, hasMore } = await batches.list(principal.view, cursorOf(query, most, fallback))
        return idList(items, hasMore)
      },
      docs.listBatches(),
    )
    .get(
      "/v1/batches/:batch_id",
      ({ params, principal }) => batches.get(principal.view, params.batch_id),
      docs.getBatch(),
    )
    .post(
      "/v1/batches/:batch_id/cancel",
      ({ params, principal }) => batches.cancel(principal.view, params.batch_id),
      docs.cancelBatch(),
    )
