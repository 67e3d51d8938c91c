/** Proofs of deletion, and the key that they are signed with. */
import { Elysia } from "elysia"
import { caller } from "../context.ts"
import { pageOf, paginated } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./receipts.docs.ts"

export const receiptRoutes = ({ receipts }: Pick<Services, "receipts">) =>
  new Elysia()
    .use(caller)
    .get(
      "/external/receipts",
      async ({ query, principal }) => {
        const page = pageOf(query)
        const { data, total } = await receipts.list(principal.view, { resource: query.resource, ...page })
        return paginated(data, total, page)
      },
      docs.listReceipts(),
    )
    .get("/external/receipts/key", () => receipts.key, docs.getReceiptKey())
    .get(
      "/external/receipts/:receipt_id",
      ({ params, principal }) => receipts.get(principal.view, params.receipt_id),
      docs.getReceipt(),
    )
