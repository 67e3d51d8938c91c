/** The one gate between a run and everything that must not see private data: model, storage, caller, external tools. */

/** What agents need of the redactor; `policy` is its own business. */
export interface AgentRedactor<Policy = unknown> {
  redact(text: string, policy: Policy, signal?: AbortSignal): Promise<{ text: string; entities: unknown[] }>
}

export interface Guard {
  readonly redacts: boolean
  /** Entities replaced so far. */
  readonly count: number
  text(text: string): Promise<string>
  /** The same for every string inside a JSON value; numbers that would be redacted as text become such text. */
  value<T>(value: T): Promise<T>
}

export const OPEN_GUARD: Guard = { redacts: false, count: 0, text: async text => text, value: async value => value }

/** Ids of the daemon's own are never private, though they look as random as a token. */
const OWN_ID = /\b(?:file|chunk|conv|msg|run)_[0-9a-z]{22}\b/g

export function createGuard<Policy>(redactor: AgentRedactor<Policy>, policy: Policy, signal: AbortSignal): Guard {
  let count = 0
  const text = async (given: string): Promise<string> => {
    if (given === "") return given
    const { text: redacted, entities } = await redactor.redact(given, policy, signal)
    count += entities.length
    return redacted
  }
  const value = async (given: unknown): Promise<unknown> => {
    if (typeof given === "string") return new RegExp(`^(?:${OWN_ID.source})$`).test(given) ? given : text(given)
    if (typeof given === "number") return numberOrText(given, await text(String(given)))
    if (Array.isArray(given)) return Promise.all(given.map(value))
    if (given === null || typeof given !== "object") return given
    const entries = await Promise.all(
      Object.entries(given).map(async ([key, inner]) => [await text(key), await value(inner)]),
    )
    return Object.fromEntries(entries)
  }
  return {
    redacts: true,
    get count() {
      return count
    },
    text,
    value: value as Guard["value"],
  }
}

const numberOrText = (given: number, redacted: string): number | string =>
  redacted === String(given) ? given : redacted
