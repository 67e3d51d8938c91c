/** The steps of an answer to a prompt that was answered before. */
import { CHAT_REQUEST, ContextOverflowError } from "../../backends/backend.ts"
import type { ResolvedModel } from "../../backends/index.ts"
import type { Guard } from "../../grounding/guard.ts"
import { SOURCE, type Source } from "../../grounding/passages.ts"
import type { TokenMeter } from "../../grounding/tokens.ts"
import { askFitted } from "../../grounding/window.ts"
import type { Ended, Progress } from "../progress.ts"
import { Relay } from "../relay.ts"
import type { KeptRequest } from "./stored-prompt.ts"

interface Again {
  request: KeptRequest
  sources: readonly Source[]
  model: ResolvedModel
  guard: Guard
  meter: TokenMeter
}

/** @throws AppError of the backend; ContextOverflowError where the window is smaller now: the prompt is not cut */
export async function* askAgain(
  { request: kept, sources: given, model, guard, meter }: Again,
  signal: AbortSignal,
): AsyncGenerator<Progress, Ended> {
  const request = await guard.pass({ ...kept, model: model.name, signal }, CHAT_REQUEST)
  const { sources } = await guard.pass({ sources: [...given] }, { sources: SOURCE })
  yield { fact: { sources } }
  if (sources.length > 0) yield { event: "sources", data: { sources } }
  const last = request.turns.at(-1)
  if (request.continueLast && last) yield { event: "message_delta", data: { text: await guard.text(last.content) } }
  const pieces = askFitted(model, meter, async refit => {
    if (refit > 0) throw new ContextOverflowError("the model's window is smaller than it was for this answer")
    return { request, promptTokens: null }
  })
  return yield* new Relay(guard, { thinking: request.thinking ?? false, calls: request.tools !== undefined }).events(
    pieces,
  )
}
