/** Work on many files at once, and how far it is. */
import { Elysia } from "elysia"
import { checkFilter } from "../../access/filter/filter.ts"
import { invalid } from "../../errors.ts"
import type { BulkRequest } from "../../library/bulk.ts"
import { caller } from "../context.ts"
import type { Services } from "../services.ts"
import * as docs from "./bulk.docs.ts"

export const bulkRoutes = ({ bulk }: Pick<Services, "bulk">) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/libraries/bulk",
      async ({ body, principal, status }) => {
        const asked = requestOf(body)
        if (body.dry_run) return status(200, await bulk.preview(principal.view, asked))
        return status(202, await bulk.start(principal.view, asked))
      },
      docs.changeFiles(),
    )
    .get("/external/jobs/:job_id", ({ params, principal }) => bulk.get(principal.view, params.job_id), docs.getJob())

/** @throws AppError invalid_filter, invalid_request */
function requestOf({ action, filter, patch }: typeof docs.BulkBody.static): BulkRequest {
  const checked = checkFilter(filter)
  if (action !== "patch") {
    if (patch) throw invalid("patch", `does not go with ${action}`)
    return { action, filter: checked }
  }
  if (!patch || Object.keys(patch).length === 0) throw invalid("patch", "must say what is to be changed")
  return { action, filter: checked, patch }
}
