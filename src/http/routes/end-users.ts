/** Erasing what there is of an end user. */
import { Elysia } from "elysia"
import { caller } from "../context.ts"
import type { Services } from "../services.ts"
import * as docs from "./end-users.docs.ts"

export const endUserRoutes = ({ endUsers }: Pick<Services, "endUsers">) =>
  new Elysia()
    .use(caller)
    .delete(
      "/external/end-users/:end_user",
      async ({ params, principal, status }) =>
        status(202, { receipt_id: await endUsers.erase(principal.view, params.end_user) }),
      docs.eraseEndUser(),
    )
