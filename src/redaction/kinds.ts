/** What redaction knows to name: the kinds, their categories, and how a found value is written down. */

export const CATEGORY_OF_KIND = {
  NAME: "personal",
  EMAIL: "personal",
  PHONE: "personal",
  ADDRESS: "personal",
  CREDIT_CARD: "financial",
  BANK_ACCOUNT: "financial",
  API_KEY: "credentials",
  PASSWORD: "credentials",
  TOKEN: "credentials",
} as const satisfies Record<string, Exclude<Category, "custom">>

export type BuiltInKind = keyof typeof CATEGORY_OF_KIND
export type Category = "personal" | "financial" | "credentials" | "custom"

export const BUILT_IN_KINDS = Object.keys(CATEGORY_OF_KIND) as BuiltInKind[]
export const BUILT_IN_CATEGORIES = ["personal", "financial", "credentials"] as const

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

/** A replacement that is already there; never touched again, so that redacting twice changes nothing. */
export const REPLACEMENT = /\[REDACTED_[A-Z][A-Z0-9_]{0,31}\]/
/** The same for `matchAll`, and only for that: `test` would leave its place behind. */
export const REPLACEMENTS = new RegExp(REPLACEMENT, "g")

/** `{"EMAIL": 2}`: for the `redaction` event and the audit line. Never holds a value. */
export function countByKind(entities: readonly Pick<Entity, "kind">[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind } of entities) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
