/** API keys and console sessions (section 10 of the contract). A console session stands in for the credentials here. */
import { Elysia, t } from "elysia"
import { AppError } from "../../errors.ts"
import type { ApiKeyRecord } from "../../keys/keys.ts"
import { SCOPES } from "../../keys/principal.ts"
import type { SessionPrincipal } from "../../keys/sessions.ts"
import { contextOf } from "../context.ts"
import { secondsLeft } from "../rate-limit.ts"
import { closed, integer, listOf, nullable, operation, pageOf, pageQuery, paginated, Time, timeOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import { clearSessionCookie, refuseForeignSites, requireSession, setSessionCookie } from "../session.ts"

/** Calls per address and minute of the routes that are open to anyone. */
const OPEN_CALLS_PER_MINUTE = 60
const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60
const TAG = "Keys and sessions"

const keyFields = {
  id: t.String({ examples: ["key_01m7y48vkz3s85f1acdta2"] }),
  name: t.String(),
  client_id: t.String({ examples: ["cid_…"] }),
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
  scopes: t.Array(t.String()),
  rate_limit_per_minute: nullable(integer()),
  expires_at: nullable(Time),
  created_at: Time,
  last_used_at: nullable(Time),
  revoked_at: nullable(Time),
}
const Key = t.Object(keyFields)
const NewKey = t.Object({ ...keyFields, private_key: t.String(), secret: t.String() })

const settings = {
  name: t.String({ minLength: 1, maxLength: 128 }),
  scopes: t.Optional(t.Array(t.String(), { description: SCOPES.join(", "), minItems: 1 })),
  expires_at: t.Optional(nullable(t.String())),
  rate_limit_per_minute: t.Optional(nullable(integer({ minimum: 1, maximum: 1_000_000 }))),
}

const Session = t.Object({ token: t.String({ examples: ["cst_…"] }), expires_at: Time })
const Status = t.Object({ configured: t.Boolean({ examples: [true] }), version: t.String({ examples: ["0.1.0"] }) })
const id = t.Object({ id: t.String() })

export function keysRoutes(services: Services) {
  const { apiKeys, users, sessions, signInBrake, rateLimiter, version } = services

  /** @throws AppError rate_limited */
  function throttle(request: Request, what: string): void {
    const { allowed, window } = rateLimiter.take(`${what}:${contextOf(request).address}`, OPEN_CALLS_PER_MINUTE)
    if (!allowed) throw new AppError("rate_limited", { retryAfter: secondsLeft(window) })
  }

  /** Members see and change the keys that they own; administrators all of the workspace. */
  async function ownKey(session: SessionPrincipal, keyId: string): Promise<ApiKeyRecord> {
    const found = (await keysOf(session)).find(key => key.id === keyId)
    if (!found) throw new AppError("not_found")
    return found
  }
  const keysOf = (session: SessionPrincipal) =>
    apiKeys.list(session.workspaceId, session.role === "administrator" ? undefined : session.userId)

  const openRoutes = new Elysia()
    .post(
      "/sessions",
      async ({ body, request, set }) => {
        refuseForeignSites(request, { proofNeeded: false })
        const { address } = contextOf(request)
        const email = body.email.trim().toLowerCase()
        const userId = await signInBrake.run(email, address, () => users.authenticate(email, body.password))
        if (!userId) throw new AppError("unauthorized", { message: "the e-mail address or the password is not right" })
        const session = await sessions.open(userId, { address, userAgent: request.headers.get("user-agent") ?? "" })
        set.headers["set-cookie"] = setSessionCookie(request, session.token)
        return session
      },
      {
        body: t.Object({ email: t.String(), password: t.String() }),
        detail: operation({
          summary: "Sign in",
          description: "Also sets the console's cookie. After five failures each further try is slowed down.",
          tag: TAG,
          security: false,
          success: { description: "The session", schema: Session },
          errors: ["invalid_request", "unauthorized", "rate_limited"],
          example: { email: "ada@example.org", password: "correct horse battery" },
        }),
      },
    )
    .get(
      "/status",
      async ({ request }) => {
        throttle(request, "status")
        return { configured: await users.isClaimed(), version }
      },
      {
        detail: operation({
          summary: "Has this daemon been set up?",
          tag: TAG,
          security: false,
          success: { description: "The answer", schema: Status },
          errors: ["rate_limited"],
        }),
      },
    )
    .post(
      "/verify",
      async ({ body, request }) => {
        throttle(request, "verify")
        const { client_id: clientId, private_key: privateKey, secret } = body
        return { valid: (await apiKeys.verify({ clientId, privateKey, secret })) !== null }
      },
      {
        body: t.Object({ client_id: t.String(), private_key: t.String(), secret: t.String() }),
        detail: operation({
          summary: "Are these credentials valid?",
          tag: TAG,
          security: false,
          success: { description: "The answer", schema: t.Object({ valid: t.Boolean({ examples: [true] }) }) },
          errors: ["invalid_request", "rate_limited"],
          example: { client_id: "cid_…", private_key: "cpk_…", secret: "csk_…" },
        }),
      },
    )

  const sessionRoutes = new Elysia()
    .derive(async ({ request }) => ({ session: await requireSession(request, services) }))
    .delete(
      "/sessions",
      async ({ request, session, set }) => {
        await sessions.revoke(session.sessionId, session.userId)
        set.headers["set-cookie"] = clearSessionCookie(request)
        set.status = 204
      },
      {
        detail: operation({
          summary: "Sign out",
          tag: TAG,
          security: "session",
          success: { status: 204, description: "Done" },
        }),
      },
    )
    .post(
      "",
      async ({ body, session, set }) => {
        set.status = 201
        return apiKeys.create(session.workspaceId, checkTimes(body), session.userId)
      },
      {
        body: closed(settings),
        detail: operation({
          summary: "Generate an API key",
          description:
            "The only answer that holds `private_key` and `secret`. The key belongs to the session's workspace.",
          tag: TAG,
          security: "session",
          success: { status: 201, description: "The key", schema: NewKey },
          errors: ["invalid_request"],
          example: { name: "intranet search", scopes: ["search"], rate_limit_per_minute: 300 },
        }),
      },
    )
    .get(
      "",
      async ({ query, session }) => {
        const keys = (await keysOf(session)).reverse()
        const page = pageOf(query)
        const start = (page.page - 1) * page.pageSize
        return paginated(keys.slice(start, start + page.pageSize), keys.length, page)
      },
      {
        query: t.Object(pageQuery),
        detail: operation({
          summary: "List API keys",
          description: "Newest first. Administrators see all keys of the workspace, members those that they own.",
          tag: TAG,
          security: "session",
          success: { description: "A page of keys", schema: listOf(Key) },
          errors: ["invalid_request"],
        }),
      },
    )
    .patch(
      "/:id",
      async ({ body, params, session }) => {
        const key = await ownKey(session, params.id)
        if (body.owner_id !== undefined && session.role !== "administrator")
          throw new AppError("forbidden", { message: "only administrators hand keys over" })
        return apiKeys.change(key.id, checkTimes(body))
      },
      {
        params: id,
        body: closed({
          ...settings,
          name: t.Optional(settings.name),
          owner_id: t.Optional(
            nullable(t.String({ description: "A user of the workspace; null: nobody's. For administrators" })),
          ),
        }),
        detail: operation({
          summary: "Change an API key, or hand it over to another user",
          tag: TAG,
          security: "session",
          success: { description: "The key", schema: Key },
          errors: ["invalid_request", "forbidden", "not_found"],
          example: { rate_limit_per_minute: 300 },
        }),
      },
    )
    .post(
      "/:id/rotate",
      async ({ body, params, session }) => {
        const key = await ownKey(session, params.id)
        return apiKeys.rotate(key.id, body?.grace_seconds ?? 0)
      },
      {
        params: id,
        body: t.Optional(closed({ grace_seconds: t.Optional(integer({ minimum: 0, maximum: MAX_GRACE_SECONDS })) })),
        detail: operation({
          summary: "Replace private key and secret",
          description: "The old pair stays valid for `grace_seconds`, 0 by default.",
          tag: TAG,
          security: "session",
          success: { description: "The key with its new private key and secret", schema: NewKey },
          errors: ["invalid_request", "not_found", "conflict"],
          example: { grace_seconds: 3600 },
        }),
      },
    )
    .delete(
      "/:id",
      async ({ params, session, set }) => {
        const key = await ownKey(session, params.id)
        await apiKeys.revoke(key.id)
        set.status = 204
      },
      {
        params: id,
        detail: operation({
          summary: "Revoke an API key",
          description: "Effective at once. The key stays in the list with `revoked_at`.",
          tag: TAG,
          security: "session",
          success: { status: 204, description: "Done" },
          errors: ["not_found"],
        }),
      },
    )

  return new Elysia({ prefix: "/external/keys" }).use(openRoutes).use(sessionRoutes)
}

/** @throws AppError invalid_request for a time that is none. */
function checkTimes<T extends { expires_at?: string | null }>(body: T): T {
  return typeof body.expires_at === "string"
    ? { ...body, expires_at: timeOf("expires_at", body.expires_at) ?? null }
    : body
}
