/** What the routes of API keys and console sessions take and answer. */
import { t } from "elysia"
import { SCOPES } from "../../access/principal.ts"
import { FilterSchema } from "../filter-request.ts"
import { operation } from "../operation.ts"
import { closed, integer, listOf, nullable, oneOf, pageQuery, Time } from "../schemas.ts"

const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60

const KEY = {
  id: "key_01m7y48vkz3s85f1acdta2",
  name: "intranet search",
  client_id: "cid_01m7y48vkz3s85f1acdta2",
  workspace: "default",
  owner: { id: "user_01m7y48vkz3s85f1acdta2", name: "Ada", email: "ada@example.org", active: true },
  scopes: ["search"],
  rate_limit_per_minute: 300,
  context_ids: ["project:42"],
  models: ["ollama/*"],
  filter: { type: "eq", key: "metadata.public", value: true },
  quota: { requests_per_day: 10_000 },
  expires_at: null,
  created_at: "2026-11-21T10:00:00.000Z",
  last_used_at: null,
  revoked_at: null,
}

const Quota = closed(
  {
    requests_per_day: t.Optional(integer({ minimum: 0 })),
    tokens_per_day: t.Optional(integer({ minimum: 0 })),
    bytes_stored: t.Optional(integer({ minimum: 0 })),
  },
  { description: "Requests and tokens of a day in UTC, and bytes that it holds; beyond it `quota_exceeded`" },
)

/** Null does not narrow, an empty list leaves nothing. */
const limits = {
  context_ids: nullable(t.Array(t.String()), {
    description: "Only files of these contexts exist for the key; uploads go there. Null: all",
  }),
  models: nullable(t.Array(t.String()), { description: "Values and globs, such as `ollama/*`; null: all" }),
  filter: nullable(FilterSchema, { description: "Only files that pass it exist for the key; null: all" }),
  quota: nullable(Quota),
}

const keyFields = {
  id: t.String(),
  name: t.String(),
  client_id: t.String(),
  workspace: t.String(),
  owner: nullable(
    t.Object(
      { id: t.String(), name: t.String(), email: t.String(), active: t.Boolean() },
      {
        description:
          "The user whose access the key is; it works while `active`, that is, the user is enabled and in the workspace. Null for keys of the command line.",
      },
    ),
  ),
  scopes: t.Array(oneOf(SCOPES)),
  rate_limit_per_minute: nullable(integer()),
  ...limits,
  expires_at: nullable(Time),
  created_at: Time,
  last_used_at: nullable(Time),
  revoked_at: nullable(Time),
}
const Key = t.Object(keyFields, { title: "Key", examples: [KEY] })
const NewKey = t.Object(
  {
    ...keyFields,
    private_key: t.String(),
    secret: t.String(),
    token: t.String({ description: "All three values in one: `Authorization: Bearer <token>`" }),
  },
  { title: "NewKey", examples: [{ ...KEY, private_key: "cpk_…", secret: "csk_…", token: "cid_….cpk_….csk_…" }] },
)

const settings = {
  name: t.String({ minLength: 1, maxLength: 128 }),
  scopes: t.Optional(t.Array(t.String(), { description: SCOPES.join(", "), minItems: 1 })),
  expires_at: t.Optional(nullable(t.String())),
  rate_limit_per_minute: t.Optional(nullable(integer({ minimum: 1, maximum: 1_000_000 }))),
  context_ids: t.Optional(limits.context_ids),
  models: t.Optional(limits.models),
  filter: t.Optional(limits.filter),
  quota: t.Optional(limits.quota),
}

export const Session = t.Object({ token: t.String({ examples: ["cst_…"] }), expires_at: Time }, { title: "Session" })
export const Validity = t.Object({ valid: t.Boolean({ examples: [true] }) }, { title: "Validity" })
const byId = t.Object({ id: t.String() })
const TAG = "Keys and sessions"

export const signIn = operation({
  id: "signIn",
  audit: { action: "session.open" },
  open: true,
  summary: "Sign in",
  description: "Also sets the console's cookie. After five failures each further try is slowed down.",
  tag: TAG,
  body: t.Object({ email: t.String(), password: t.String() }),
  example: { email: "ada@example.org", password: "correct horse battery" },
  answers: { 200: { description: "The session", schema: Session } },
  errors: ["unauthorized", "forbidden", "rate_limited"],
})

export const signOut = operation({
  id: "signOut",
  audit: { action: "session.end", id: "noted" },
  session: "member",
  summary: "Sign out",
  description: "Ends the session that asks and clears the cookie.",
  tag: TAG,
  answers: { 204: { description: "Done" } },
})

export const getStatus = operation({
  id: "getStatus",
  audit: "nothing",
  open: true,
  summary: "Has this daemon been set up?",
  description:
    "`configured` is true once there is an administrator. `provider` is by whom people sign in, where somebody is: without passwords where `only` is true.",
  tag: TAG,
  answers: {
    200: {
      description: "The answer",
      schema: t.Object(
        {
          configured: t.Boolean({ examples: [true] }),
          version: t.String({ examples: ["0.1.0"] }),
          provider: t.Optional(
            t.Object({ name: t.String({ examples: ["id.example.org"] }), only: t.Boolean({ examples: [false] }) }),
          ),
        },
        { title: "Status" },
      ),
    },
  },
  errors: ["rate_limited"],
})

export const verifyCredentials = operation({
  id: "verifyCredentials",
  audit: "nothing",
  open: true,
  summary: "Are these credentials valid?",
  description: "For tools that store credentials. Costs nothing of the key's rate limit; addresses are throttled.",
  tag: TAG,
  body: t.Object({ client_id: t.String(), private_key: t.String(), secret: t.String() }),
  example: { client_id: "cid_…", private_key: "cpk_…", secret: "csk_…" },
  answers: { 200: { description: "The answer", schema: Validity } },
  errors: ["rate_limited"],
})

export const createKey = operation({
  id: "createKey",
  audit: { action: "key.create", id: "answer.id" },
  session: "member",
  summary: "Generate an API key",
  description:
    "The only answer that holds `private_key`, `secret` and `token`. The key belongs to the session's workspace.",
  tag: TAG,
  body: closed(settings),
  example: { name: "intranet search", scopes: ["search"], rate_limit_per_minute: 300 },
  answers: { 201: { description: "The key", schema: NewKey } },
  errors: ["invalid_filter"],
})

export const listKeys = operation({
  id: "listKeys",
  audit: "nothing",
  session: "member",
  summary: "List API keys",
  description: "Newest first. Administrators see all keys of the workspace, members those that they own.",
  tag: TAG,
  query: t.Object(pageQuery),
  answers: { 200: { description: "A page of keys", schema: listOf(Key, "KeyList") } },
})

export const updateKey = operation({
  id: "updateKey",
  audit: { action: "key.update", id: "params.id", fields: true },
  session: "member",
  summary: "Change an API key, or hand it over to another user",
  description: "What is not given stays. Only administrators set `owner_id`. Unknown fields are refused.",
  tag: TAG,
  params: byId,
  body: closed({
    ...settings,
    name: t.Optional(settings.name),
    owner_id: t.Optional(
      nullable(t.String({ description: "A user of the workspace; null: nobody's. For administrators" })),
    ),
  }),
  example: { rate_limit_per_minute: 300 },
  answers: { 200: { description: "The key", schema: Key } },
  errors: ["not_found", "conflict", "invalid_filter"],
})

export const rotateKey = operation({
  id: "rotateKey",
  audit: { action: "key.rotate", id: "params.id" },
  session: "member",
  summary: "Replace private key and secret",
  description: "The old pair stays valid for `grace_seconds`, 0 by default.",
  tag: TAG,
  params: byId,
  body: t.Optional(closed({ grace_seconds: t.Optional(integer({ minimum: 0, maximum: MAX_GRACE_SECONDS })) })),
  example: { grace_seconds: 3600 },
  answers: { 200: { description: "The key with its new private key and secret", schema: NewKey } },
  errors: ["not_found", "conflict"],
})

export const revokeKey = operation({
  id: "revokeKey",
  audit: { action: "key.revoke", id: "params.id" },
  session: "member",
  summary: "Revoke an API key",
  description: "Effective at once. The key stays in the list with `revoked_at`.",
  tag: TAG,
  params: byId,
  answers: { 204: { description: "Done" } },
  errors: ["not_found"],
})
