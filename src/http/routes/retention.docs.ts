/** What the routes of retention take and answer. */
import { t } from "elysia"
import { KINDS, MAX_DAYS, MAX_RULES } from "../../governance/retention/rules.ts"
import { FilterSchema } from "../filter-request.ts"
import { operation } from "../operation.ts"
import { closed, integer, nullable, oneOf, optional, Time } from "../schemas.ts"

const RULE = { kind: "conversations", after_days: 90 } as const

const rules = t.Array(
  closed({
    kind: oneOf(KINDS),
    after_days: integer({ minimum: 1, maximum: MAX_DAYS }),
    context_id: optional(t.String({ description: "Of files, conversations and runs: only those of this context" })),
    filter: optional(FilterSchema),
  }),
  { maxItems: MAX_RULES },
)

const Rule = t.Object(
  {
    kind: oneOf(KINDS),
    after_days: integer({ examples: [90] }),
    context_id: nullable(t.String(), { examples: [null] }),
    filter: nullable(FilterSchema, { examples: [null] }),
  },
  { title: "RetentionRule" },
)
const count = integer({ examples: [12] })
const Counts = t.Object(
  { conversations: count, runs: count, files: count, events: count, audit: count },
  { title: "RetentionCounts" },
)
const Retention = t.Object(
  {
    rules: t.Array(Rule),
    updated_at: nullable(Time),
    last_applied: nullable(t.Object({ started_at: Time, finished_at: Time, counts: Counts }), {
      description: "The last time that the rules were applied to the end, with what was deleted",
    }),
  },
  { title: "Retention" },
)

const WHEN = `What counts is the last activity: of conversations and files their \`updated_at\`, of runs \`finished_at\`, of events and of
rows of the audit when they came about.`

export const getRetention = operation({
  id: "getRetention",
  audit: "nothing",
  scope: "retention",
  summary: "Get the rules of retention",
  tag: "Governance",
  answers: { 200: { description: "The rules, and what they did last", schema: Retention } },
})

export const setRetention = operation({
  id: "setRetention",
  audit: { action: "retention.update", fields: true },
  scope: "retention",
  summary: "Say what is deleted by itself, and when",
  description: `The rules take the place of those that there were; \`[]\` deletes nothing. They are applied within the hour, and every
hour: what any of them finds due is deleted as by its owner, with receipts and events, but for what a hold keeps.
${WHEN} A rule for files takes a \`filter\`, one for files, conversations or runs a \`context_id\`. A file of a source
that was deleted so stays away until it changes there. For administrators, and keys that nothing narrows.`,
  tag: "Governance",
  body: closed({ rules }),
  example: { rules: [RULE] },
  answers: { 200: { description: "As they are kept", schema: Retention } },
  errors: ["invalid_filter"],
})

export const previewRetention = operation({
  id: "previewRetention",
  audit: "nothing",
  scope: "retention",
  summary: "Count what rules would delete now",
  description: `Without what is held. ${WHEN}`,
  tag: "Governance",
  body: optional(closed({ rules: optional(rules) })),
  example: { rules: [RULE] },
  answers: {
    200: {
      description: "How many of each kind",
      schema: t.Object({ counts: Counts }, { title: "RetentionPreview" }),
    },
  },
  errors: ["invalid_filter"],
})
