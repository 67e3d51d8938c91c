/**
 * One turn as a generator of chat events, up to the last delta: find passages, fit the prompt, ask the model, relay what
 * it writes. What has come of it so far stands in the draft at every moment, so that whoever runs the turn can store it
 * however it ends.
 */
import { CHAT_REQUEST, type ChatRequest, ContextOverflowError, type Grounding } from "../backends/backend.ts"
import { withoutMarks } from "../grounding/citations.ts"
import { PARTIAL_REDACTION } from "../redaction/redact.ts"
import { citedIn } from "./citations.ts"
import { SOURCE } from "./fields.ts"
import { headOf } from "./passages.ts"
import { type FittedPrompt, OWN_WORDS, type PastMessage } from "./prompt.ts"
import { Relay } from "./relay.ts"
import { type Retrieved, retrieve } from "./retrieval.ts"
import { type ChatQuery, searchQuery } from "./search-query.ts"
import type { Draft, ReplyDependencies, Turn } from "./turn.ts"
import { fitTurn, guardedHistory, pictures, type WindowedPrompt, withImages } from "./turn-prompt.ts"
import type { ChatEvent, Source } from "./types.ts"

/** Prompts that the server found too long are fitted again, each time smaller. */
const MAX_REFITS = 3

/** Said once a reply, whether message, passages or the reply itself gave rise to it. */
const PARTIAL: ChatEvent = { event: "warning", data: PARTIAL_REDACTION }

export async function* reply(
  turn: Turn,
  draft: Draft,
  dependencies: ReplyDependencies,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  yield* opening(turn)
  const asked = question(turn)
  const history = await guardedHistory(turn)
  const started = performance.now()
  const found = yield* findSources(turn, asked, history, dependencies, signal)
  draft.sources = found.sources
  draft.searchMs = performance.now() - started
  // Our own words around passages: a caller's pattern must not change the marks that citations need.
  turn.guard.trust(...OWN_WORDS, ...found.sources.map(headOf))
  const { guard } = turn
  if (guard.redacts) yield { event: "redaction", data: { ner_count: guard.count, kinds: guard.kinds } }
  const partialPrompt = guard.partial
  if (partialPrompt) yield PARTIAL
  if (turn.continued?.written) {
    draft.content = turn.continued.written
    yield { event: "message_delta", data: { text: draft.content } }
  }
  const images = await pictures(turn, dependencies)
  for (let refit = 0; ; refit++) {
    const prompt = fitTurn(turn, history, { ...found, sources: draft.sources }, images.length, dependencies)
    const isFirst = refit === 0
    if (isFirst && turn.settings.use_library && !turn.continued) {
      draft.sources = prompt.sources
      yield { event: "sources", data: { sources: prompt.sources } }
    }
    if (isFirst && prompt.droppedMessages + prompt.droppedSources > 0) yield truncated(prompt)
    draft.contextTokens = prompt.contextTokens
    try {
      yield* ask(turn, draft, { ...prompt, turns: withImages(prompt.turns, images), asked }, signal)
      const { prompt_tokens: counted } = draft.usage
      if (images.length === 0 && counted > 0)
        dependencies.meter.learn(turn.model.info.value, prompt.promptTokens, counted)
      break
    } catch (error) {
      if (!(error instanceof ContextOverflowError) || refit === MAX_REFITS || draft.firstTokenAt !== null) throw error
      dependencies.meter.raise(turn.model.info.value)
    }
  }
  if (guard.partial && !partialPrompt) yield PARTIAL
  const { citations, invalid } = citedIn(draft.content, draft.sources)
  draft.citations = citations
  if (invalid.length > 0)
    yield {
      event: "warning",
      data: {
        code: "invalid_citation",
        message: `the reply cites ${invalid.map(n => `[${n}]`).join(", ")}, which the model was not given`,
      },
    }
}

function* opening({ conversation, created, replyId, userMessage, model }: Turn): Generator<ChatEvent> {
  if (created)
    yield {
      event: "conversation_created",
      data: {
        conversation_id: conversation.id,
        model: model.info.value,
        created_at: conversation.created_at,
        additional_metadata: JSON.parse(conversation.additional_metadata),
      },
    }
  yield {
    event: "message_started",
    data: {
      message_id: replyId,
      conversation_id: conversation.id,
      model: model.info.value,
      user_message_id: userMessage.id,
    },
  }
}

function question({ userMessage, history }: Turn): ChatQuery {
  const earlier = history.filter(message => message.role === "user").map(message => message.content)
  return searchQuery(userMessage.content, earlier)
}

async function* findSources(
  turn: Turn,
  asked: ChatQuery,
  history: readonly PastMessage[],
  dependencies: ReplyDependencies,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, Retrieved> {
  // A reply that is written on keeps its passages, or its citations would change their meaning.
  if (turn.continued) {
    const { sources } = await turn.guard.pass({ sources: turn.continued.sources }, { sources: SOURCE })
    return { sources, inVain: false }
  }
  if (!turn.settings.use_library) return { sources: [], inVain: false }
  const { workspaceId, scope, guard, model, userMessage } = turn
  yield { event: "status", data: { phase: "retrieving" } }
  const rewritten = asked.topic
    ? await dependencies.rewriter.rewrite(model, history, userMessage.content, guard, signal)
    : undefined
  const query = rewritten ?? asked.query
  return yield* retrieve(dependencies, { workspaceId, query, scope, guard }, signal)
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

/** Asks the model and relays what it writes. */
async function* ask(
  turn: Turn,
  draft: Draft,
  prompt: WindowedPrompt & { asked: ChatQuery },
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  const { settings, model, guard } = turn
  const request: ChatRequest = {
    model: model.name,
    turns: prompt.turns,
    options: settings.options,
    ...(prompt.contextTokens === null ? {} : { contextTokens: prompt.contextTokens }),
    thinking: settings.thinking,
    ...(settings.response_format ? { responseFormat: settings.response_format } : {}),
    ...(turn.continued?.written ? { continueLast: true } : {}),
    ...(settings.use_library ? { grounding: groundingOf(turn, prompt) } : {}),
    signal,
  }
  yield* new Relay(turn, draft).events(model.backend.chat(await guard.pass(request, CHAT_REQUEST)))
}

function groundingOf({ userMessage }: Turn, { asked, sources }: { asked: ChatQuery; sources: Source[] }): Grounding {
  const passages = sources.map(({ index, text, score }) => ({ index, text: withoutMarks(text), score }))
  return { question: userMessage.content, topic: asked.topic, passages }
}
