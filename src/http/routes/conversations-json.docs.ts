/** What the routes of conversations take and answer that wait for the reply. */
import { t } from "elysia"
import { TurnAnswerSchema } from "../conversation-record.ts"
import { operation } from "../operation.ts"
import { IDEMPOTENCY_KEY, optional } from "../schemas.ts"
import { MessageText, TURN_PICTURES, turnFields } from "../turn-request.ts"
import { TURN_ERRORS } from "./conversations.docs.ts"

const startBody = t.Object({
  message: optional(MessageText),
  initial_message: optional(t.String({ minLength: 1, maxLength: 100_000, description: "Another name of message" })),
  ...turnFields,
})
const sendBody = t.Object({ conversation_id: t.String(), message: MessageText, ...turnFields })
const continueBody = t.Object({
  conversation_id: t.String(),
  message: optional(MessageText),
  ...turnFields,
  model: t.String({ minLength: 1, maxLength: 256 }),
})

const TURN = {
  scope: "chat",
  tag: "Conversations (JSON)",
  headers: [IDEMPOTENCY_KEY],
  answers: { 200: { description: "The messages that this call added or extended", schema: TurnAnswerSchema } },
  errors: TURN_ERRORS,
  pictures: TURN_PICTURES,
} as const

export const startConversation = operation({
  ...TURN,
  id: "startConversation",
  audit: { action: "conversation.create", id: "answer.conversation_id" },
  summary: "Start a conversation and wait for the reply",
  description: "Makes a conversation and answers its first message.",
  body: startBody,
  example: { message: "What is the notice period of the lease?" },
})

export const send = operation({
  ...TURN,
  id: "send",
  audit: { action: "conversation.send", id: "answer.conversation_id" },
  summary: "Send a message and wait for the reply",
  description: "What is not given is as in the message before.",
  body: sendBody,
  example: { conversation_id: "conv_01m7y48vkz3s85f1acdta2", message: "And for the garage?" },
})

export const continueConversation = operation({
  ...TURN,
  id: "continueConversation",
  audit: { action: "conversation.send", id: "answer.conversation_id" },
  summary: "Continue with a model",
  description:
    "Sets the conversation's model. With `message`: answers it. Without: finishes the last reply in place if it was cut, answers an unanswered message, or does nothing.",
  body: continueBody,
  example: { conversation_id: "conv_01m7y48vkz3s85f1acdta2", model: "ollama/qwen3:8b" },
})
