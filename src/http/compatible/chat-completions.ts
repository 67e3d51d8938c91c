/** Answers to messages, as clients of OpenAI's chat completions ask for them. */
import { Elysia } from "elysia"
import type { Principal } from "../../access/principal.ts"
import type { Question } from "../../chat/question.ts"
import type { Asker } from "../../chat/turn.ts"
import type { AnswerEvent, UnstoredAnswer } from "../../chat/unstored.ts"
import { newId } from "../../id.ts"
import type { IdempotentRequest } from "../../storage/idempotency.ts"
import { caller, type RequestContext } from "../context.ts"
import { turnRepetition } from "../idempotency-key.ts"
import { Linked } from "../linked.ts"
import { noteResource } from "../noting.ts"
import { askerOf } from "../routes/conversations.ts"
import type { Services } from "../services.ts"
import { streamOf } from "../sse.ts"
import * as docs from "./chat-completions.docs.ts"
import { begun, CHUNKS } from "./compatible-stream.ts"
import { chunksOf, completionOf } from "./completion-answer.ts"
import { type CompletionBody, questionOf } from "./completion-request.ts"
import { endUserIn } from "./end-user.ts"
import { keptEvents } from "./kept-completion.ts"
import { namedModel } from "./model-names.ts"

export const completionRoutes = (services: Services) =>
  new Elysia().use(caller).post(
    "/v1/chat/completions",
    ({ body, principal, context, request }) => {
      const repetition = body.store ? turnRepetition(request, principal, "completion", body) : undefined
      return complete(services, body, principal, { context, repetition })
    },
    docs.createCompletion(),
  )

interface Call {
  context: RequestContext
  repetition: IdempotentRequest | undefined
}

async function complete(services: Services, body: CompletionBody, principal: Principal, { context, repetition }: Call) {
  const { vectorStores, links } = services
  const named = await namedModel(vectorStores, principal.view, body.model)
  const question = questionOf(body, named)
  const { signal } = context.keepOpen()
  const asker = askerOf(principal, context, repetition, signal)
  const { model, events, conversationId } = body.store
    ? await keep(services, asker, { question, body }, signal)
    : await unkept(services, asker, { question, body }, signal)
  if (conversationId) noteResource(context, conversationId)
  const head = { id: newId("chatcmpl"), created: Math.floor(Date.now() / 1000), model: named.prefix + model }
  const shown = { linked: new Linked(links, principal), conversationId }
  if (!body.stream) return completionOf(events, head, shown)
  const answer = await begun(events, isBegun)
  return streamOf(() => chunksOf(answer, head, shown, body.stream_options?.include_usage ?? false), context, CHUNKS)
}

interface Asked {
  question: Question
  body: CompletionBody
}

interface Answered extends Pick<UnstoredAnswer, "model" | "events"> {
  conversationId?: string
}

async function unkept(
  { chat }: Services,
  asker: Asker,
  { question, body }: Asked,
  signal: AbortSignal,
): Promise<Answered> {
  endUserIn(asker.view, body)
  return chat.answer(asker, question, signal)
}

async function keep(
  { chat }: Services,
  asker: Asker,
  { question, body }: Asked,
  signal: AbortSignal,
): Promise<Answered> {
  const metadata = body.metadata ?? {}
  const { answer, reply } = await chat.keep(
    asker,
    { ...question, endUser: endUserIn(asker.view, body), metadata, echo: {} },
    undefined,
  )
  const events = keptEvents({ answer, reply }, () => chat.kept(asker.view, answer.id), signal)
  return { model: answer.reply.model ?? body.model, events, conversationId: answer.conversationId }
}

/** From here on a failure is none of the request any more. A model that is loaded first may take minutes. */
const isBegun = ({ event, data }: AnswerEvent): boolean =>
  event === "message_delta" ||
  event === "thinking_delta" ||
  event === "caller_call" ||
  event === "answered" ||
  (event === "status" && data.phase === "loading_model")
