/**
 * An answer as a generator, up to the last delta: find passages, fit the prompt, ask the model, relay what it writes. It
 * yields events for the reader and facts for the record; it keeps nothing, and does not know whether anything is stored:
 * the turns of conversations (`reply.ts`) and answers that nobody keeps (`unstored.ts`) are made here alike.
 */
import { CHAT_REQUEST, type ChatImage, type ChatRequest, type ChatTurn, type Grounding } from "../backends/backend.ts"
import { withoutMarks } from "../grounding/citations.ts"
import { headOf, SOURCE } from "../grounding/passages.ts"
import { askFitted } from "../grounding/window.ts"
import { NOTHING } from "../guarded.ts"
import { PARTIAL_REDACTION } from "../redaction/redact.ts"
import { type Windowed, windowed } from "./answer-window.ts"
import type { Asked } from "./asked.ts"
import type { ChatDependencies } from "./dependencies.ts"
import type { ChatEvent } from "./events.ts"
import type { Ended, Progress } from "./progress.ts"
import { type FittedPrompt, OWN_WORDS } from "./prompt.ts"
import { Relay } from "./relay.ts"
import { type Retrieved, retrieve } from "./retrieval.ts"
import { searchQuery } from "./search-query.ts"

/** Characters of a message that is answered by sentences that speak about it: longer ones quote whole documents. */
const MAX_QUESTION = 100_000

/** Said once a reply, whether message, passages or the reply itself gave rise to it. */
const PARTIAL: ChatEvent = { event: "warning", data: PARTIAL_REDACTION }

export async function* answer(
  asked: Asked,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Ended> {
  const topic = topicOf(asked)
  const startedAt = performance.now()
  const found = yield* findSources(asked, topic, dependencies, signal)
  yield { fact: { sources: found.sources, searchMs: performance.now() - startedAt } }
  const { guard, continued } = asked
  // Our own words around passages: a caller's pattern must not change the marks that citations need.
  guard.trust(...OWN_WORDS, ...found.sources.map(headOf))
  if (guard.redacts) yield { event: "redaction", data: { ner_count: guard.count, kinds: guard.kinds } }
  const partialPrompt = guard.partial
  if (partialPrompt) yield PARTIAL
  if (continued) {
    yield { fact: { content: NOTHING } } // told again from its beginning
    yield { event: "message_delta", data: { text: continued.written } }
  }
  const ended = yield* write(asked, found, topic.topic, dependencies, signal)
  if (guard.partial && !partialPrompt) yield PARTIAL
  return ended
}

/** What the message is searched with, and what it is about where that was said before. */
function topicOf({ message, history, settings }: Asked) {
  if (!settings.use_library) return { query: "", topic: "" }
  const earlier = history.filter(turn => turn.role === "user").map(turn => turn.content)
  return searchQuery(message ?? "", earlier)
}

async function* findSources(
  { continued, settings, view, scope, guard, model, history, message, passages }: Asked,
  { query, topic }: { query: string; topic: string },
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, Retrieved> {
  // A reply that is written on keeps its passages, or its citations would change their meaning.
  if (continued) {
    const { sources } = await guard.pass({ sources: continued.sources }, { sources: SOURCE })
    return { sources, inVain: false }
  }
  if (!settings.use_library) return { sources: [], inVain: false }
  yield { event: "status", data: { phase: "retrieving" } }
  const rewritten = topic
    ? await dependencies.rewriter.rewrite(model, history, message ?? "", guard, signal)
    : undefined
  return yield* retrieve(dependencies, { view, query: rewritten ?? query, scope, guard, passages }, signal)
}

/** Asks the model with what fits into its window, and relays what it writes. */
async function* write(
  asked: Asked,
  found: Retrieved,
  topic: string,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Ended> {
  const { settings, model, guard, images, tools } = asked
  const tellsSources = settings.use_library && !asked.continued
  let fitted = windowed(asked, found, dependencies)
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
    if (refit > 0) fitted = windowed(asked, given, dependencies)
    const hasImages = images.length > 0 || asked.history.some(turn => turn.role === "user" && turn.images?.length)
    return {
      request: await guard.pass(requestOf(asked, fitted, about, signal), CHAT_REQUEST),
      promptTokens: hasImages ? null : fitted.promptTokens,
    }
  })
  const ended = yield* new Relay(guard, { thinking: settings.thinking, calls: tools !== null }).events(pieces)
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
  { settings, model, continued, message, images, tools }: Asked,
  { turns, contextTokens, sources }: Windowed,
  about: Pick<Grounding, "topic" | "unavailable">,
  signal: AbortSignal,
): ChatRequest {
  const passages = sources.map(({ index, text, score }) => ({ index, text: withoutMarks(text), score }))
  const grounding: Grounding = { question: (message ?? "").slice(0, MAX_QUESTION), ...about, passages }
  return {
    model: model.name,
    turns: withImages(turns, images),
    options: settings.options,
    ...(contextTokens === null ? {} : { contextTokens }),
    thinking: settings.thinking,
    ...(tools ? { tools: tools.definitions } : {}),
    ...(tools?.choice === undefined ? {} : { toolChoice: tools.choice }),
    ...(tools?.parallel === undefined ? {} : { parallelToolCalls: tools.parallel }),
    ...(settings.response_format ? { responseFormat: settings.response_format } : {}),
    ...(continued ? { continueLast: true } : {}),
    ...(settings.use_library ? { grounding } : {}),
    signal,
  }
}

/** The message is the newest turn of a user: nothing but calls and their results follow it. */
function withImages(turns: ChatTurn[], images: readonly ChatImage[]): ChatTurn[] {
  if (images.length === 0) return turns
  const newest = turns.findLastIndex(turn => turn.role === "user")
  return turns.map((turn, at) => (at === newest && turn.role === "user" ? { ...turn, images: [...images] } : turn))
}
