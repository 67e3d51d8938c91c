/** What the routes of holds take and answer. */
import { t } from "elysia"
import { FilterSchema } from "../filter-request.ts"
import { operation } from "../operation.ts"
import { closed, IDEMPOTENCY_KEY, integer, listOf, nullable, optional, pageQuery, Time } from "../schemas.ts"

const HOLD_ID = "hold_01m7y48vkz3s85f1acdta2"

const fields = {
  id: t.String({ examples: [HOLD_ID] }),
  name: t.String({ examples: ["Case 2026-14"] }),
  filter: nullable(FilterSchema, { examples: [{ type: "eq", key: "metadata.case", value: "2026-14" }] }),
  end_user: nullable(t.String(), { examples: [null] }),
  context_id: nullable(t.String(), { examples: [null] }),
  created_at: Time,
}
const Hold = t.Object(fields, { title: "Hold" })
const count = integer({ examples: [12] })
const CountedHold = t.Object(
  {
    ...fields,
    covered: t.Object(
      { files: count, conversations: count, runs: count },
      { description: "How many of each it covers now" },
    ),
  },
  { title: "CountedHold" },
)

const byId = t.Object({ hold_id: t.String() })

export const createHold = operation({
  id: "createHold",
  audit: { action: "hold.create", id: "answer.id" },
  scope: "retention",
  summary: "Keep files, conversations and runs from being deleted",
  description: `Whatever deletes is refused for what a hold covers: 409 \`on_hold\`, by whomever and on whichever way, retention
included. \`filter\` is about files, \`end_user\` about conversations and runs, \`context_id\` about both, and each that is given
narrows. With a filter and no end user it covers files alone, with an end user and no filter conversations and runs alone,
with nothing the whole workspace; the files that covered conversations were given, and that they and covered runs quote, are covered with them. A covered
file is not replaced, and no reply of a covered conversation is written anew. What was covered once stays so, whatever is
changed of it, until the hold is lifted. For administrators, and keys that nothing narrows.`,
  tag: "Governance",
  headers: [IDEMPOTENCY_KEY],
  body: closed({
    name: t.String({ minLength: 1, maxLength: 200 }),
    filter: optional(FilterSchema),
    end_user: optional(t.String({ minLength: 1, maxLength: 128 })),
    context_id: optional(t.String({ minLength: 1 })),
  }),
  example: { name: "Case 2026-14", filter: { type: "eq", key: "metadata.case", value: "2026-14" } },
  answers: { 201: { description: "The hold, and how much it covers", schema: CountedHold } },
  errors: ["not_found", "invalid_filter", "conflict"],
})

export const listHolds = operation({
  id: "listHolds",
  audit: "nothing",
  scope: "retention",
  summary: "List holds",
  tag: "Governance",
  query: t.Object(pageQuery),
  answers: { 200: { description: "Newest first", schema: listOf(Hold, "HoldList") } },
})

export const getHold = operation({
  id: "getHold",
  audit: "nothing",
  scope: "retention",
  summary: "Get a hold, with how much it covers",
  tag: "Governance",
  params: byId,
  answers: { 200: { description: "The hold", schema: CountedHold } },
  errors: ["not_found"],
})

export const liftHold = operation({
  id: "liftHold",
  audit: { action: "hold.lift", id: "params.hold_id" },
  scope: "retention",
  summary: "Lift a hold",
  description: "What no other hold covers may be deleted from then on.",
  tag: "Governance",
  params: byId,
  answers: { 204: { description: "Lifted" } },
  errors: ["not_found"],
})
