/** Pages of documents: which there are, each as a picture, and where on it a passage stands. */
import { Elysia } from "elysia"
import { AppError } from "../../errors.ts"
import { caller } from "../context.ts"
import { pictureResponse } from "../file-response.ts"
import type { Services } from "../services.ts"
import * as docs from "./pages.docs.ts"

export const pageRoutes = ({ pages }: Services) =>
  new Elysia()
    .use(caller)
    .get(
      "/external/libraries/:file_id/pages",
      ({ params, principal, context }) => pages.list(principal.view, params.file_id, context.keepOpen().signal),
      docs.listPages(),
    )
    .get(
      "/external/libraries/:file_id/pages/:page",
      async ({ params, query, principal, request, context }) => {
        const page = numberOf(/^(\d{1,9})\.png$/.exec(params.page)?.[1])
        return pictureResponse(
          await pages.png(principal.view, params.file_id, page, query, context.keepOpen().signal),
          request,
        )
      },
      docs.getPagePicture(),
    )
    .get(
      "/external/libraries/:file_id/pages/:page/marks",
      ({ params, query, principal, context }) => {
        const page = numberOf(/^\d{1,9}$/.exec(params.page)?.[0])
        return pages.marks(principal.view, params.file_id, page, query, context.keepOpen().signal)
      },
      docs.getPageMarks(),
    )

/** @throws AppError not_found for what counts no page */
function numberOf(text: string | undefined): number {
  const page = Number(text ?? 0)
  if (page < 1) throw new AppError("not_found", { message: "pages are counted from 1" })
  return page
}
