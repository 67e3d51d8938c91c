/** What the console needs beyond the contract: claiming the daemon, accepting invitations, the own account. */
import { Elysia, t } from "elysia"
import { AppError, invalid } from "../../errors.ts"
import { contextOf } from "../context.ts"
import { secondsLeft } from "../rate-limit.ts"
import { integer, operation, Time } from "../schemas.ts"
import type { Services } from "../services.ts"
import { refuseForeignSites, requireSession, setSessionCookie } from "../session.ts"
import { choiceRoutes } from "./console-choices.ts"

/** Tries per address and minute to use a setup or invitation link. */
const LINK_TRIES_PER_MINUTE = 30
const TAG = "Console"

export const Role = t.Union([t.Literal("administrator"), t.Literal("member")])
export const Invitation = t.Object({
  id: t.String(),
  email: t.String(),
  role: Role,
  workspace: t.String(),
  created_at: Time,
  expires_at: Time,
})
const Me = t.Object({
  user: t.Object({ id: t.String(), email: t.String(), name: t.String(), role: Role }),
  workspace: t.Object({ id: t.String(), name: t.String() }),
  workspaces: t.Array(t.Object({ id: t.String(), name: t.String() })),
  expires_at: Time,
  version: t.String(),
})
const SessionRow = t.Object({
  id: t.String(),
  user_agent: t.String(),
  address: t.String(),
  created_at: Time,
  last_used_at: Time,
  expires_at: Time,
  current: t.Boolean(),
})
const Opened = t.Object({ token: t.String(), expires_at: Time })
const password = t.String({ description: "8 to 1000 characters" })
const id = t.Object({ id: t.String() })

/** Routes that a link opens: nobody is signed in yet. */
function linkRoutes({ users, sessions, workspaces, rateLimiter }: Services) {
  function guard(request: Request): void {
    refuseForeignSites(request, { proofNeeded: false })
    const { allowed, window } = rateLimiter.take(`link:${contextOf(request).address}`, LINK_TRIES_PER_MINUTE)
    if (!allowed) throw new AppError("rate_limited", { retryAfter: secondsLeft(window) })
  }

  async function open(request: Request, userId: string, headers: Record<string, string | number | undefined>) {
    const userAgent = request.headers.get("user-agent") ?? ""
    const session = await sessions.open(userId, { address: contextOf(request).address, userAgent })
    headers["set-cookie"] = setSessionCookie(request, session.token)
    return session
  }

  return new Elysia()
    .post(
      "/setup",
      async ({ body, request, set }) => {
        guard(request)
        const user = await users.claim(body.token, body)
        set.status = 201
        return open(request, user.id, set.headers as Record<string, string>)
      },
      {
        body: t.Object({ token: t.String(), email: t.String(), password, name: t.Optional(t.String()) }),
        detail: operation({
          summary: "Claim a fresh daemon",
          description: "Makes the first administrator. The token comes from the log or from `carrel users setup-link`.",
          tag: TAG,
          security: false,
          success: { status: 201, description: "The session", schema: Opened },
          errors: ["invalid_request", "forbidden", "conflict", "rate_limited"],
          example: { token: "setup_…", email: "ada@example.org", password: "correct horse battery" },
        }),
      },
    )
    .post(
      "/setup/check",
      async ({ body, request }) => {
        guard(request)
        return { valid: await users.isSetupToken(body.token) }
      },
      {
        body: t.Object({ token: t.String() }),
        detail: operation({
          summary: "Is this setup link still good?",
          tag: TAG,
          security: false,
          success: { description: "The answer", schema: t.Object({ valid: t.Boolean({ examples: [true] }) }) },
          errors: ["invalid_request", "rate_limited"],
          example: { token: "setup_…" },
        }),
      },
    )
    .post(
      "/invitations/check",
      async ({ body, request }) => {
        guard(request)
        return workspaces.getInvitation(body.token)
      },
      {
        body: t.Object({ token: t.String() }),
        detail: operation({
          summary: "Read an invitation by its token",
          tag: TAG,
          security: false,
          success: { description: "The invitation", schema: Invitation },
          errors: ["invalid_request", "forbidden", "rate_limited"],
          example: { token: "inv_…" },
        }),
      },
    )
    .post(
      "/invitations/accept",
      async ({ body, request, set }) => {
        guard(request)
        const user = await workspaces.accept(body.token, body, users)
        set.status = 201
        return open(request, user.id, set.headers as Record<string, string>)
      },
      {
        body: t.Object({ token: t.String(), password, name: t.Optional(t.String()) }),
        detail: operation({
          summary: "Accept an invitation",
          tag: TAG,
          security: false,
          success: { status: 201, description: "The session", schema: Opened },
          errors: ["invalid_request", "forbidden", "conflict", "rate_limited"],
          example: { token: "inv_…", password: "correct horse battery", name: "Grace" },
        }),
      },
    )
}

const Overview = t.Object({
  uptime_seconds: integer({ examples: [3600] }),
  embedding_model: t.String(),
  disk: t.Object({ used_bytes: integer(), free_bytes: integer() }),
  requests: t.Array(t.Object({ key_id: t.String(), name: t.String(), per_minute: t.Array(integer()) })),
})

const Uploads = t.Object({
  max_file_bytes: integer({ examples: [1_073_741_824] }),
  groups: t.Array(
    t.Object({ name: t.String({ examples: ["Slides"] }), types: t.Array(t.String({ examples: ["pptx"] })) }),
  ),
})

/** What the console's pages show beyond files and models. */
function overviewRoutes(services: Services) {
  const { apiKeys, traffic, embeddingModel, diskUse, maxFileBytes, typeGroups } = services
  return new Elysia()
    .derive(async ({ request }) => ({ session: await requireSession(request, services) }))
    .get(
      "/overview",
      async ({ session }) => {
        const requests = (await apiKeys.list(session.workspaceId)).flatMap(({ id: key_id, name }) => {
          const per_minute = traffic.lastHour(key_id)
          return per_minute ? [{ key_id, name, per_minute }] : []
        })
        const uptime_seconds = Math.round(process.uptime())
        return { uptime_seconds, embedding_model: embeddingModel, disk: await diskUse(), requests }
      },
      {
        detail: operation({
          summary: "Disk, embedding model, and requests of each key in the last hour",
          description: "`per_minute` has one count per minute, oldest first. Keys without requests are left out.",
          tag: TAG,
          security: "session",
          success: { description: "The figures", schema: Overview },
        }),
      },
    )
    .get("/uploads", () => ({ max_file_bytes: maxFileBytes, groups: typeGroups }), {
      detail: operation({
        summary: "What may be uploaded",
        description: "`types` are extensions of file names, in groups that people look for them in.",
        tag: TAG,
        security: "session",
        success: { description: "The largest file, and the types", schema: Uploads },
      }),
    })
}

/** The own account. */
function accountRoutes(services: Services) {
  const { users, sessions, workspaces, signInBrake, version } = services

  async function describe(session: Awaited<ReturnType<typeof requireSession>>) {
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
    .derive(async ({ request }) => ({ session: await requireSession(request, services) }))
    .get("/me", ({ session }) => describe(session), {
      detail: operation({
        summary: "Who is signed in, and in which workspace",
        tag: TAG,
        security: "session",
        success: { description: "The account", schema: Me },
      }),
    })
    .patch(
      "/me",
      async ({ body, request, session }) => {
        if (body.name !== undefined) await users.change(session.userId, { name: body.name })
        if (body.workspace_id !== undefined) await sessions.switchWorkspace(session, body.workspace_id)
        return describe(await requireSession(request, services))
      },
      {
        body: t.Object({ name: t.Optional(t.String()), workspace_id: t.Optional(t.String()) }),
        detail: operation({
          summary: "Change the own name or switch the workspace of the session",
          tag: TAG,
          security: "session",
          success: { description: "The account", schema: Me },
          errors: ["invalid_request", "not_found"],
          example: { name: "Ada" },
        }),
      },
    )
    .post(
      "/me/password",
      async ({ body, request, session, set }) => {
        const { address } = contextOf(request)
        const current = () => users.authenticate(session.email, body.current_password)
        if ((await signInBrake.run(session.email, address, current)) !== session.userId)
          throw invalid("current_password", "is not right")
        await users.setPassword(session.userId, body.new_password, session.sessionId)
        set.status = 204
      },
      {
        body: t.Object({ current_password: t.String(), new_password: password }),
        detail: operation({
          summary: "Change the own password",
          description:
            "Ends all other sessions of the account. Wrong current passwords delay further tries, as sign-in does.",
          tag: TAG,
          security: "session",
          success: { status: 204, description: "Done" },
          errors: ["invalid_request", "rate_limited"],
          example: { current_password: "correct horse battery", new_password: "staple battery horse" },
        }),
      },
    )
    .get("/sessions", async ({ session }) => ({ data: await sessions.list(session) }), {
      detail: operation({
        summary: "List the own sessions",
        tag: TAG,
        security: "session",
        success: { description: "Last used first", schema: t.Object({ data: t.Array(SessionRow) }) },
      }),
    })
    .delete(
      "/sessions/:id",
      async ({ params, session, set }) => {
        await sessions.revoke(params.id, session.userId)
        set.status = 204
      },
      {
        params: id,
        detail: operation({
          summary: "End one of the own sessions",
          tag: TAG,
          security: "session",
          success: { status: 204, description: "Done" },
          errors: ["not_found"],
        }),
      },
    )
}

export const consoleRoutes = (services: Services) =>
  new Elysia({ prefix: "/external/keys" })
    .use(linkRoutes(services))
    .use(accountRoutes(services))
    .use(overviewRoutes(services))
    .use(choiceRoutes(services))
