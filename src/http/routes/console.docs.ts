/** What the console's own routes take and answer. */
import { t } from "elysia"
import { operation } from "../operation.ts"
import { integer, oneOf, Time } from "../schemas.ts"
import { Session, Validity } from "./keys.docs.ts"

const TAG = "Console"

export const Role = oneOf(["administrator", "member"])

const invitationFields = {
  id: t.String({ examples: ["inv_01m7y48vkz3s85f1acdta2"] }),
  email: t.String({ examples: ["grace@example.org"] }),
  role: Role,
  workspace: t.String({ examples: ["default"] }),
  created_at: Time,
  expires_at: Time,
}
export const Invitation = t.Object(invitationFields, { title: "Invitation" })
export const NewInvitation = t.Object(
  { ...invitationFields, token: t.String({ examples: ["inv_…"] }) },
  { title: "NewInvitation" },
)

const WorkspaceName = t.Object(
  { id: t.String({ examples: ["ws_01m7y48vkz3s85f1acdta2"] }), name: t.String({ examples: ["default"] }) },
  { title: "WorkspaceName" },
)
const Account = t.Object(
  {
    user: t.Object({
      id: t.String({ examples: ["user_01m7y48vkz3s85f1acdta2"] }),
      email: t.String({ examples: ["ada@example.org"] }),
      name: t.String({ examples: ["Ada"] }),
      role: Role,
    }),
    workspace: WorkspaceName,
    workspaces: t.Array(WorkspaceName),
    expires_at: Time,
    version: t.String({ examples: ["0.1.0"] }),
  },
  { title: "Account" },
)
const SessionRecord = t.Object(
  {
    id: t.String({ examples: ["ses_01m7y48vkz3s85f1acdta2"] }),
    user_agent: t.String({ examples: ["Mozilla/5.0"] }),
    address: t.String({ examples: ["192.0.2.7"] }),
    created_at: Time,
    last_used_at: Time,
    expires_at: Time,
    current: t.Boolean({ description: "The session that asks", examples: [true] }),
  },
  { title: "SessionRecord" },
)
const Overview = t.Object(
  {
    uptime_seconds: integer({ examples: [3600] }),
    embedding_model: t.String({ examples: ["builtin/multilingual"] }),
    disk: t.Object({
      used_bytes: integer({ examples: [48_211_300] }),
      free_bytes: integer({ examples: [91_000_000_000] }),
    }),
    requests: t.Array(
      t.Object({
        key_id: t.String({ examples: ["key_01m7y48vkz3s85f1acdta2"] }),
        name: t.String({ examples: ["intranet search"] }),
        per_minute: t.Array(integer({ examples: [7] })),
      }),
    ),
    disabled_webhooks: t.Array(
      t.Object({
        id: t.String({ examples: ["whk_01m7y48vkz3s85f1acdta2"] }),
        url: t.String({ examples: ["http://10.0.0.5:8080/carrel"] }),
        reason: t.String({ examples: ["the receiver answered 410: it wants no more events"] }),
      }),
      { description: "Those that were given up, not those that somebody disabled", examples: [[]] },
    ),
  },
  { title: "Overview" },
)

const password = t.String({ description: "8 to 1000 characters" })
const Token = t.Object({ token: t.String() })

export const claimDaemon = operation({
  id: "claimDaemon",
  audit: { action: "user.claim", id: "noted" },
  open: true,
  summary: "Claim a fresh daemon",
  description: "Makes the first administrator. The token comes from the log or from `carrel users setup-link`.",
  tag: TAG,
  body: t.Object({ token: t.String(), email: t.String(), password, name: t.Optional(t.String()) }),
  example: { token: "setup_…", email: "ada@example.org", password: "correct horse battery" },
  answers: { 201: { description: "The session", schema: Session } },
  errors: ["forbidden", "conflict", "rate_limited"],
})

export const checkSetupToken = operation({
  id: "checkSetupToken",
  audit: "nothing",
  open: true,
  summary: "Is this setup link still good?",
  description: "The link that is printed to the log of an unclaimed daemon.",
  tag: TAG,
  body: Token,
  example: { token: "setup_…" },
  answers: { 200: { description: "The answer", schema: Validity } },
  errors: ["forbidden", "rate_limited"],
})

export const readInvitation = operation({
  id: "readInvitation",
  audit: "nothing",
  open: true,
  summary: "Read an invitation by its token",
  description: "For the page that the link of an invitation opens.",
  tag: TAG,
  body: Token,
  example: { token: "inv_…" },
  answers: { 200: { description: "The invitation", schema: Invitation } },
  errors: ["forbidden", "rate_limited"],
})

export const acceptInvitation = operation({
  id: "acceptInvitation",
  audit: { action: "invitation.accept" },
  open: true,
  summary: "Accept an invitation",
  description: "Makes the user and signs in; the invitation is used up.",
  tag: TAG,
  body: t.Object({ token: t.String(), password, name: t.Optional(t.String()) }),
  example: { token: "inv_…", password: "correct horse battery", name: "Grace" },
  answers: { 201: { description: "The session", schema: Session } },
  errors: ["forbidden", "conflict", "rate_limited"],
})

export const readResetLink = operation({
  id: "readResetLink",
  audit: "nothing",
  open: true,
  summary: "Whose password does this link set?",
  description: "For the page that the link opens.",
  tag: TAG,
  body: Token,
  example: { token: "reset_…" },
  answers: {
    200: {
      description: "The user",
      schema: t.Object({ email: t.String({ examples: ["ada@example.org"] }), name: t.String({ examples: ["Ada"] }) }),
    },
  },
  errors: ["forbidden", "rate_limited"],
})

export const acceptResetLink = operation({
  id: "acceptResetLink",
  audit: { action: "user.password", id: "noted" },
  open: true,
  summary: "Set a new password by a link",
  description: "Ends all sessions of the user and signs in; the link is used up.",
  tag: TAG,
  body: t.Object({ token: t.String(), password }),
  example: { token: "reset_…", password: "correct horse battery" },
  answers: { 201: { description: "The session", schema: Session } },
  errors: ["forbidden", "rate_limited"],
})

export const getAccount = operation({
  id: "getAccount",
  audit: "nothing",
  session: "member",
  summary: "Who is signed in, and in which workspace",
  description: "Of the session that asks.",
  tag: TAG,
  answers: { 200: { description: "The account", schema: Account } },
})

export const updateAccount = operation({
  id: "updateAccount",
  audit: { action: "user.update", id: "noted", fields: true },
  session: "member",
  summary: "Change your name or switch the session's workspace",
  description: "`workspace_id` is one that the user is a member of.",
  tag: TAG,
  body: t.Object({ name: t.Optional(t.String()), workspace_id: t.Optional(t.String()) }),
  example: { name: "Ada" },
  answers: { 200: { description: "The account", schema: Account } },
  errors: ["not_found"],
})

export const changePassword = operation({
  id: "changePassword",
  audit: { action: "user.password", id: "noted" },
  session: "member",
  summary: "Change your password",
  description: "Ends all other sessions of the account. Wrong current passwords delay further tries, as sign-in does.",
  tag: TAG,
  body: t.Object({ current_password: t.String(), new_password: password }),
  example: { current_password: "correct horse battery", new_password: "staple battery horse" },
  answers: { 204: { description: "Done" } },
})

export const listSessions = operation({
  id: "listSessions",
  audit: "nothing",
  session: "member",
  summary: "List your sessions",
  description: "Where the user is signed in.",
  tag: TAG,
  answers: { 200: { description: "Last used first", schema: t.Object({ data: t.Array(SessionRecord) }) } },
})

export const endSession = operation({
  id: "endSession",
  audit: { action: "session.end", id: "params.id" },
  session: "member",
  summary: "End one of your sessions",
  description: "That browser is signed out at once.",
  tag: TAG,
  params: t.Object({ id: t.String() }),
  answers: { 204: { description: "Done" } },
  errors: ["not_found"],
})

export const getOverview = operation({
  id: "getOverview",
  audit: "nothing",
  session: "member",
  summary: "Disk, embedding model, requests of each key in the last hour, and webhooks that were given up",
  description: "`per_minute` has one count per minute, oldest first. Keys without requests are left out.",
  tag: TAG,
  answers: { 200: { description: "The figures", schema: Overview } },
})
