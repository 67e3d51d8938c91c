/** Fits what an answer is made from into the window of its model. */
import { AppError } from "../errors.ts"
import { type Count, IMAGE_TOKENS } from "../grounding/tokens.ts"
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
  /** What the model can be given at most, the answer included; null for a backend without a window. */
  windowTokens: number | null
}

/** Room in the window of a model; of one without a window there is no end. */
export interface Room {
  windowTokens: number
  answerTokens: number
  /** What stays whatever else fits: system prompt, message, descriptions of tools, pictures. */
  fixedTokens: number
}

/** @throws AppError invalid_request where the message alone is too long */
export function roomOf(
  asked: Asked,
  { meter, maxContextTokens }: Pick<ChatDependencies, "meter" | "maxContextTokens">,
): Room {
  const { settings, model, message, after, images } = asked
  const count = (text: string) => meter.count(model.info.value, text)
  const stays = [settings.system_prompt ?? "", message ?? "", ...after.map(turn => turn.content)]
  const fixed = count(stays.join("")) + toolTokens(asked, count)
  const fixedTokens = fixed + images.length * IMAGE_TOKENS
  if (model.info.provider === "builtin") return { windowTokens: Number.POSITIVE_INFINITY, answerTokens: 0, fixedTokens }
  const largest = windowOf(model.info)
  if (fixed > largest * SURELY_TOO_LONG)
    throw new AppError("invalid_request", {
      message: `${asked.field}: longer than the context window of ${model.info.value} (${largest} tokens)`,
      details: [{ field: asked.field, issue: "longer than the model's context window" }],
    })
  const wanted = settings.options.max_tokens ?? (settings.thinking ? THINKING_ANSWER_TOKENS : ANSWER_TOKENS)
  const answerTokens = Math.min(wanted, Math.floor(largest / 4))
  // The operator's bound is for histories; a message that needs more than it still gets the model's own window.
  const bound = maxContextTokens > 0 ? Math.max(maxContextTokens, fixed + answerTokens) : largest
  return { windowTokens: Math.min(largest, bound), answerTokens, fixedTokens }
}

/** @throws AppError invalid_request where the message alone is too long */
export function windowed(asked: Asked, found: Retrieved, dependencies: ChatDependencies): Windowed {
  const { settings, model, message, after } = asked
  const { sources, inVain, unavailable = false, whole = false, notes } = found
  const count = (text: string) => dependencies.meter.count(model.info.value, text)
  const parts = {
    systemPrompt: settings.system_prompt,
    summary: asked.summary ?? null,
    history: asked.history,
    ...{ sources, inVain, unavailable, whole, notes, message, after, count },
    written: asked.continued?.written || null,
    imageTokens: asked.images.length * IMAGE_TOKENS,
    guide: asked.lent?.guide ?? null,
    exchanges: asked.lent?.exchanges ?? [],
    note: asked.lent?.note,
    toolTokens: toolTokens(asked, count),
  }
  const { windowTokens, answerTokens } = roomOf(asked, dependencies)
  if (windowTokens === Number.POSITIVE_INFINITY)
    return { ...fitPrompt({ ...parts, windowTokens: null, answerTokens: 0 }), contextTokens: null, windowTokens: null }
  const fitted = fitPrompt({ ...parts, windowTokens, answerTokens })
  const contextTokens = chooseWindow({
    neededTokens: fitted.promptTokens + answerTokens,
    windowTokens,
    stickyTokens: asked.contextTokens,
    loadedTokens: model.backend.loadedContextTokens?.(model.name) ?? null,
  })
  return { ...fitted, contextTokens, windowTokens }
}

const toolTokens = ({ tools, lent }: Asked, count: Count): number => {
  const definitions = (tools ?? lent)?.definitions ?? []
  return definitions.length > 0 ? count(JSON.stringify(definitions)) : 0
}
