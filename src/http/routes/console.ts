/** What the console needs beyond the contract: claiming the daemon, accepting invitations, the own account. */
import { Elysia } from "elysia"
import type { SessionPrincipal } from "../../access/sessions.ts"
import { invalid } from "../../errors.ts"
import { contextOf } from "../context.ts"
import { noteResource } from "../noting.ts"
import { spend } from "../rate-limit.ts"
import type { Services } from "../services.ts"
import { openSession, refuseForeignSites, requireSession, sessionCaller } from "../session.ts"
import * as docs from "./console.docs.ts"
import { choiceRoutes } from "./console-choices.ts"

/** Tries per address and minute to use a setup or invitation link. */
const LINK_TRIES_PER_MINUTE = 30

/** Routes that a link opens: nobody is signed in yet. */
function linkRoutes(services: Services) {
  const { users, sessions, workspaces } = services
  const guard = guardOf(services)

  return new Elysia()
    .post(
      "/setup",
      async ({ body, request, set, status }) => {
        await guard(request)
        const user = await users.claim(body.token, body)
        noteResource(contextOf(request), user.id)
        return status(201, await openSession(request, user.id, sessions, set.headers))
      },
      docs.claimDaemon(),
    )
    .post(
      "/setup/check",
      async ({ body, request }) => {
        await guard(request)
        return { valid: await users.isSetupToken(body.token) }
      },
      docs.checkSetupToken(),
    )
    .post(
      "/invitations/check",
      async ({ body, request }) => {
        await guard(request)
        return workspaces.getInvitation(body.token)
      },
      docs.readInvitation(),
    )
    .post(
      "/invitations/accept",
      async ({ body, request, set, status }) => {
        await guard(request)
        const user = await workspaces.accept(body.token, body, users)
        return status(201, await openSession(request, user.id, sessions, set.headers))
      },
      docs.acceptInvitation(),
    )
}

/** Routes of the links that set a new password. */
function resetRoutes(services: Services) {
  const { resetLinks, sessions } = services
  const guard = guardOf(services)
  return new Elysia()
    .post(
      "/resets/check",
      async ({ body, request }) => {
        await guard(request)
        const { email, name } = await resetLinks.read(body.token)
        return { email, name }
      },
      docs.readResetLink(),
    )
    .post(
      "/resets/accept",
      async ({ body, request, set, status }) => {
        await guard(request)
        const userId = await resetLinks.use(body.token, body.password)
        noteResource(contextOf(request), userId)
        return status(201, await openSession(request, userId, sessions, set.headers))
      },
      docs.acceptResetLink(),
    )
}

const guardOf =
  ({ rateLimiter }: Services) =>
  async (request: Request): Promise<void> => {
    refuseForeignSites(request, { proofNeeded: false })
    await spend(rateLimiter, `link:${contextOf(request).address}`, LINK_TRIES_PER_MINUTE)
  }

/** What the console's first page shows beyond files and models. */
function overviewRoutes(services: Services) {
  const { apiKeys, traffic, embeddings, diskUse, webhooks } = services
  return new Elysia().use(sessionCaller(services)).get(
    "/overview",
    async ({ session }) => {
      const keys = await apiKeys.list(session.workspaceId)
      const hours = await traffic.lastHour(keys.map(({ id }) => id))
      const requests = keys.flatMap(({ id: key_id, name }) => {
        const per_minute = hours.get(key_id)
        return per_minute ? [{ key_id, name, per_minute }] : []
      })
      const { used_bytes, free_bytes } = await diskUse()
      const uptime_seconds = Math.round(process.uptime())
      return {
        uptime_seconds,
        embedding_model: embeddings.model,
        disk: { used_bytes, free_bytes },
        requests,
        disabled_webhooks: await webhooks.givenUp(session.workspaceId),
      }
    },
    docs.getOverview(),
  )
}

/** The own account. */
function accountRoutes(services: Services) {
  const { users, sessions, workspaces, signInBrake, version } = services

  async function describe(session: SessionPrincipal) {
    const own = await workspaces.of(session.userId)
    return {
      user: { id: session.userId, email: session.email, name: session.name, role: session.role },
      workspace: own.find(workspace => workspace.id === session.workspaceId) ?? { id: session.workspaceId, name: "" },
      workspaces: own,
      expires_at: session.expiresAt,
      version,
    }
  }

  return new Elysia()
    .use(sessionCaller(services))
    .get("/me", ({ session }) => describe(session), docs.getAccount())
    .patch(
      "/me",
      async ({ body, request, session }) => {
        noteResource(contextOf(request), session.userId)
        if (body.name !== undefined) await users.change(session.userId, { name: body.name })
        if (body.workspace_id !== undefined) await sessions.switchWorkspace(session, body.workspace_id)
        return describe(await requireSession(request, services))
      },
      docs.updateAccount(),
    )
    .post(
      "/me/password",
      async ({ body, request, session, set }) => {
        const { address } = contextOf(request)
        noteResource(contextOf(request), session.userId)
        const current = () => users.authenticate(session.email, body.current_password)
        if ((await signInBrake.run(session.email, address, current)) !== session.userId)
          throw invalid("current_password", "is wrong")
        await users.setPassword(session.userId, body.new_password, session.sessionId)
        set.status = 204
      },
      docs.changePassword(),
    )
    .get("/sessions", async ({ session }) => ({ data: await sessions.list(session) }), docs.listSessions())
    .delete(
      "/sessions/:id",
      async ({ params, session, set }) => {
        await sessions.revoke(params.id, session.userId)
        set.status = 204
      },
      docs.endSession(),
    )
}

export const consoleRoutes = (services: Services) =>
  new Elysia({ prefix: "/external/keys" })
    .use(linkRoutes(services))
    .use(resetRoutes(services))
    .use(accountRoutes(services))
    .use(overviewRoutes(services))
    .use(choiceRoutes(services))
