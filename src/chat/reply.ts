/**
 * One turn as a generator, up to the last delta: find passages, fit the prompt, ask the model, relay what it writes. It
 * yields events for the reader and facts for the record; it keeps nothing.
 */
import { CHAT_REQUEST, type ChatRequest, type Grounding } from "../backends/backend.ts"
import { withoutMarks } from "../grounding/citations.ts"
import { headOf, SOURCE } from "../grounding/passages.ts"
import { askFitted } from "../grounding/window.ts"
import { NOTHING } from "../guarded.ts"
import { PARTIAL_REDACTION } from "../redaction/redact.ts"
import type { ChatDependencies } from "./dependencies.ts"
import type { ChatEvent } from "./events.ts"
import type { Turn } from "./prepare.ts"
import type { Ended, Progress } from "./progress.ts"
import { type FittedPrompt, OWN_WORDS, type PastMessage } from "./prompt.ts"
import { Relay } from "./relay.ts"
import { type Retrieved, retrieve } from "./retrieval.ts"
import { searchQuery } from "./search-query.ts"
import { fitTurn, historyAsSeen, picturesFor, type WindowedPrompt, withImages } from "./turn-prompt.ts"

/** Said once a reply, whether message, passages or the reply itself gave rise to it. */
const PARTIAL: ChatEvent = { event: "warning", data: PARTIAL_REDACTION }

export async function* reply(
  turn: Turn,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Ended> {
  yield* opening(turn)
  const history = await historyAsSeen(turn)
  const topic = topicOf(turn)
  const startedAt = performance.now()
  const found = yield* findSources(turn, history, topic, dependencies, signal)
  yield { fact: { sources: found.sources, searchMs: performance.now() - startedAt } }
  const { guard, continued } = turn
  // Our own words around passages: a caller's pattern must not change the marks that citations need.
  guard.trust(...OWN_WORDS, ...found.sources.map(headOf))
  if (guard.redacts) yield { event: "redaction", data: { ner_count: guard.count, kinds: guard.kinds } }
  const partialPrompt = guard.partial
  if (partialPrompt) yield PARTIAL
  if (continued) {
    yield { fact: { content: NOTHING } } // told again from its beginning
    yield { event: "message_delta", data: { text: continued.written } }
  }
  const ended = yield* answer(turn, history, found, topic.topic, dependencies, signal)
  if (guard.partial && !partialPrompt) yield PARTIAL
  return ended
}

function* opening({ conversation, created, replyId, userMessage, model }: Turn): Generator<ChatEvent> {
  const asked = { conversation_id: conversation.id, model: model.info.value }
  if (created) {
    const additional_metadata = JSON.parse(conversation.additional_metadata)
    yield {
      event: "conversation_created",
      data: { ...asked, created_at: conversation.created_at, additional_metadata },
    }
  }
  yield { event: "message_started", data: { message_id: replyId, ...asked, user_message_id: userMessage.id } }
}

/** What the message is searched with, and what it is about where that was said before. */
function topicOf({ userMessage, history }: Turn) {
  const earlier = history.filter(message => message.role === "user").map(message => message.content)
  return searchQuery(userMessage.content, earlier)
}

async function* findSources(
  turn: Turn,
  history: readonly PastMessage[],
  { query, topic }: { query: string; topic: string },
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, Retrieved> {
  const { continued, settings, workspaceId, scope, guard, model, userMessage } = turn
  // A reply that is written on keeps its passages, or its citations would change their meaning.
  if (continued) {
    const { sources } = await guard.pass({ sources: continued.sources }, { sources: SOURCE })
    return { sources, inVain: false }
  }
  if (!settings.use_library) return { sources: [], inVain: false }
  yield { event: "status", data: { phase: "retrieving" } }
  const rewritten = topic
    ? await dependencies.rewriter.rewrite(model, history, userMessage.content, guard, signal)
    : undefined
  return yield* retrieve(dependencies, { workspaceId, query: rewritten ?? query, scope, guard }, signal)
}

/** Asks the model with what fits into its window, and relays what it writes. */
async function* answer(
  turn: Turn,
  history: PastMessage[],
  found: Retrieved,
  topic: string,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Ended> {
  const { settings, model, guard } = turn
  const images = await picturesFor(turn, dependencies)
  const tellsSources = settings.use_library && !turn.continued
  let fitted = fitTurn(turn, history, found, images.length, dependencies)
  let given = found
  if (tellsSources) {
    given = { ...found, sources: fitted.sources }
    yield { fact: { sources: fitted.sources } }
    yield { event: "sources", data: { sources: fitted.sources } }
  }
  if (fitted.droppedMessages + fitted.droppedSources > 0) yield truncated(fitted)
  yield { fact: { contextTokens: fitted.contextTokens } }
  const about = { topic, ...(found.unavailable ? { unavailable: true as const } : {}) }
  const pieces = askFitted(model, dependencies.meter, async refit => {
    if (refit > 0) fitted = fitTurn(turn, history, given, images.length, dependencies)
    const request = requestOf(turn, { ...fitted, turns: withImages(fitted.turns, images) }, about, signal)
    return {
      request: await guard.pass(request, CHAT_REQUEST),
      promptTokens: images.length === 0 ? fitted.promptTokens : null,
    }
  })
  const ended = yield* new Relay(guard, settings.thinking).events(pieces)
  yield { fact: { contextTokens: fitted.contextTokens } }
  return ended
}

function truncated({ droppedMessages, droppedSources }: FittedPrompt): ChatEvent {
  const dropped = [
    droppedMessages > 0 ? `the oldest ${droppedMessages} messages` : "",
    droppedSources > 0 ? `${droppedSources} passages of the library` : "",
  ].filter(Boolean)
  return {
    event: "warning",
    data: {
      code: "context_truncated",
      message: `the model was not given ${dropped.join(" and ")}: they do not fit into its context window`,
    },
  }
}

function requestOf(
  { settings, model, continued, userMessage }: Turn,
  { turns, contextTokens, sources }: WindowedPrompt,
  about: Pick<Grounding, "topic" | "unavailable">,
  signal: AbortSignal,
): ChatRequest {
  const passages = sources.map(({ index, text, score }) => ({ index, text: withoutMarks(text), score }))
  const grounding: Grounding = { question: userMessage.content, ...about, passages }
  return {
    model: model.name,
    turns,
    options: settings.options,
    ...(contextTokens === null ? {} : { contextTokens }),
    thinking: settings.thinking,
    ...(settings.response_format ? { responseFormat: settings.response_format } : {}),
    ...(continued ? { continueLast: true } : {}),
    ...(settings.use_library ? { grounding } : {}),
    signal,
  }
}
