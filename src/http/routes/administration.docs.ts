/** What the routes of administrators take and answer. */
import { type TSchema, t } from "elysia"
import { operation } from "../operation.ts"
import { DELETED } from "../receipt-id.ts"
import { closed, nullable, Time } from "../schemas.ts"
import { Invitation, NewInvitation, Role } from "./console.docs.ts"

const TAG = "Console"
const byId = t.Object({ id: t.String() })
const data = <T extends TSchema>(item: T) => t.Object({ data: t.Array(item) })

const User = t.Object(
  {
    id: t.String({ examples: ["user_01m7y48vkz3s85f1acdta2"] }),
    email: t.String({ examples: ["ada@example.org"] }),
    name: t.String({ examples: ["Ada"] }),
    role: Role,
    workspaces: t.Array(t.String(), { description: "Names", examples: [["default"]] }),
    created_at: Time,
    last_signed_in_at: nullable(Time),
    disabled_at: nullable(Time, { examples: [null] }),
    groups: t.Array(t.String(), {
      description: "Names; `group:NAME` in the `acl` of a file stands for them",
      examples: [["hr"]],
    }),
    groups_from: nullable(t.String(), {
      description: "Issuer of the provider that names the groups at each sign-in; null: administrators name them",
      examples: [null],
    }),
  },
  { title: "User" },
)
const Workspace = t.Object(
  {
    id: t.String({ examples: ["ws_01m7y48vkz3s85f1acdta2"] }),
    name: t.String({ examples: ["finance"] }),
    created_at: Time,
    enforce_redaction: t.Boolean(),
    member_ids: t.Array(t.String({ examples: ["user_01m7y48vkz3s85f1acdta2"] })),
  },
  { title: "Workspace" },
)

export const listUsers = operation({
  id: "listUsers",
  audit: "nothing",
  session: "administrator",
  summary: "List users",
  description: "Of the whole installation, with the workspaces that each is in.",
  tag: TAG,
  answers: { 200: { description: "All users", schema: data(User) } },
})

export const updateUser = operation({
  id: "updateUser",
  audit: { action: "user.update", id: "params.id", fields: true },
  session: "administrator",
  summary: "Change a user's name, role or groups, disable or enable the user",
  description:
    "A disabled user cannot sign in and the user's keys are refused. The last administrator stays one. `groups` takes the place of the groups before: members see files whose `acl` is null or names `user:ID` or `group:NAME` of theirs, from the next request on; 409 where the sign-in provider names them. Unknown fields are refused.",
  tag: TAG,
  params: byId,
  body: closed({
    name: t.Optional(t.String()),
    role: t.Optional(Role),
    disabled: t.Optional(t.Boolean()),
    groups: t.Optional(
      t.Array(t.String(), { maxItems: 99, description: "Each 1 to 128 letters, digits or _ . @ + -" }),
    ),
  }),
  example: { role: "administrator" },
  answers: { 200: { description: "The user", schema: User } },
  errors: ["not_found", "conflict"],
})

export const deleteUser = operation({
  id: "deleteUser",
  audit: { action: "user.delete", id: "params.id" },
  held: "not covered",
  session: "administrator",
  summary: "Remove a user",
  description: "Signs the user out and ends the user's API keys, except those that `keys_to` takes over.",
  tag: TAG,
  params: byId,
  query: t.Object({
    keys_to: t.Optional(t.String({ description: "User who takes over the keys of the workspaces that both are in" })),
  }),
  answers: { 204: { description: "Done" } },
  errors: ["not_found", "conflict"],
})

const ResetLink = t.Object({ token: t.String({ examples: ["reset_…"] }), expires_at: Time }, { title: "ResetLink" })

export const createResetLink = operation({
  id: "createResetLink",
  audit: { action: "user.reset_link", id: "params.id" },
  session: "administrator",
  summary: "Make a link by which a user sets a new password",
  description:
    "The answer holds the token of the link `{app_url}/reset?token=…`; it is shown once, works once and for a day, and ends earlier ones. Until it is used the old password stays.",
  tag: TAG,
  params: byId,
  answers: { 201: { description: "The link", schema: ResetLink } },
  errors: ["not_found", "conflict"],
})

export const listInvitations = operation({
  id: "listInvitations",
  audit: "nothing",
  session: "administrator",
  summary: "List open invitations",
  description: "Without their tokens.",
  tag: TAG,
  answers: { 200: { description: "Those that can still be accepted", schema: data(Invitation) } },
})

export const createInvitation = operation({
  id: "createInvitation",
  audit: { action: "invitation.create", id: "answer.id" },
  session: "administrator",
  summary: "Invite a person",
  description: "The answer holds the token of the link `{app_url}/invitation?token=…`; it is shown once.",
  tag: TAG,
  body: closed({ email: t.String(), role: t.Optional(Role), workspace_id: t.Optional(t.String()) }),
  example: { email: "grace@example.org", role: "member" },
  answers: { 201: { description: "The invitation", schema: NewInvitation } },
  errors: ["not_found", "conflict"],
})

export const deleteInvitation = operation({
  id: "deleteInvitation",
  audit: { action: "invitation.delete", id: "params.id" },
  held: "not covered",
  session: "administrator",
  summary: "Withdraw an invitation",
  description: "Its link opens nothing any more.",
  tag: TAG,
  params: byId,
  answers: { 204: { description: "Done" } },
  errors: ["not_found"],
})

export const listWorkspaces = operation({
  id: "listWorkspaces",
  audit: "nothing",
  session: "administrator",
  summary: "List workspaces",
  description: "Of the whole installation, with their members.",
  tag: TAG,
  answers: { 200: { description: "All workspaces", schema: data(Workspace) } },
})

export const createWorkspace = operation({
  id: "createWorkspace",
  audit: { action: "workspace.create", id: "answer.id" },
  session: "administrator",
  summary: "Create a workspace",
  description: "Whoever creates it is its first member.",
  tag: TAG,
  body: closed({ name: t.String() }),
  example: { name: "finance" },
  answers: { 201: { description: "The workspace", schema: Workspace } },
  errors: ["conflict"],
})

export const updateWorkspace = operation({
  id: "updateWorkspace",
  audit: { action: "workspace.update", id: "params.id", fields: true },
  session: "administrator",
  summary: "Rename a workspace, or have all of it redacted",
  description: "Under `enforce_redaction` no request can turn redaction off. Unknown fields are refused.",
  tag: TAG,
  params: byId,
  body: closed({
    name: t.Optional(t.String()),
    enforce_redaction: t.Optional(t.Boolean({ description: "Redact every conversation and run of the workspace" })),
  }),
  example: { enforce_redaction: true },
  answers: { 200: { description: "The workspace", schema: Workspace } },
  errors: ["not_found", "conflict"],
})

export const deleteWorkspace = operation({
  id: "deleteWorkspace",
  audit: { action: "workspace.delete", id: "params.id" },
  held: "refused",
  session: "administrator",
  summary: "Delete a workspace with all that it has",
  description:
    "Files, conversations, runs, keys and the rest are gone for good; where the installation is encrypted, so is the key of the workspace, without which no copy of its bytes can be read. `X-Receipt-Id` names the receipt, which is in the workspace that the session is in. Refused for that one itself, while anything in it is held, and while somebody is in no other.",
  tag: TAG,
  params: byId,
  answers: { 204: DELETED },
  errors: ["not_found", "conflict"],
})

const membership = t.Object({ id: t.String(), user_id: t.String() })

export const addWorkspaceMember = operation({
  id: "addWorkspaceMember",
  audit: { action: "workspace.add_member", id: "params.id" },
  session: "administrator",
  summary: "Add a user to a workspace",
  description: "Of no effect for a member.",
  tag: TAG,
  params: membership,
  answers: { 200: { description: "The workspace", schema: Workspace } },
  errors: ["not_found"],
})

export const removeWorkspaceMember = operation({
  id: "removeWorkspaceMember",
  audit: { action: "workspace.remove_member", id: "params.id" },
  session: "administrator",
  summary: "Remove a user from a workspace",
  description: "The user's keys of that workspace are refused from then on.",
  tag: TAG,
  params: membership,
  answers: { 204: { description: "Done" } },
  errors: ["not_found", "conflict"],
})
