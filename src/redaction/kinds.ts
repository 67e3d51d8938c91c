/** How a found value is written down, and what stands in the text instead of it. The table of kinds is in recognizers/. */
import { BUILT_IN_KINDS } from "./recognizers/index.ts"
import type { Category } from "./recognizers/recognizer.ts"

/** A found value: `[start, end)` in UTF-16 units of the text that was searched. */
export interface Entity {
  /** A built-in kind, or the name of a custom pattern. */
  kind: string
  category: Category
  start: number
  end: number
  /** 0..1; 1 where a checksum or the caller's own pattern decides. */
  score: number
}

/** What stands in the text instead of the value. */
export const replacementOf = (kind: string): string => `[REDACTED_${kind}]`

/**
 * Finds the replacements that are already there: they are never touched again, so that redacting twice changes nothing.
 * Only kinds that exist count: `[REDACTED_A4111…]` is a number in disguise.
 */
export const replacementsOf = (customNames: readonly string[]): RegExp =>
  new RegExp(`\\[REDACTED_(?:${[...BUILT_IN_KINDS, ...customNames].join("|")})\\]`, "g")

/** `{"EMAIL": 2}`: for the `redaction` event and the audit line. Never holds a value. */
export function countByKind(entities: readonly Pick<Entity, "kind">[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind } of entities) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
