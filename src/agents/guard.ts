/** The one gate between a run and everything that must not see private data: model, storage, caller, external tools. */
import type { Entity, RedactionPolicy, Redactor } from "../redaction/redact.ts"

export interface Guard {
  readonly redacts: boolean
  /** What has been replaced so far. */
  readonly entities: readonly Entity[]
  text(text: string): Promise<string>
  /** The same for every value inside JSON; keys stay. */
  value<T>(value: T): Promise<T>
}

const OPEN_GUARD: Guard = { redacts: false, entities: [], text: async text => text, value: async value => value }

/** @param policy null where the run is not redacted */
export function createGuard(redactor: Pick<Redactor, "redact" | "redactValue">, policy: RedactionPolicy | null): Guard {
  if (!policy) return OPEN_GUARD
  const replaced: Entity[] = []
  return {
    redacts: true,
    entities: replaced,
    async text(given) {
      if (given === "") return given
      const { text, entities } = await redactor.redact(given, policy)
      replaced.push(...entities)
      return text
    },
    async value(given) {
      const { value, entities } = await redactor.redactValue(given, policy)
      replaced.push(...entities)
      return value
    },
  }
}
