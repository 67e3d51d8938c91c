/** What the route of scoped tokens takes and answers. */
import { t } from "elysia"
import { DEFAULT_LIFETIME_S, MAX_LIFETIME_S } from "../../access/scoped-tokens.ts"
import { FilterSchema } from "../filter-request.ts"
import { operation } from "../operation.ts"
import { closed, integer, optional, Time } from "../schemas.ts"

const ScopedToken = t.Object(
  {
    token: t.String({ examples: ["cat_…"], description: "`Authorization: Bearer <token>`; shown this once" }),
    expires_at: Time,
  },
  { title: "ScopedToken" },
)

export const createToken = operation({
  id: "createToken",
  audit: { action: "token.create" },
  scope: "tokens",
  summary: "Make a token that narrows this key",
  description: `For one session of one user of an application: it sees and does no more than its key, and less where a field
says so. With \`principals\` (also none, \`[]\`) it sees files whose \`acl\` is null or names one of them; without, all that
its key sees. It ends with its key, is narrowed with it, and outlives its rotation. It makes no tokens.`,
  tag: "Keys and sessions",
  body: closed({
    expires_in: optional(
      integer({ minimum: 1, maximum: MAX_LIFETIME_S, default: DEFAULT_LIFETIME_S, description: "Seconds" }),
    ),
    end_user: optional(
      t.String({
        minLength: 1,
        maxLength: 128,
        description: "It sees and makes this one's conversations and runs only",
      }),
    ),
    principals: optional(t.Array(t.String(), { maxItems: 100 })),
    context_ids: optional(t.Array(t.String(), { description: "Only files of these contexts" })),
    filter: optional(FilterSchema),
    scopes: optional(t.Array(t.String(), { minItems: 1, description: "Those of the key unless told, but `tokens`" })),
  }),
  example: { expires_in: 3600, end_user: "42", principals: ["user:42", "group:hr"], scopes: ["search", "chat"] },
  answers: { 201: { description: "The token", schema: ScopedToken } },
  errors: ["invalid_filter"],
})
