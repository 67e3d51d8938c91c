/** Webhooks: who is told of what happens, what they were told, and what is told once more. */
import { Elysia } from "elysia"
import { invalid } from "../../errors.ts"
import type { WebhookChange } from "../../events/webhooks.ts"
import { caller } from "../context.ts"
import { repetitionOf } from "../idempotency-key.ts"
import { eachOf, listItems, pageOf, paginated, timeOf, withoutNulls } from "../schemas.ts"
import type { Services } from "../services.ts"
import * as docs from "./webhooks.docs.ts"

/** Long, because it is a table: Elysia takes the types of a group of routes from one chain. */
export const webhookRoutes = ({ webhooks }: Pick<Services, "webhooks">) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/webhooks",
      async ({ body: { types, ...body }, principal, request, status }) => {
        const asked = { types: types ?? null, ...withoutNulls(body) }
        const repetition = repetitionOf(request, principal, "webhook", asked)
        return status(201, await webhooks.create(principal, asked, repetition))
      },
      docs.createWebhook(),
    )
    .get(
      "/external/webhooks",
      async ({ query, principal }) => {
        const page = pageOf(query)
        const all = await webhooks.list(principal.view)
        const from = (page.page - 1) * page.pageSize
        return paginated(all.slice(from, from + page.pageSize), all.length, page)
      },
      docs.listWebhooks(),
    )
    .get(
      "/external/webhooks/:webhook_id",
      ({ params, principal }) => webhooks.get(principal.view, params.webhook_id),
      docs.getWebhook(),
    )
    .patch(
      "/external/webhooks/:webhook_id",
      ({ params, body: { types, ...body }, principal }) =>
        webhooks.change(principal, params.webhook_id, changeOf(types, withoutNulls(body))),
      docs.changeWebhook(),
    )
    .delete(
      "/external/webhooks/:webhook_id",
      async ({ params, principal, set }) => {
        await webhooks.delete(principal.view, params.webhook_id)
        set.status = 204
      },
      docs.deleteWebhook(),
    )
    .post(
      "/external/webhooks/:webhook_id/test",
      ({ params, principal, context }) => webhooks.test(principal.view, params.webhook_id, context.keepOpen().signal),
      docs.testWebhook(),
    )
    .post(
      "/external/webhooks/:webhook_id/rotate",
      ({ params, body, principal }) =>
        webhooks.rotate(principal.view, params.webhook_id, body?.grace_seconds ?? docs.DEFAULT_GRACE_S),
      docs.rotateWebhook(),
    )
    .get(
      "/external/webhooks/:webhook_id/deliveries",
      async ({ params, query, principal }) => {
        const page = pageOf(query)
        const statuses = eachOf("status", listItems(query.status), docs.DELIVERY_STATUSES)
        const { data, total } = await webhooks.deliveries(principal.view, params.webhook_id, { ...page, statuses })
        return paginated(data, total, page)
      },
      docs.listDeliveries(),
    )
    .post(
      "/external/webhooks/:webhook_id/redeliver",
      async ({ params, body, principal, status }) =>
        status(202, { queued: await webhooks.redeliver(principal.view, params.webhook_id, againOf(body)) }),
      docs.redeliver(),
    )

/** `types: null` means all of them, and is no absence. */
const changeOf = (types: WebhookChange["types"] | undefined, rest: Omit<WebhookChange, "types">): WebhookChange => ({
  ...rest,
  ...(types === undefined ? {} : { types }),
})

/** @throws AppError invalid_request */
function againOf(body: typeof docs.RedeliverBody.static) {
  const { event_id: eventId, since } = withoutNulls(body)
  if ((eventId === undefined) === (since === undefined))
    throw invalid("event_id", "say either which event, or since when")
  return eventId === undefined ? { since: timeOf("since", since)! } : { eventId }
}
