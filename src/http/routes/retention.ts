/** Retention: what is deleted by itself, and when. */
import { Elysia } from "elysia"
import { caller } from "../context.ts"
import { withoutNulls } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./retention.docs.ts"

export const retentionRoutes = ({ retention }: Pick<Services, "retention">) =>
  new Elysia()
    .use(caller)
    .get("/external/retention", ({ principal }) => retention.get(principal.view), docs.getRetention())
    .put("/external/retention", ({ body, principal }) => retention.set(principal.view, body.rules), docs.setRetention())
    .post(
      "/external/retention/preview",
      ({ body, principal }) => retention.preview(principal.view, withoutNulls(body ?? {}).rules),
      docs.previewRetention(),
    )
