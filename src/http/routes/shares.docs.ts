/** What the routes of shares take and answer. */
import { t } from "elysia"
import { MAX_USERS } from "../../access/shares.ts"
import { operation } from "../operation.ts"
import { closed } from "../schemas.ts"

const USER_ID = "user_01m7y48vkz3s85f1acdta2"

const Shares = t.Object(
  {
    users: t.Union([t.Array(t.Object({ id: t.String(), name: t.String() })), t.Literal("workspace")], {
      examples: [[{ id: USER_ID, name: "Ada" }]],
    }),
  },
  { title: "Shares" },
)
const answers = { 200: { description: "Who reads it besides those who see it anyway", schema: Shares } }

const body = closed({
  users: t.Union([t.Array(t.String(), { maxItems: MAX_USERS }), t.Literal("workspace")], {
    description: "Ids of console users of the workspace, or all of them; nobody where empty",
  }),
})

const RULES = `They read it as it is and goes on: its messages or steps, its stream, how its answers were made. They do not write into it, stop it, change
or delete it, or share it on: 403 \`forbidden\`. Links of citations are made for who reads, and open what that one may see; the text of an answer is shown
as it is. Whom it is not shared with any more has lost it at once, and a stream that is open ends within a second. Its owner shares it, or
who sees the whole workspace; scoped tokens share nothing.`

const ofConversation = {
  scope: "chat",
  tag: "Conversations",
  params: t.Object({ conversation_id: t.String() }),
  answers,
  errors: ["not_found"],
} as const
const ofRun = {
  scope: "agents",
  tag: "Agents",
  params: t.Object({ run_id: t.String() }),
  answers,
  errors: ["not_found"],
} as const

export const getConversationShares = operation({
  ...ofConversation,
  id: "getConversationShares",
  audit: "nothing",
  summary: "Get whom a conversation is shared with",
})

export const shareConversation = operation({
  ...ofConversation,
  id: "shareConversation",
  audit: { action: "conversation.share", id: "params.conversation_id" },
  summary: "Share a conversation with console users, or end that",
  description: `In the place of whom it was shared with before. ${RULES}`,
  body,
  example: { users: [USER_ID] },
})

export const getRunShares = operation({
  ...ofRun,
  id: "getRunShares",
  audit: "nothing",
  summary: "Get whom a run is shared with",
})

export const shareRun = operation({
  ...ofRun,
  id: "shareRun",
  audit: { action: "run.share", id: "params.run_id" },
  summary: "Share a run with console users, or end that",
  description: `In the place of whom it was shared with before. ${RULES}`,
  body,
  example: { users: "workspace" },
})
