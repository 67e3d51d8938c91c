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

/** A replacement of a built-in kind, alone. */
const REPLACEMENT = new RegExp(`^\\[REDACTED_(?:${BUILT_IN_KINDS.join("|")})\\]$`)

/** This text is a replacement and nothing else; custom patterns' are known where their policy is. */
export const isReplacement = (text: string): boolean => REPLACEMENT.test(text)

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
