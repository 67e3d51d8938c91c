/** What the routes of conversations take and answer. */
import { t } from "elysia"
import { MAX_SUMMARY } from "../../chat/history/summary.ts"
import { HISTORIES } from "../../chat/settings.ts"
import {
  ConversationEvent,
  ConversationSchema,
  ConversationSummarySchema,
  STREAM,
  TurnAnswerSchema,
} from "../conversation-record.ts"
import { operation } from "../operation.ts"
import { DELETED } from "../receipt-id.ts"
import {
  EndUser,
  IDEMPOTENCY_KEY,
  LAST_EVENT_ID,
  listOf,
  nullable,
  oneOf,
  pageQuery,
  StreamQuery,
  sharingQuery,
} from "../schemas.ts"
import { MessageText, TURN_PICTURES, turnFields } from "../turn-request.ts"

const turnBody = t.Object({ message: MessageText, ...turnFields })
const regenerateBody = t.Optional(t.Object({ message: t.Optional(MessageText), ...turnFields }))
const byId = t.Object({ conversation_id: t.String() })
const ofMessage = t.Object({ conversation_id: t.String(), message_id: t.String() })
const listQuery = t.Object({
  ...pageQuery,
  end_user: t.Optional(EndUser),
  ...sharingQuery,
  pinned: t.Optional(oneOf(["true", "false"], { description: "Only those that are pinned, or only the rest" })),
  folder: t.Optional(t.String({ minLength: 1, maxLength: 100, description: "Only those of this folder" })),
  q: t.Optional(t.String({ maxLength: 500, description: "Part of a title or of a message" })),
})
const changeBody = t.Object({
  pinned: t.Optional(t.Boolean({ description: "Is listed apart by `?pinned=`; its time does not change" })),
  folder: t.Optional(
    t.String({ maxLength: 100, description: "Name of the group to keep it in; an empty one takes it out" }),
  ),
  title: t.Optional(t.String({ minLength: 1, maxLength: 500 })),
  additional_metadata: t.Optional(t.Record(t.String(), t.Any())),
  history: t.Optional(
    oneOf(HISTORIES, {
      description: "What becomes of the oldest turns where the history is longer than the model's window",
    }),
  ),
  summary: t.Optional(
    nullable(t.Object({ text: t.String({ minLength: 1, maxLength: MAX_SUMMARY }) }), {
      description:
        "Put in place of the summary that the conversation has; the next answer is given it so. Null removes it: a new one is made of the messages when it is needed",
    }),
  ),
})

/** What can be wrong with a turn. */
export const TURN_ERRORS = [
  "not_found",
  "model_not_found",
  "conversation_busy",
  "on_hold",
  "conflict",
  "invalid_pattern",
  "invalid_filter",
  "model_error",
  "model_unavailable",
] as const

/** What the three routes share that answer by a stream, or by JSON where the client asks for it. */
const TURN = {
  scope: "chat",
  tag: "Conversations",
  headers: [IDEMPOTENCY_KEY],
  answers: {
    200: {
      description: "The reply: as events, or with `Accept: application/json` as one body",
      schema: TurnAnswerSchema,
      events: ConversationEvent,
    },
  },
  errors: TURN_ERRORS,
  pictures: TURN_PICTURES,
  example: { message: "What is the notice period of the lease?", model: "ollama/llama3.2:3b" },
} as const

const streamed = (description: string): string =>
  `${description}\n\n${STREAM}\n\nWith \`Accept: application/json\` the answer is one JSON body, sent when the reply is complete. A call that repeats an \`Idempotency-Key\` of the last 24 h follows the reply that the first one began.`

export const createConversation = operation({
  ...TURN,
  id: "createConversation",
  audit: { action: "conversation.create", id: "noted" },
  summary: "Start a conversation",
  description: streamed("Makes a conversation and streams the reply to its first message."),
  body: turnBody,
})

export const sendMessage = operation({
  ...TURN,
  id: "sendMessage",
  audit: { action: "conversation.send", id: "params.conversation_id" },
  summary: "Send a follow-up",
  description: streamed("What is not given is as in the message before."),
  params: byId,
  body: turnBody,
})

export const regenerateMessage = operation({
  ...TURN,
  id: "regenerateMessage",
  audit: { action: "conversation.send", id: "params.conversation_id" },
  held: "refused",
  summary: "Write a reply anew",
  description: streamed(
    "`message_id` names the reply, or the user's message that it answers; with `message` that one is changed first. What came after is removed.",
  ),
  params: ofMessage,
  body: regenerateBody,
})

export const listConversations = operation({
  id: "listConversations",
  audit: "nothing",
  scope: "chat",
  summary: "List conversations",
  description: "`q` looks in titles and messages, in any case.",
  tag: "Conversations",
  query: listQuery,
  answers: {
    200: {
      description: "One page, newest activity first, without messages",
      schema: listOf(ConversationSummarySchema, "ConversationList"),
    },
  },
})

export const getConversation = operation({
  id: "getConversation",
  audit: "nothing",
  scope: "chat",
  summary: "Get a conversation with its messages",
  description: "Messages oldest first. A reply that is being written has no `finish_reason` yet.",
  tag: "Conversations",
  params: byId,
  answers: { 200: { description: "The conversation", schema: ConversationSchema } },
  errors: ["not_found"],
})

export const updateConversation = operation({
  id: "updateConversation",
  audit: { action: "conversation.update", id: "params.conversation_id", fields: true },
  scope: "chat",
  summary: "Change title, metadata or what is remembered",
  description:
    "What is given replaces what was there; `additional_metadata` as a whole. A `summary` where the conversation has none is 400.",
  tag: "Conversations",
  params: byId,
  body: changeBody,
  example: { title: "Lease of the boathouse" },
  answers: { 200: { description: "The changed conversation", schema: ConversationSchema } },
  errors: ["not_found"],
})

export const listFolders = operation({
  id: "listConversationFolders",
  audit: "nothing",
  scope: "chat",
  summary: "List the folders of conversations",
  description: "Those that hold a conversation which the caller sees, in the order of their names; 500 at most.",
  tag: "Conversations",
  query: t.Object(sharingQuery),
  answers: {
    200: {
      description: "Their names",
      schema: t.Object({ data: t.Array(t.String(), { examples: [["Leases"]] }) }, { title: "ConversationFolders" }),
    },
  },
})

export const rateAnswer = operation({
  id: "rateAnswer",
  audit: { action: "conversation.feedback", id: "params.conversation_id" },
  scope: "chat",
  summary: "Say what an answer was worth",
  description:
    "In the place of what was said before; `rating` null takes it back. Kept with the answer, and gone with it. Who only reads the conversation cannot.",
  tag: "Conversations",
  params: ofMessage,
  body: t.Object({
    rating: nullable(oneOf(["up", "down"])),
    note: t.Optional(t.String({ maxLength: 2_000 })),
  }),
  example: { rating: "down", note: "It cites the draft of the lease." },
  answers: { 200: { description: "The conversation", schema: ConversationSchema } },
  errors: ["not_found"],
})

export const chooseVariant = operation({
  id: "chooseVariant",
  audit: { action: "conversation.update", id: "params.conversation_id" },
  scope: "chat",
  summary: "Put a former answer in the place of the last one",
  description:
    "For the last message of a conversation. The answer that stood there becomes a variant in its turn. How the former answer was made is not known any more: it has no record.",
  tag: "Conversations",
  params: t.Object({ conversation_id: t.String(), message_id: t.String(), variant_id: t.String() }),
  answers: { 200: { description: "The changed conversation", schema: ConversationSchema } },
  errors: ["not_found", "conversation_busy"],
})

export const deleteConversation = operation({
  id: "deleteConversation",
  audit: { action: "conversation.delete", id: "params.conversation_id" },
  held: "refused",
  scope: "chat",
  summary: "Delete a conversation",
  description: "A reply that is being written is stopped.",
  tag: "Conversations",
  params: byId,
  answers: { 204: DELETED },
  errors: ["not_found"],
})

export const getMessageImage = operation({
  id: "getMessageImage",
  audit: "nothing",
  scope: "chat",
  summary: "Get a picture of a message",
  description: "As it came. `place` counts from 0.",
  tag: "Conversations",
  params: t.Object({ conversation_id: t.String(), message_id: t.String(), place: t.String() }),
  answers: { 200: { description: "The picture", type: "*/*", example: "\u0089PNG…" } },
  errors: ["not_found"],
})

export const followConversation = operation({
  id: "followConversation",
  audit: "nothing",
  scope: "chat",
  summary: "Follow the newest reply",
  description: `Replays the events after \`Last-Event-ID\` (all without it) and goes on until the reply ends.\n\n${STREAM}`,
  tag: "Conversations",
  params: byId,
  query: StreamQuery,
  headers: [LAST_EVENT_ID],
  answers: { 200: { description: "The reply as events", events: ConversationEvent } },
  errors: ["not_found"],
})

export const cancelReply = operation({
  id: "cancelReply",
  audit: { action: "conversation.cancel", id: "params.conversation_id" },
  scope: "chat",
  summary: "Stop the reply that is being written",
  description: "What is written of it so far is stored with `finish_reason` `cancelled`. Of no effect where none is.",
  tag: "Conversations",
  params: byId,
  answers: { 202: { description: "The conversation", schema: ConversationSchema } },
  errors: ["not_found"],
})
