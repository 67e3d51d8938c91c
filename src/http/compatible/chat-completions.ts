/** Answers to messages, as clients of OpenAI's chat completions ask for them. */
import { Elysia } from "elysia"
import { endUserOf } from "../../access/end-user.ts"
import type { Principal } from "../../access/principal.ts"
import type { AnswerEvent } from "../../chat/unstored.ts"
import { newId } from "../../id.ts"
import { caller, type RequestContext } from "../context.ts"
import { Linked } from "../linked.ts"
import type { Services } from "../services.ts"
import { streamOf } from "../sse.ts"
import * as docs from "./chat-completions.docs.ts"
import { begun, CHUNKS } from "./compatible-stream.ts"
import { chunksOf, completionOf } from "./completion-answer.ts"
import { type CompletionBody, questionOf } from "./completion-request.ts"
import { namedModel } from "./model-names.ts"

export const completionRoutes = (services: Services) =>
  new Elysia()
    .use(caller)
    .post(
      "/v1/chat/completions",
      ({ body, principal, context }) => complete(services, body, principal, context),
      docs.createCompletion(),
    )

async function complete(
  { chat, vectorStores, links }: Services,
  body: CompletionBody,
  principal: Principal,
  context: RequestContext,
) {
  const { view } = principal
  endUserOf(view, body.safety_identifier || body.user || undefined)
  const named = await namedModel(vectorStores, view, body.model)
  const question = questionOf(body, named)
  const { signal } = context.keepOpen()
  const { model, events } = await chat.answer({ view, requestId: context.requestId }, question, signal)
  const head = { id: newId("chatcmpl"), created: Math.floor(Date.now() / 1000), model: named.prefix + model }
  const shown = { linked: new Linked(links, principal) }
  if (!body.stream) return completionOf(events, head, shown)
  const answer = await begun(events, isBegun)
  return streamOf(() => chunksOf(answer, head, shown, body.stream_options?.include_usage ?? false), context, CHUNKS)
}

/** From here on a failure is none of the request any more. A model that is loaded first may take minutes. */
const isBegun = ({ event, data }: AnswerEvent): boolean =>
  event === "message_delta" ||
  event === "thinking_delta" ||
  event === "tool_call" ||
  event === "answered" ||
  (event === "status" && data.phase === "loading_model")
