/** Redaction on its own: what a conversation would hide, asked for one text. */
import { Elysia, t } from "elysia"
import { auditRedaction, PARTIAL_REDACTION, parseRedaction } from "../../redaction/redact.ts"
import { caller } from "../context.ts"
import { operation } from "../operation.ts"
import { integer, oneOf } from "../schemas.ts"
import type { Services } from "../services.ts"

/** The `redaction` field of conversations, agents and this route; `parseRedaction` checks it in full. */
const RedactionField = t.Any({
  description:
    "`true`: everything; `false`: nothing; or an object: `enabled`, `categories` (personal, financial, credentials), " +
    "`kinds` (overrides categories), `exclude` (whole values that are left alone, any case), `custom_patterns` " +
    "(at most 50 of `{name, pattern, flags}` in RE2 syntax, 1 000 characters each, matches of at most 4 096 characters)",
  examples: [
    {
      enabled: true,
      categories: ["personal", "financial", "credentials"],
      exclude: ["Acme Corp"],
      custom_patterns: [{ name: "EMPLOYEE_ID", pattern: "EMP-\\d{6}", flags: "i" }],
    },
  ],
})

const EntitySchema = t.Object(
  {
    kind: t.String({ examples: ["EMAIL"] }),
    category: oneOf(["personal", "financial", "credentials", "custom"]),
    start: integer({ description: "UTF-16 offset into the given text", examples: [9] }),
    end: integer({ examples: [25] }),
    score: t.Number({ minimum: 0, maximum: 1, examples: [1] }),
  },
  { title: "Entity" },
)

const redactBody = t.Object({
  text: t.String({ examples: ["Write to anna@example.com"] }),
  redaction: t.Optional(RedactionField),
})

const Redacted = t.Object(
  {
    text: t.String({ examples: ["Write to [REDACTED_EMAIL]"] }),
    ner_count: integer({ examples: [1] }),
    entities: t.Array(EntitySchema),
    warnings: t.Array(
      t.Object({
        code: t.Literal(PARTIAL_REDACTION.code, {
          description: "the text contains a script in which names and addresses of people are not recognized",
        }),
        message: t.String(),
      }),
      { examples: [[]] },
    ),
  },
  { title: "RedactedText" },
)

const redact = operation({
  id: "redact",
  audit: "nothing",
  scope: "chat",
  summary: "Redact a text",
  description:
    "Replaces names, addresses, numbers of accounts, credentials and custom patterns by `[REDACTED_<KIND>]`.",
  tag: "Redaction",
  body: redactBody,
  example: { text: "Write to anna@example.com", redaction: { categories: ["personal"] } },
  answers: { 200: { description: "The text without the values, and where they were", schema: Redacted } },
  errors: ["invalid_pattern", "model_unavailable"],
})

export const redactRoutes = ({ redactor, redactionEnforced }: Services) =>
  new Elysia().use(caller).post(
    "/external/redact",
    async ({ body, principal, request }) => {
      // Asking this route is asking for redaction: without the field, all of it.
      const policy = parseRedaction(body.redaction ?? true, await redactionEnforced(principal.workspaceId))
      if (!policy) return { text: body.text, ner_count: 0, entities: [], warnings: [] }
      const { text, entities, partial } = await redactor.redact(body.text, policy, request.signal)
      auditRedaction({ workspace_id: principal.workspaceId, of: "redact" }, entities)
      return { text, ner_count: entities.length, entities, warnings: partial ? [PARTIAL_REDACTION] : [] }
    },
    redact(),
  )
