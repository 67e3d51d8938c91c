/** What a turn sends to its model: history and pictures as the model may see them, all of it fitted into the window. */
import type { Capability, ChatImage, ChatTurn } from "../backends/backend.ts"
import { AppError } from "../errors.ts"
import { IMAGE_TOKENS } from "../grounding/tokens.ts"
import { windowOf } from "../grounding/window.ts"
import type { ChatDependencies } from "./dependencies.ts"
import { asSeen, type Turn } from "./prepare.ts"
import { chooseWindow, type FittedPrompt, fitPrompt, type PastMessage } from "./prompt.ts"
import { imagesOf, type Retrieved } from "./retrieval.ts"

/** Room for the answer, unless the request says how long it may be. */
const ANSWER_TOKENS = 2_048
const THINKING_ANSWER_TOKENS = 4_096
/** A guess may be this much too high; beyond it a message is too long for certain. */
const SURELY_TOO_LONG = 1.6

/** Earlier messages as the model may see them now: a turn may be redacted where the ones before it were not. */
export async function historyAsSeen({ history, guard }: Turn): Promise<PastMessage[]> {
  const past: PastMessage[] = []
  for (const message of history)
    if (message.content) past.push({ role: message.role, content: (await asSeen(message, guard)).content })
  return past
}

/** What a picture shows cannot be redacted, so under redaction the model sees none. */
export async function picturesFor(
  { model, settings, guard, workspaceId }: Turn,
  { files }: ChatDependencies,
): Promise<ChatImage[]> {
  const sees = model.info.capabilities.includes("vision" satisfies Capability) && !guard.redacts
  return sees && settings.file_ids.length > 0 ? imagesOf(files, workspaceId, settings.file_ids) : []
}

export function withImages(turns: ChatTurn[], images: ChatImage[]): ChatTurn[] {
  if (images.length === 0) return turns
  const newest = turns.findLastIndex(turn => turn.role === "user")
  return turns.map((turn, at) => (at === newest && turn.role === "user" ? { ...turn, images } : turn))
}

export interface WindowedPrompt extends FittedPrompt {
  /** The window to ask for; null for a backend without one. */
  contextTokens: number | null
}

export function fitTurn(
  turn: Turn,
  history: PastMessage[],
  { sources, inVain, unavailable = false }: Retrieved,
  images: number,
  { meter, maxContextTokens }: ChatDependencies,
): WindowedPrompt {
  const { settings, model, userMessage, conversation } = turn
  const count = (text: string) => meter.count(model.info.value, text)
  const parts = {
    systemPrompt: settings.system_prompt,
    history,
    sources,
    inVain,
    unavailable,
    message: userMessage.content,
    written: turn.continued?.written || null,
    imageTokens: images * IMAGE_TOKENS,
    count,
  }
  if (model.info.provider === "builtin")
    return { ...fitPrompt({ ...parts, windowTokens: null, answerTokens: 0 }), contextTokens: null }
  const largest = windowOf(model.info)
  const fixed = count(`${settings.system_prompt ?? ""}${userMessage.content}`)
  if (fixed > largest * SURELY_TOO_LONG)
    throw new AppError("invalid_request", {
      message: `message: longer than the context window of ${model.info.value} (${largest} tokens)`,
      details: [{ field: "message", issue: "longer than the model's context window" }],
    })
  const asked = settings.options.max_tokens ?? (settings.thinking ? THINKING_ANSWER_TOKENS : ANSWER_TOKENS)
  const answerTokens = Math.min(asked, Math.floor(largest / 4))
  // The operator's bound is for histories; a message that needs more than it still gets the model's own window.
  const bound = maxContextTokens > 0 ? Math.max(maxContextTokens, fixed + answerTokens) : largest
  const windowTokens = Math.min(largest, bound)
  const fitted = fitPrompt({ ...parts, windowTokens, answerTokens })
  const contextTokens = chooseWindow({
    neededTokens: fitted.promptTokens + answerTokens,
    windowTokens,
    stickyTokens: conversation.context_tokens,
    loadedTokens: model.backend.loadedContextTokens?.(model.name) ?? null,
  })
  return { ...fitted, contextTokens }
}
