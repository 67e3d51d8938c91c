/** Answers as clients of OpenAI's responses ask for them: kept in conversations, or by nobody. */
import { Elysia } from "elysia"
import type { Principal } from "../../access/principal.ts"
import type { KeptAnswer } from "../../chat/kept-answer-store.ts"
import { withDetail } from "../../errors.ts"
import type { IdempotentRequest } from "../../storage/idempotency.ts"
import { caller, type RequestContext } from "../context.ts"
import { turnRepetition } from "../idempotency-key.ts"
import { Linked } from "../linked.ts"
import { noteResource } from "../noting.ts"
import { RECEIPT_ID } from "../receipt-id.ts"
import type { Services } from "../services.ts"
import { streamOf } from "../sse.ts"
import { begun } from "./compatible-stream.ts"
import { eventsOf, responseWire, type Told, toldKept, toldUnstored } from "./response-events.ts"
import {
  answeredState,
  headOf,
  newHead,
  type ResponseHead,
  responseOf,
  type Shown,
  stateOf,
} from "./response-object.ts"
import { type AskedResponse, askedResponse, type Echo } from "./response-request.ts"
import * as docs from "./responses.docs.ts"

export const responseRoutes = (services: Services) => {
  const { chat, links } = services
  const shownTo = (principal: Principal, request?: Request): Shown => ({
    linked: new Linked(links, principal),
    withResults: request !== undefined && includesResults(new URL(request.url).searchParams),
  })
  const asItIs = (answer: KeptAnswer, shown: Shown) => responseOf(headOf(answer), stateOf(answer), shown)
  return new Elysia()
    .use(caller)
    .post(
      "/v1/responses",
      ({ body, principal, context, request }) => {
        const repetition = body.store === false ? undefined : turnRepetition(request, principal, "response", body)
        return respond(services, body, principal, { context, repetition, signal: request.signal })
      },
      docs.createResponse(),
    )
    .get(
      "/v1/responses/:response_id",
      async ({ params: { response_id: id }, query, principal, request, context }) => {
        const { view } = principal
        const answer = await chat.kept(view, id)
        const shown = shownTo(principal, request)
        if (!query.stream) return asItIs(answer, shown)
        const events = await chat.keptEvents(view, id)
        const end = async () => stateOf(await chat.kept(view, id))
        const told = (signal: AbortSignal) => eventsOf(toldKept(events(signal), end), headOf(answer), shown)
        return streamOf(told, context, responseWire(query.starting_after))
      },
      docs.getResponse(),
    )
    .delete(
      "/v1/responses/:response_id",
      async ({ params: { response_id: id }, principal, set }) => {
        set.headers[RECEIPT_ID] = await chat.deleteKept(principal.view, id)
        return { id, object: "response" as const, deleted: true as const }
      },
      docs.deleteResponse(),
    )
    .post(
      "/v1/responses/:response_id/cancel",
      async ({ params, principal }) =>
        asItIs(await chat.cancelKept(principal.view, params.response_id), shownTo(principal)),
      docs.cancelResponse(),
    )
}

const RESULTS = "file_search_call.results"

/** Clients write a list with and without brackets. */
const includesResults = (query: URLSearchParams): boolean =>
  [...query].some(([name, value]) => /^include(?:\[\d*\])?$/.test(name) && value === RESULTS)

interface Call {
  context: RequestContext
  repetition: IdempotentRequest | undefined
  /** Of the client. */
  signal: AbortSignal
}

async function respond(services: Services, body: docs.ResponseBody, principal: Principal, call: Call) {
  const asked = await askedResponse(services.vectorStores, principal.view, body)
  const withResults = body.include?.includes(RESULTS) ?? false
  const shown = { linked: new Linked(services.links, principal), withResults }
  const asking: Asking = { body, principal, ...call, asked, shown }
  return body.store === false ? unkept(services, asking) : keep(services, asking)
}

interface Asking extends Call {
  body: docs.ResponseBody
  principal: Principal
  asked: AskedResponse
  shown: Shown
}

async function keep(
  { chat }: Services,
  { body, principal: { view }, context, repetition, signal, asked, shown }: Asking,
) {
  const { question } = asked
  const asker = { view, requestId: context.requestId, repetition, signal }
  const { answer, reply } = await chat.keep(asker, question, body.previous_response_id ?? undefined)
  noteResource(context, answer.id)
  const head = headOf(answer)
  const asItIs = async () => stateOf(await chat.kept(view, answer.id))
  if (body.stream) {
    const events = reply.follow(0, context.keepOpen().signal)
    return stream(toldKept(events, asItIs), head, shown, context)
  }
  if (body.background) return responseOf(head, stateOf(answer), shown)
  context.keepOpen()
  const failure = await reply.outcome()
  if (failure) throw withDetail(failure, { response_id: answer.id })
  return responseOf(head, await asItIs(), shown)
}

async function unkept({ chat }: Services, { body, principal: { view }, context, asked, shown }: Asking) {
  const { question } = asked
  const previousId = body.previous_response_id ?? null
  const before = previousId === null ? [] : await chat.turnsUpTo(view, previousId)
  const { signal } = context.keepOpen()
  const asker = { view, requestId: context.requestId }
  const { model, message, echo, events } = await chat.answer(asker, { ...question, before }, signal)
  const queries = question.useLibrary && message ? [message] : []
  const head = newHead({ model, previousId, echo: echo as unknown as Echo, queries })
  if (body.stream) return stream(toldUnstored(events), head, shown, context)
  for await (const { event, data } of events)
    if (event === "answered") return responseOf(head, answeredState(data), shown)
  throw new Error("an answer ended without its last event")
}

/** What fails before anything of the answer is there is an error of the request. */
async function stream(told: AsyncGenerator<Told>, head: ResponseHead, shown: Shown, context: RequestContext) {
  const counted = await begun(told, () => true)
  return streamOf(() => eventsOf(counted, head, shown), context, responseWire())
}
