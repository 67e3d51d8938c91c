/**
 * Which languages an embedding model knows, as its card or its name says: a folder of a published model holds the card, and
 * a server that runs it may tell of it. Nothing said is taken for multilingual: fusing vectors that know a
 * language less well loses little, leaving out those that know it loses all they find.
 */

/** Names by which one-language models go. First match wins; null is any language. */
const BY_NAME: [RegExp, string[] | null][] = [
  [/multilingual|\bm3\b|arctic-embed.*v?2|embeddinggemma|qwen3|labse|\bmulti\b/i, null],
  [/\bzh\b|chinese/i, ["zh"]],
  [/\bde\b|german/i, ["de"]],
  [/\ben\b|english/i, ["en"]],
  [
    /^(?:all-minilm|all-mpnet|multi-qa|nomic-embed-text(?!.*v2)|mxbai-embed|(?:snowflake-)?arctic-embed|gte-(?:small|base|large)$)/i,
    ["en"],
  ],
  [/^(?:bge-(?:small|base|large)|e5-(?:small|base|large)|ms-marco)/i, ["en"]],
]

/** Null for a model that knows many, or of which the name says nothing. */
export function languagesByName(name: string): string[] | null {
  const plain = name.replace(/^.*\//, "").replace(/:.*$/, "")
  return BY_NAME.find(([pattern]) => pattern.test(plain))?.[1] ?? null
}

/** Longest beginning of a card that is looked at. */
const CARD_CHARS = 20_000

/**
 * From the front matter of a model card: `language: en`, or a list. Null where it says "multilingual".
 * @returns undefined where the card does not say
 */
export function languagesOfCard(card: string): string[] | null | undefined {
  const text = card.slice(0, CARD_CHARS).replace(/\r\n/g, "\n")
  if (!text.startsWith("---\n")) return undefined
  const lines = text.slice(4, Math.max(4, text.indexOf("\n---", 4))).split("\n")
  const at = lines.findIndex(line => line.startsWith("language:"))
  if (at < 0) return undefined
  const inline = lines[at]!.slice("language:".length)
  const items = /\S/.test(inline) ? inline.replace(/[[\]]/g, "").split(",") : listAfter(lines, at)
  return asLanguages(items)
}

/** ISO 639-1 codes; null for "multilingual", undefined for nothing that could be one. */
export function asLanguages(items: unknown): string[] | null | undefined {
  if (!Array.isArray(items)) return undefined
  const names = items.map(item =>
    String(item)
      .trim()
      .replace(/^["']|["']$/g, "")
      .toLowerCase(),
  )
  if (names.some(name => /^(?:multilingual|multi|mul)$/.test(name))) return null
  const codes = names.filter(name => /^[a-z]{2,3}(?:[-_][a-z]+)?$/.test(name))
  return codes.length ? codes : undefined
}

function listAfter(lines: string[], at: number): string[] {
  const items: string[] = []
  for (const line of lines.slice(at + 1)) {
    const item = /^\s*-\s*(.*)$/.exec(line)?.[1]
    if (item === undefined) break
    items.push(item)
  }
  return items
}
