/** Users, invitations and workspaces: what administrators do in the console. */
import { Elysia } from "elysia"
import { wholeOf } from "../../access/view.ts"
import { RECEIPT_ID } from "../receipt-id.ts"
import type { Services } from "../services.ts"
import { sessionCaller } from "../session.ts"
import * as docs from "./administration.docs.ts"

export const administrationRoutes = (services: Services) =>
  new Elysia({ prefix: "/external/keys" })
    .use(userRoutes(services))
    .use(invitationRoutes(services))
    .use(workspaceRoutes(services))

const userRoutes = (services: Services) => {
  const { users, resetLinks } = services
  return new Elysia()
    .use(sessionCaller(services))
    .get("/users", async () => ({ data: await users.list() }), docs.listUsers())
    .patch("/users/:id", ({ body, params }) => users.change(params.id, body), docs.updateUser())
    .delete(
      "/users/:id",
      async ({ params, query, set }) => {
        await users.remove(params.id, query.keys_to)
        set.status = 204
      },
      docs.deleteUser(),
    )
    .post(
      "/users/:id/reset-link",
      async ({ params, session, status }) => status(201, await resetLinks.create(params.id, session.userId)),
      docs.createResetLink(),
    )
}

const invitationRoutes = (services: Services) => {
  const { users, workspaces } = services
  return new Elysia()
    .use(sessionCaller(services))
    .get("/invitations", async () => ({ data: await workspaces.listInvitations() }), docs.listInvitations())
    .post(
      "/invitations",
      async ({ body, session, status }) => {
        users.checkPasswords() // nobody could accept it
        const { email, role = "member", workspace_id: workspaceId = session.workspaceId } = body
        return status(201, await workspaces.invite({ email, role, workspaceId }, session.userId))
      },
      docs.createInvitation(),
    )
    .delete(
      "/invitations/:id",
      async ({ params, set }) => {
        await workspaces.removeInvitation(params.id)
        set.status = 204
      },
      docs.deleteInvitation(),
    )
}

const workspaceRoutes = (services: Services) => {
  const { users, workspaces, workspaceRemoval } = services
  return new Elysia()
    .use(sessionCaller(services))
    .get("/workspaces", async () => ({ data: await workspaces.list() }), docs.listWorkspaces())
    .post(
      "/workspaces",
      async ({ body, session, status }) => status(201, await workspaces.create(body.name, session.userId)),
      docs.createWorkspace(),
    )
    .patch("/workspaces/:id", ({ body, params }) => workspaces.change(params.id, body), docs.updateWorkspace())
    .delete(
      "/workspaces/:id",
      async ({ params, session, set }) => {
        set.headers[RECEIPT_ID] = await workspaceRemoval.remove(wholeOf(session.workspaceId), params.id)
        set.status = 204
      },
      docs.deleteWorkspace(),
    )
    .put(
      "/workspaces/:id/members/:user_id",
      async ({ params }) => {
        await workspaces.addMember(params.id, (await users.get(params.user_id)).id)
        return workspaces.get(params.id)
      },
      docs.addWorkspaceMember(),
    )
    .delete(
      "/workspaces/:id/members/:user_id",
      async ({ params, set }) => {
        await workspaces.removeMember(params.id, params.user_id)
        set.status = 204
      },
      docs.removeWorkspaceMember(),
    )
}
