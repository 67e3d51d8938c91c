/** API keys and console sessions (section 10 of the contract). A console session stands in for the credentials here. */
import { Elysia } from "elysia"
import type { ApiKeyRecord, ApiKeys } from "../../access/keys.ts"
import type { SessionPrincipal } from "../../access/sessions.ts"
import { AppError } from "../../errors.ts"
import { contextOf } from "../context.ts"
import { noteNamed, noteResource } from "../noting.ts"
import { spend } from "../rate-limit.ts"
import { pageOf, paginated, timeOf } from "../schemas.ts"
import type { Services } from "../services.ts"
import { clearSessionCookie, openSession, refuseForeignSites, sessionCaller } from "../session.ts"
import * as docs from "./keys.docs.ts"

/** Calls per address and minute of the routes that are open to anyone. */
const OPEN_CALLS_PER_MINUTE = 60

export const keysRoutes = (services: Services) =>
  new Elysia({ prefix: "/external/keys" }).use(openRoutes(services)).use(sessionRoutes(services))

/** For anyone, within a number of calls from an address. */
function openRoutes(services: Services) {
  const { apiKeys, users, sessions, signInBrake, rateLimiter, providerSignIn, version } = services
  const throttle = (request: Request, what: string) =>
    spend(rateLimiter, `${what}:${contextOf(request).address}`, OPEN_CALLS_PER_MINUTE)

  return new Elysia()
    .post(
      "/sessions",
      async ({ body, request, set }) => {
        refuseForeignSites(request, { proofNeeded: false })
        const { address } = contextOf(request)
        const email = body.email.trim().toLowerCase()
        noteNamed(contextOf(request), { email })
        const userId = await signInBrake.run(email, address, () => users.authenticate(email, body.password))
        if (!userId) throw new AppError("unauthorized", { message: "the e-mail address or the password is wrong" })
        return openSession(request, userId, sessions, set.headers)
      },
      docs.signIn(),
    )
    .get(
      "/status",
      async ({ request }) => {
        await throttle(request, "status")
        const provider = providerSignIn && { name: providerSignIn.name, only: providerSignIn.settings.only }
        return { configured: await users.isClaimed(), version, ...(provider ? { provider } : {}) }
      },
      docs.getStatus(),
    )
    .post(
      "/verify",
      async ({ body, request }) => {
        await throttle(request, "verify")
        const { client_id: clientId, private_key: privateKey, secret } = body
        return { valid: (await apiKeys.verify({ clientId, privateKey, secret })) !== null }
      },
      docs.verifyCredentials(),
    )
}

function sessionRoutes(services: Services) {
  const { apiKeys, sessions } = services
  return new Elysia()
    .use(sessionCaller(services))
    .delete(
      "/sessions",
      async ({ request, session, set }) => {
        noteResource(contextOf(request), session.sessionId)
        await sessions.revoke(session.sessionId, session.userId)
        set.headers["set-cookie"] = clearSessionCookie(request)
        set.status = 204
      },
      docs.signOut(),
    )
    .post(
      "",
      async ({ body, session, status }) =>
        status(201, await apiKeys.create(session.workspaceId, checkTimes(body), session.userId)),
      docs.createKey(),
    )
    .get(
      "",
      async ({ query, session }) => {
        const keys = (await keysOf(apiKeys, session)).reverse()
        const page = pageOf(query)
        const start = (page.page - 1) * page.pageSize
        return paginated(keys.slice(start, start + page.pageSize), keys.length, page)
      },
      docs.listKeys(),
    )
    .patch(
      "/:id",
      async ({ body, params, session }) => {
        const key = await ownKey(apiKeys, session, params.id)
        if (body.owner_id !== undefined && session.role !== "administrator")
          throw new AppError("forbidden", { message: "only administrators hand keys over" })
        return apiKeys.change(key.id, checkTimes(body))
      },
      docs.updateKey(),
    )
    .post(
      "/:id/rotate",
      async ({ body, params, session }) => {
        const key = await ownKey(apiKeys, session, params.id)
        return apiKeys.rotate(key.id, body?.grace_seconds ?? 0)
      },
      docs.rotateKey(),
    )
    .delete(
      "/:id",
      async ({ params, session, set }) => {
        const key = await ownKey(apiKeys, session, params.id)
        await apiKeys.revoke(key.id)
        set.status = 204
      },
      docs.revokeKey(),
    )
}

/** Members see and change the keys that they own; administrators all of the workspace. */
export const keysOf = (apiKeys: ApiKeys, { role, workspaceId, userId }: SessionPrincipal): Promise<ApiKeyRecord[]> =>
  apiKeys.list(workspaceId, role === "administrator" ? undefined : userId)

/** @throws AppError not_found for a key that the session does not see */
async function ownKey(apiKeys: ApiKeys, session: SessionPrincipal, keyId: string): Promise<ApiKeyRecord> {
  const found = (await keysOf(apiKeys, session)).find(key => key.id === keyId)
  if (!found) throw new AppError("not_found")
  return found
}

/** @throws AppError invalid_request for what is not a time */
function checkTimes<T extends { expires_at?: string | null }>(body: T): T {
  return typeof body.expires_at === "string"
    ? { ...body, expires_at: timeOf("expires_at", body.expires_at) ?? null }
    : body
}
