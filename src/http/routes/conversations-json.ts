/** Conversations that are answered as JSON, when the reply is complete: start, send, continue. */
import { Elysia } from "elysia"
import { invalid } from "../../errors.ts"
import { caller } from "../context.ts"
import { turnRepetition } from "../idempotency-key.ts"
import { Linked } from "../linked.ts"
import type { Services } from "../services.ts"
import { turnRequestOf } from "../turn-request.ts"
import { askerOf } from "./conversations.ts"
import * as docs from "./conversations-json.docs.ts"

export const jsonConversationRoutes = ({ chat, links }: Services) =>
  new Elysia()
    .use(caller)
    .post(
      "/external/start-conversation",
      async ({ body, principal, context, request }) => {
        const { initial_message, ...given } = body
        const message = given.message ?? initial_message
        if (!message) throw invalid("message", message === undefined ? "is missing" : "must not be empty")
        context.keepOpen()
        const asker = askerOf(
          principal,
          context,
          turnRepetition(request, principal, "start-conversation", body),
          request.signal,
        )
        return new Linked(links, principal).messages(
          await chat.finished(await chat.create(asker, turnRequestOf({ ...given, message })), asker),
        )
      },
      docs.startConversation(),
    )
    .post(
      "/external/send",
      async ({ body, principal, context, request }) => {
        const { conversation_id, ...given } = body
        context.keepOpen()
        const asker = askerOf(principal, context, turnRepetition(request, principal, "send", body), request.signal)
        return new Linked(links, principal).messages(
          await chat.finished(await chat.send(asker, conversation_id, turnRequestOf(given)), asker),
        )
      },
      docs.send(),
    )
    .post(
      "/external/continue",
      async ({ body, principal, context, request }) => {
        const { conversation_id, ...given } = body
        context.keepOpen()
        const asker = askerOf(principal, context, turnRepetition(request, principal, "continue", body), request.signal)
        const turn = { ...turnRequestOf(given), model: given.model }
        return new Linked(links, principal).messages(
          await chat.finished(await chat.continue(asker, conversation_id, turn), asker),
        )
      },
      docs.continueConversation(),
    )
