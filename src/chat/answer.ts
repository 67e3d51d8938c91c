/**
 * An answer as a generator, up to the last delta: find passages, fit the prompt, ask the model, relay what it writes. It
 * yields events for the reader and facts for the record; it keeps nothing, and does not know whether anything is stored:
 * the turns of conversations (`reply.ts`) and answers that nobody keeps (`unstored.ts`) are made here alike.
 */
import { CHAT_REQUEST, type ChatImage, type ChatRequest, type ChatTurn, type Grounding } from "../backends/backend.ts"
import { withoutMarks } from "../grounding/citations.ts"
import { headOf } from "../grounding/passages.ts"
import { askFitted } from "../grounding/window.ts"
import { NOTHING } from "../guarded.ts"
import { PARTIAL_REDACTION } from "../redaction/redact.ts"
import { type Windowed, windowed } from "./answer-window.ts"
import type { Asked } from "./asked.ts"
import type { ChatDependencies } from "./dependencies.ts"
import type { ChatEvent } from "./events.ts"
import { remembered } from "./history/remember.ts"
import type { Ended, Progress } from "./progress.ts"
import { type FittedPrompt, OWN_WORDS } from "./prompt.ts"
import { asksForWhole } from "./reading/intent.ts"
import { material } from "./reading/material.ts"
import { partialReading } from "./reading/whole.ts"
import type { Sent } from "./record/facts.ts"
import { Relay } from "./relay.ts"
import type { Retrieved } from "./retrieval.ts"
import { type ChatQuery, searchQuery } from "./search-query.ts"
import { withTools } from "./tools/lending.ts"
import { before, withLent } from "./tools/offer.ts"

/** Characters of a message that is answered by sentences that speak about it: longer ones quote whole documents. */
const MAX_QUESTION = 100_000

/** Said once a reply, whether message, passages or the reply itself gave rise to it. */
const PARTIAL: ChatEvent = { event: "warning", data: PARTIAL_REDACTION }

const SHORTENED: ChatEvent = {
  event: "warning",
  data: {
    code: "context_truncated",
    message:
      "calls of tools and their results were shortened or left out: they do not fit into the model's context window",
  },
}

export async function* answer(
  asked: Asked,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Ended> {
  const topic = topicOf(asked)
  const startedAt = performance.now()
  const found = yield* material(asked, topic, dependencies, signal)
  const searchMs = performance.now() - startedAt
  yield { fact: { sources: found.sources, searchMs, searched: found.searched ?? null } }
  const { guard, continued } = asked
  // Our own words around passages: a caller's pattern must not change the marks that citations need.
  guard.trust(...OWN_WORDS, ...found.sources.map(headOf))
  if (guard.redacts) yield { event: "redaction", data: { ner_count: guard.count, kinds: guard.kinds } }
  const partialPrompt = guard.partial
  if (partialPrompt) yield PARTIAL
  if (continued?.written) {
    yield { fact: { content: NOTHING } } // told again from its beginning
    yield { event: "message_delta", data: { text: continued.written } }
  }
  const remembering = yield* remembered(asked, found, dependencies, signal)
  const summarized = asked.history.length - remembering.history.length
  if (summarized > 0) yield { added: { dropped: [{ kind: "messages", reason: "summarized", count: summarized }] } }
  const ended = yield* write(remembering, found, topic.topic, dependencies, signal)
  if (guard.partial && !partialPrompt) yield PARTIAL
  return ended
}

/** What the message is searched with, and what it is about where that was said before. */
function topicOf({ message, history, settings }: Asked): ChatQuery {
  if (!settings.use_library) return { query: "", topic: "" }
  const earlier = history.filter(turn => turn.role === "user").map(turn => turn.content)
  return searchQuery(message ?? "", earlier)
}

/** Asks the model with what fits into its window, and relays what it writes. */
async function* write(
  given: Asked,
  material: Retrieved,
  topic: string,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Ended> {
  const { settings, model, guard, images, tools } = given
  const { asked, found, fitted: first } = await withLent(given, material, dependencies)
  const { lent, continued } = asked
  const tellsSources = settings.use_library && !continued
  let fitted = first
  let kept = found
  if (tellsSources) {
    kept = { ...found, sources: fitted.sources }
    yield { fact: { sources: fitted.sources } }
    yield { event: "sources", data: { sources: fitted.sources } }
  }
  yield* truncated(fitted, asked, found.whole)
  yield { fact: { contextTokens: fitted.contextTokens } }
  const sent: Sent = {
    request: null,
    found: found.sources,
    sources: [],
    notes: found.notes ?? [],
    excerpts: lent?.excerpts ?? [],
    droppedMessages: 0,
  }
  yield { fact: { sent } }
  const about = {
    topic,
    ...(found.unavailable ? { unavailable: true as const } : {}),
    ...(found.whole && asksForWhole(asked.message ?? "") ? { whole: true as const } : {}),
  }
  const relay = new Relay(guard, { thinking: settings.thinking, calls: tools !== null }, before(given))
  const tellLess = tellerOf({ ...first, droppedSources: tellsSources ? 0 : first.droppedSources }, asked, found.whole)
  async function* ask(now: Asked): AsyncGenerator<Progress, Ended> {
    const ended = yield* relay.events(
      askFitted(model, dependencies.meter, async refit => {
        if (refit > 0 || now !== asked) fitted = windowed(now, kept, dependencies)
        const hasImages = images.length > 0 || asked.history.some(turn => turn.role === "user" && turn.images?.length)
        const request = await guard.pass(requestOf(now, fitted, about, signal), CHAT_REQUEST)
        const { sources, droppedMessages } = fitted
        Object.assign(sent, { request, sources, droppedMessages } satisfies Partial<Sent>)
        return { request, promptTokens: hasImages ? null : fitted.promptTokens }
      }),
    )
    yield* tellLess(fitted)
    return ended
  }
  const ended = yield* lent ? withTools(asked, { lent, relay, fitted, ask }, dependencies, signal) : ask(asked)
  yield { fact: { contextTokens: fitted.contextTokens } }
  return ended
}

/** Warns of calls that were shortened, once, and where the server found the prompt too long of what else is left out. */
function tellerOf(first: FittedPrompt, asked: Asked, whole: boolean | undefined) {
  let told = first
  let tells = true
  return function* (now: FittedPrompt): Generator<ChatEvent> {
    if (now.shortened && tells) yield SHORTENED
    tells &&= !now.shortened
    if (!isLess(now, told)) return
    yield* truncated(now, asked, whole)
    told = now
  }
}

const isLess = (now: FittedPrompt, before: FittedPrompt): boolean =>
  now.droppedMessages > before.droppedMessages ||
  now.droppedSources > before.droppedSources ||
  (now.droppedSummary && !before.droppedSummary)

function* truncated(
  { droppedMessages, droppedSources, droppedSummary }: FittedPrompt,
  { summary, unsummarized = false }: Asked,
  whole = false,
): Generator<ChatEvent> {
  const passages = `${droppedSources} passages of the library`
  if (whole && droppedSources > 0) yield partialReading([`${passages} that do not fit into the model's context window`])
  const dropped = [
    droppedSummary ? "the summary of the oldest messages" : "",
    droppedMessages > 0
      ? `the oldest ${droppedMessages} messages${unsummarized ? " (no summary could be made)" : ""}`
      : "",
    droppedSources > 0 && !whole ? passages : "",
  ].filter(Boolean)
  const lacks = [
    summary === undefined || droppedSummary ? "" : "the model was given a summary in the place of the oldest messages",
    dropped.length > 0 ? `the model was not given ${dropped.join(" and ")}` : "",
  ].filter(Boolean)
  if (lacks.length === 0) return
  yield {
    event: "warning",
    data: { code: "context_truncated", message: `${lacks.join(", and ")}: they do not fit into its context window` },
  }
}

function requestOf(
  { settings, model, continued, message, images, tools, lent }: Asked,
  { turns, contextTokens, sources }: Windowed,
  about: Pick<Grounding, "topic" | "unavailable" | "whole">,
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
    ...(tools ? { tools: tools.definitions } : lent?.definitions.length ? { tools: lent.definitions } : {}),
    ...(tools?.choice === undefined ? {} : { toolChoice: tools.choice }),
    ...(tools?.parallel === undefined ? {} : { parallelToolCalls: tools.parallel }),
    ...(settings.response_format ? { responseFormat: settings.response_format } : {}),
    ...(continued?.written ? { continueLast: true } : {}),
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
