/** Conversations that are answered as JSON, when the reply is complete: start, send, continue. */
import { Elysia, t } from "elysia"
import { invalid } from "../../errors.ts"
import { MessageText, TurnAnswerSchema, turnFields, turnRequestOf } from "../chat-schemas.ts"
import { caller } from "../context.ts"
import { turnRepetition } from "../idempotency-key.ts"
import { IDEMPOTENCY_KEY, nullable, operation } from "../schemas.ts"
import type { Services } from "../services.ts"
import { askerOf, TURN_ERRORS } from "./conversations.ts"

const startBody = t.Object({
  message: t.Optional(nullable(MessageText)),
  initial_message: t.Optional(
    nullable(t.String({ minLength: 1, maxLength: 100_000, description: "Another name of message" })),
  ),
  ...turnFields,
})
const sendBody = t.Object({ conversation_id: t.String(), message: MessageText, ...turnFields })
const continueBody = t.Object({
  conversation_id: t.String(),
  message: t.Optional(nullable(MessageText)),
  ...turnFields,
  model: t.String({ minLength: 1, maxLength: 256 }),
})

const answered = (summary: string, description: string, example: unknown) =>
  operation({
    summary,
    description,
    tag: "Conversations (JSON)",
    headers: [IDEMPOTENCY_KEY],
    success: { description: "The messages that this call added or extended", schema: TurnAnswerSchema },
    errors: [...TURN_ERRORS],
    example,
  })

export const jsonConversationRoutes = ({ chat }: Services) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/start-conversation",
      async ({ body, principal, context, request }) => {
        const { initial_message, ...given } = body
        const message = given.message ?? initial_message
        if (!message) throw invalid("message", "must not be empty")
        context.keepOpen()
        const asker = askerOf(principal, context, turnRepetition(request, principal, "start-conversation", body))
        return chat.finished(await chat.create(asker, turnRequestOf({ ...given, message })), asker)
      },
      {
        scope: "chat",
        body: startBody,
        detail: answered("Start a conversation", "Waits for the reply.", {
          message: "What is the notice period of the lease?",
        }),
      },
    )
    .post(
      "/external/send",
      async ({ body, principal, context, request }) => {
        const { conversation_id, ...given } = body
        context.keepOpen()
        const asker = askerOf(principal, context, turnRepetition(request, principal, "send", body))
        return chat.finished(await chat.send(asker, conversation_id, turnRequestOf(given)), asker)
      },
      {
        scope: "chat",
        body: sendBody,
        detail: answered("Send a message", "Waits for the reply.", {
          conversation_id: "conv_01m7y48vkz3s85f1acdta2",
          message: "And for the garage?",
        }),
      },
    )
    .post(
      "/external/continue",
      async ({ body, principal, context, request }) => {
        const { conversation_id, ...given } = body
        context.keepOpen()
        const asker = askerOf(principal, context, turnRepetition(request, principal, "continue", body))
        const turn = { ...turnRequestOf(given), model: given.model }
        return chat.finished(await chat.continue(asker, conversation_id, turn), asker)
      },
      {
        scope: "chat",
        body: continueBody,
        detail: answered(
          "Continue with a model",
          "Sets the conversation's model. With `message`: answers it. Without: finishes the last reply in place if it was cut, answers an unanswered message, or does nothing.",
          { conversation_id: "conv_01m7y48vkz3s85f1acdta2", model: "ollama/qwen3:8b" },
        ),
      },
    )
