/** Fits what an answer is made from into the window of its model. */
import { AppError } from "../errors.ts"
import { IMAGE_TOKENS } from "../grounding/tokens.ts"
import { windowOf } from "../grounding/window.ts"
import type { Asked } from "./asked.ts"
import type { ChatDependencies } from "./dependencies.ts"
import { chooseWindow, type FittedPrompt, fitPrompt } from "./prompt.ts"
import type { Retrieved } from "./retrieval.ts"

/** Room for the answer, unless the request says how long it may be. */
const ANSWER_TOKENS = 2_048
const THINKING_ANSWER_TOKENS = 4_096
/** A guess may be this much too high; beyond it a message is too long for certain. */
const SURELY_TOO_LONG = 1.6

export interface Windowed extends FittedPrompt {
  /** The window to ask for; null for a backend without one. */
  contextTokens: number | null
}

/** @throws AppError invalid_request where the message alone is too long */
export function windowed(
  asked: Asked,
  { sources, inVain, unavailable = false }: Retrieved,
  { meter, maxContextTokens }: ChatDependencies,
): Windowed {
  const { settings, model, message, after, tools } = asked
  const count = (text: string) => meter.count(model.info.value, text)
  const parts = {
    systemPrompt: settings.system_prompt,
    history: asked.history,
    sources,
    inVain,
    unavailable,
    message,
    after,
    written: asked.continued?.written || null,
    imageTokens: asked.images.length * IMAGE_TOKENS,
    toolTokens: tools ? count(JSON.stringify(tools.definitions)) : 0,
    count,
  }
  if (model.info.provider === "builtin")
    return { ...fitPrompt({ ...parts, windowTokens: null, answerTokens: 0 }), contextTokens: null }
  const largest = windowOf(model.info)
  const stays = [settings.system_prompt ?? "", message ?? "", ...after.map(turn => turn.content)]
  const fixed = count(stays.join("")) + parts.toolTokens
  if (fixed > largest * SURELY_TOO_LONG)
    throw new AppError("invalid_request", {
      message: `${asked.field}: longer than the context window of ${model.info.value} (${largest} tokens)`,
      details: [{ field: asked.field, issue: "longer than the model's context window" }],
    })
  const wanted = settings.options.max_tokens ?? (settings.thinking ? THINKING_ANSWER_TOKENS : ANSWER_TOKENS)
  const answerTokens = Math.min(wanted, Math.floor(largest / 4))
  // The operator's bound is for histories; a message that needs more than it still gets the model's own window.
  const bound = maxContextTokens > 0 ? Math.max(maxContextTokens, fixed + answerTokens) : largest
  const windowTokens = Math.min(largest, bound)
  const fitted = fitPrompt({ ...parts, windowTokens, answerTokens })
  const contextTokens = chooseWindow({
    neededTokens: fitted.promptTokens + answerTokens,
    windowTokens,
    stickyTokens: asked.contextTokens,
    loadedTokens: model.backend.loadedContextTokens?.(model.name) ?? null,
  })
  return { ...fitted, contextTokens }
}
