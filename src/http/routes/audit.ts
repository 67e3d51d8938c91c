/** The audit log: read, exported, verified. */
import { Elysia } from "elysia"
import { invalid } from "../../errors.ts"
import type { AuditRecord } from "../../governance/audit/chain.ts"
import { caller } from "../context.ts"
import { timeOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./audit.docs.ts"

export const auditRoutes = ({ auditTrail }: Pick<Services, "auditTrail">) =>
  new Elysia()
    .use(caller)
    .get(
      "/external/audit",
      ({ query, principal }) => {
        const { after, order = "asc", limit = docs.DEFAULT_LIMIT } = query
        if (limit < 1 || limit > docs.MAX_LIMIT)
          throw invalid("limit", `must be a whole number from 1 to ${docs.MAX_LIMIT}`)
        return auditTrail.page(principal.view, { ...filterOf(query), after: after || undefined, order, limit })
      },
      docs.listAudit(),
    )
    .get(
      "/external/audit.jsonl",
      ({ query, principal, context }) => {
        const pages = auditTrail.all(principal.view, filterOf(query))
        context.keepOpen()
        return new Response(linesOf(pages), { headers: { "content-type": "application/jsonl" } })
      },
      docs.exportAudit(),
    )
    .get(
      "/external/audit/verify",
      ({ principal, context }) => {
        context.keepOpen()
        return auditTrail.verify(principal.view)
      },
      docs.verifyAudit(),
    )

function filterOf({ from, to, actor, action, outcome, resource }: typeof docs.ExportQuery.static) {
  return {
    from: timeOf("from", from),
    to: timeOf("to", to),
    actor: actor || undefined,
    action: action || undefined,
    outcome,
    resource: resource || undefined,
  }
}

/** A page is read when the client is ready for it. */
function linesOf(pages: AsyncGenerator<AuditRecord[]>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pages.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value.map(row => `${JSON.stringify(row)}\n`).join("")))
      },
      async cancel() {
        await pages.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
