/** What an answer is asked with where the model is lent tools: with the calls of a reply that is written on, where there is room. */
import { numberOf } from "../../grounding/passages.ts"
import { type Windowed, windowed } from "../answer-window.ts"
import type { Asked } from "../asked.ts"
import type { ChatDependencies } from "../dependencies.ts"
import type { Retrieved } from "../retrieval.ts"
import { lentFor } from "./lent.ts"

/** With less room for calls and results, in tokens, no tool is of use. */
const LEAST_TOKENS = 300

export interface Offer {
  asked: Asked
  found: Retrieved
  fitted: Windowed
}

/** @throws AppError invalid_request where the message alone is too long */
export async function withLent(given: Asked, found: Retrieved, dependencies: ChatDependencies): Promise<Offer> {
  const lent = await lentFor(given, found.sources, dependencies)
  if (lent) {
    const { continued } = given
    const exchanges = continued?.calls.exchanges ?? []
    const asked = {
      ...given,
      lent: { ...lent, exchanges },
      continued: continued && { ...continued, written: continued.calls.rest },
    }
    // What calls have brought is given with them.
    const called = new Set(exchanges.map(({ content }) => numberOf(content)))
    const others = { ...found, sources: found.sources.filter(({ index }) => !called.has(index)) }
    const fitted = windowed(asked, others, dependencies)
    if (fitted.exchangeTokens >= LEAST_TOKENS) return { asked, found: others, fitted }
  }
  return { asked: given, found, fitted: windowed(given, found, dependencies) }
}

/** What stands of a reply that is written on: behind calls a paragraph of its own begins. */
export function before({ continued }: Asked): { length: number; isEnded: boolean } {
  if (!continued) return { length: 0, isEnded: false }
  const { written, calls } = continued
  return { length: written.length, isEnded: written !== "" && calls.uses.length > 0 && calls.rest === "" }
}
