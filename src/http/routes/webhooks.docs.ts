/** What the routes of webhooks take and answer. */
import { t } from "elysia"
import { EVENT_TYPES } from "../../events/types.ts"
import { operation } from "../operation.ts"
import { closed, IDEMPOTENCY_KEY, integer, listOf, nullable, oneOf, optional, pageQuery, Time } from "../schemas.ts"

const WEBHOOK_ID = "whk_01m7y48vkz3s85f1acdta2"
const EVENT_ID = "evt_01m7y48vkz3s85f1acdta3"
const URL = "http://10.0.0.5:8080/carrel"
export const DELIVERY_STATUSES = ["pending", "succeeded", "failed"] as const
export const DEFAULT_GRACE_S = 86_400
const MAX_GRACE_S = 604_800

const SecretText = t.String({ examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] })
const fields = {
  id: t.String({ examples: [WEBHOOK_ID] }),
  url: t.String({ examples: [URL] }),
  types: nullable(t.Array(oneOf(EVENT_TYPES)), { description: "Null: all of them", examples: [["file.searchable"]] }),
  description: t.String({ examples: ["the intranet's index"] }),
  status: oneOf(["active", "disabled"]),
  disabled_reason: nullable(t.String(), { description: "Null while it is active", examples: [null] }),
  created_at: Time,
  updated_at: Time,
}
const Webhook = t.Object(fields, { title: "Webhook" })
const NewWebhook = t.Object({ ...fields, secret: SecretText }, { title: "NewWebhook" })

const Delivery = t.Object(
  {
    event_id: t.String({ examples: [EVENT_ID] }),
    type: t.String({ examples: ["file.searchable"] }),
    status: oneOf(DELIVERY_STATUSES, { description: "`pending`: it is sent again at `next_attempt_at`" }),
    attempts: integer({ examples: [1] }),
    status_code: nullable(integer({ examples: [204] }), {
      description: "Of the last answer; null where there was none",
    }),
    response: nullable(t.String({ examples: ["ok"] }), { description: "Its first bytes" }),
    error: nullable(t.String(), { description: "Why the receiver did not take it", examples: [null] }),
    duration_ms: nullable(integer({ examples: [12] })),
    first_attempt_at: Time,
    last_attempt_at: nullable(Time),
    next_attempt_at: nullable(Time, { examples: [null] }),
  },
  { title: "Delivery" },
)

const byId = t.Object({ webhook_id: t.String() })
const url = t.String({
  minLength: 1,
  maxLength: 2_000,
  description: "http or https, to an address that --webhook-allow admits",
})
const types = t.Array(oneOf(EVENT_TYPES), { minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true })
const description = t.String({ maxLength: 500 })

export const createWebhook = operation({
  id: "createWebhook",
  audit: { action: "webhook.create", id: "answer.id" },
  scope: "webhooks",
  summary: "Have events sent to a receiver",
  description: `Each event from now on is sent by POST as \`{type, timestamp, data}\`, signed as
[Standard Webhooks](https://www.standardwebhooks.com) says: \`webhook-id\` is the event's id and stays over retries,
\`webhook-timestamp\`, \`webhook-signature\`. A receiver answers with 2xx within 20 seconds; redirects are not followed, 410
disables the webhook. Otherwise the event is sent again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, each up to a
fifth later, or when \`Retry-After\` says; after the last of them the webhook is disabled. An event may come twice, and a
later one before an earlier one that is sent again. It hears of what its maker may see, and ends with the maker's
access.`,
  tag: "Events",
  headers: [IDEMPOTENCY_KEY],
  body: closed({
    url,
    types: optional(types),
    description: optional(description),
    secret: optional(t.String({ description: "`whsec_` and 24 to 64 bytes in base64; one is made where absent" })),
  }),
  example: { url: URL, types: ["file.searchable", "file.failed"] },
  answers: { 201: { description: "The webhook, with its secret, which is shown this once", schema: NewWebhook } },
  errors: ["not_found", "conflict"],
})

export const listWebhooks = operation({
  id: "listWebhooks",
  audit: "nothing",
  scope: "webhooks",
  summary: "List webhooks",
  tag: "Events",
  query: t.Object(pageQuery),
  answers: { 200: { description: "Oldest first", schema: listOf(Webhook, "WebhookList") } },
})

export const getWebhook = operation({
  id: "getWebhook",
  audit: "nothing",
  scope: "webhooks",
  summary: "Get a webhook",
  tag: "Events",
  params: byId,
  answers: { 200: { description: "The webhook", schema: Webhook } },
  errors: ["not_found"],
})

export const changeWebhook = operation({
  id: "changeWebhook",
  audit: { action: "webhook.update", id: "params.webhook_id", fields: true },
  scope: "webhooks",
  summary: "Change, disable or enable a webhook",
  description:
    "One that is enabled again goes on where it stopped, with the events that are still kept, and belongs to who enabled it.",
  tag: "Events",
  params: byId,
  body: closed({
    url: optional(url),
    types: optional(types),
    description: optional(description),
    status: optional(oneOf(["active", "disabled"])),
  }),
  example: { status: "active" },
  answers: { 200: { description: "The webhook", schema: Webhook } },
  errors: ["not_found"],
})

export const deleteWebhook = operation({
  id: "deleteWebhook",
  audit: { action: "webhook.delete", id: "params.webhook_id" },
  held: "not covered",
  scope: "webhooks",
  summary: "Delete a webhook",
  tag: "Events",
  params: byId,
  answers: { 204: { description: "Deleted" } },
  errors: ["not_found"],
})

export const testWebhook = operation({
  id: "testWebhook",
  audit: { action: "webhook.test", id: "params.webhook_id" },
  scope: "webhooks",
  summary: "Send a test message to a receiver",
  description:
    "At once and only once, of the type `webhook.test`, also where the webhook is disabled. It is in no list.",
  tag: "Events",
  params: byId,
  answers: { 200: { description: "What came of it", schema: Delivery } },
  errors: ["not_found"],
})

export const rotateWebhook = operation({
  id: "rotateWebhook",
  audit: { action: "webhook.rotate", id: "params.webhook_id" },
  scope: "webhooks",
  summary: "Give a webhook a new secret",
  tag: "Events",
  params: byId,
  body: optional(
    closed({
      grace_seconds: optional(
        integer({
          minimum: 0,
          maximum: MAX_GRACE_S,
          default: DEFAULT_GRACE_S,
          description: "The former secret signs too for so long",
        }),
      ),
    }),
  ),
  example: { grace_seconds: 3_600 },
  answers: {
    200: {
      description: "The new secret, which is shown this once",
      schema: t.Object({ secret: SecretText }, { title: "WebhookSecret" }),
    },
  },
  errors: ["not_found"],
})

export const listDeliveries = operation({
  id: "listDeliveries",
  audit: "nothing",
  scope: "webhooks",
  summary: "List what was sent to a receiver",
  description:
    "Newest event first: all that wait to be sent again, and the last 1 000 others; where hundreds are sent in a second, only some of those that succeeded.",
  tag: "Events",
  params: byId,
  query: t.Object({
    status: t.Optional(t.String({ description: "Only these, with commas between them" })),
    ...pageQuery,
  }),
  answers: { 200: { description: "The deliveries", schema: listOf(Delivery, "DeliveryList") } },
  errors: ["not_found"],
})

export const RedeliverBody = closed({
  event_id: optional(t.String()),
  since: optional(t.String({ description: "A time: all events from then on that it hears of" })),
})

export const redeliver = operation({
  id: "redeliver",
  audit: { action: "webhook.redeliver", id: "params.webhook_id" },
  scope: "webhooks",
  summary: "Send events to a receiver once more",
  description: "One, whatever its type, or all since a time; under the same `webhook-id`. At most 10 000 at a time.",
  tag: "Events",
  params: byId,
  body: RedeliverBody,
  example: { event_id: EVENT_ID },
  answers: {
    202: {
      description: "They are sent in the background",
      schema: t.Object({ queued: integer({ examples: [1] }) }, { title: "Redelivery" }),
    },
  },
  errors: ["not_found", "conflict"],
})
