/** Users, invitations and workspaces: what administrators do in the console. */
import { Elysia, type TSchema, t } from "elysia"
import { closed, nullable, operation, Time } from "../schemas.ts"
import type { Services } from "../services.ts"
import { requireSession } from "../session.ts"
import { Invitation, Role } from "./console.ts"

const TAG = "Console"
const id = t.Object({ id: t.String() })
const data = <T extends TSchema>(item: T) => t.Object({ data: t.Array(item) })
const User = t.Object({
  id: t.String(),
  email: t.String(),
  name: t.String(),
  role: Role,
  workspaces: t.Array(t.String()),
  created_at: Time,
  last_signed_in_at: nullable(Time),
  disabled_at: nullable(Time),
})
const Workspace = t.Object({
  id: t.String(),
  name: t.String(),
  created_at: Time,
  enforce_redaction: t.Boolean(),
  member_ids: t.Array(t.String()),
})

export function administrationRoutes(services: Services) {
  const { users, workspaces } = services
  return new Elysia({ prefix: "/external/keys" })
    .derive(async ({ request }) => ({ session: await requireSession(request, services, "administrator") }))
    .get("/users", async () => ({ data: await users.list() }), {
      detail: operation({
        summary: "List users",
        tag: TAG,
        security: "session",
        success: { description: "All users", schema: data(User) },
      }),
    })
    .patch("/users/:id", ({ body, params }) => users.change(params.id, body), {
      params: id,
      body: closed({ name: t.Optional(t.String()), role: t.Optional(Role), disabled: t.Optional(t.Boolean()) }),
      detail: operation({
        summary: "Change a user's name or role, disable or enable the user",
        tag: TAG,
        security: "session",
        success: { description: "The user", schema: User },
        errors: ["invalid_request", "not_found", "conflict"],
        example: { role: "administrator" },
      }),
    })
    .delete(
      "/users/:id",
      async ({ params, query, set }) => {
        await users.remove(params.id, query.keys_to)
        set.status = 204
      },
      {
        params: id,
        query: t.Object({
          keys_to: t.Optional(
            t.String({ description: "User who takes over the keys of the workspaces that both are in" }),
          ),
        }),
        detail: operation({
          summary: "Remove a user",
          description: "Signs the user out and ends the user's API keys, but those that `keys_to` takes over.",
          tag: TAG,
          security: "session",
          success: { status: 204, description: "Done" },
          errors: ["invalid_request", "not_found", "conflict"],
        }),
      },
    )
    .get("/invitations", async () => ({ data: await workspaces.listInvitations() }), {
      detail: operation({
        summary: "List open invitations",
        tag: TAG,
        security: "session",
        success: { description: "Those that can still be accepted", schema: data(Invitation) },
      }),
    })
    .post(
      "/invitations",
      async ({ body, session, set }) => {
        const { email, role = "member", workspace_id: workspaceId = session.workspaceId } = body
        set.status = 201
        return workspaces.invite({ email, role, workspaceId }, session.userId)
      },
      {
        body: closed({ email: t.String(), role: t.Optional(Role), workspace_id: t.Optional(t.String()) }),
        detail: operation({
          summary: "Invite a person",
          description: "The answer holds the token of the link `{app_url}/invitation?token=…`; it is shown once.",
          tag: TAG,
          security: "session",
          success: {
            status: 201,
            description: "The invitation",
            schema: t.Composite([Invitation, t.Object({ token: t.String() })]),
          },
          errors: ["invalid_request", "not_found", "conflict"],
          example: { email: "grace@example.org", role: "member" },
        }),
      },
    )
    .delete(
      "/invitations/:id",
      async ({ params, set }) => {
        await workspaces.removeInvitation(params.id)
        set.status = 204
      },
      {
        params: id,
        detail: operation({
          summary: "Withdraw an invitation",
          tag: TAG,
          security: "session",
          success: { status: 204, description: "Done" },
          errors: ["not_found"],
        }),
      },
    )
    .get("/workspaces", async () => ({ data: await workspaces.list() }), {
      detail: operation({
        summary: "List workspaces",
        tag: TAG,
        security: "session",
        success: { description: "All workspaces", schema: data(Workspace) },
      }),
    })
    .post(
      "/workspaces",
      async ({ body, session, set }) => {
        set.status = 201
        return workspaces.create(body.name, session.userId)
      },
      {
        body: closed({ name: t.String() }),
        detail: operation({
          summary: "Make a workspace",
          description: "Whoever makes it is its first member.",
          tag: TAG,
          security: "session",
          success: { status: 201, description: "The workspace", schema: Workspace },
          errors: ["invalid_request", "conflict"],
          example: { name: "finance" },
        }),
      },
    )
    .patch("/workspaces/:id", ({ body, params }) => workspaces.change(params.id, body), {
      params: id,
      body: closed({
        name: t.Optional(t.String()),
        enforce_redaction: t.Optional(t.Boolean({ description: "Redact every conversation and run of the workspace" })),
      }),
      detail: operation({
        summary: "Rename a workspace, or have all of it redacted",
        tag: TAG,
        security: "session",
        success: { description: "The workspace", schema: Workspace },
        errors: ["invalid_request", "not_found", "conflict"],
        example: { enforce_redaction: true },
      }),
    })
    .put(
      "/workspaces/:id/members/:user_id",
      async ({ params }) => {
        await workspaces.addMember(params.id, (await users.get(params.user_id)).id)
        return workspaces.get(params.id)
      },
      {
        params: t.Object({ id: t.String(), user_id: t.String() }),
        detail: operation({
          summary: "Add a user to a workspace",
          tag: TAG,
          security: "session",
          success: { description: "The workspace", schema: Workspace },
          errors: ["not_found"],
        }),
      },
    )
    .delete(
      "/workspaces/:id/members/:user_id",
      async ({ params, set }) => {
        await workspaces.removeMember(params.id, params.user_id)
        set.status = 204
      },
      {
        params: t.Object({ id: t.String(), user_id: t.String() }),
        detail: operation({
          summary: "Remove a user from a workspace",
          tag: TAG,
          security: "session",
          success: { status: 204, description: "Done" },
          errors: ["not_found", "conflict"],
        }),
      },
    )
}
