/** Parts of private values in what is said about them: a complaint quotes `near "@example.com"` of an address. */
import { type Entity, replacementOf } from "../redaction/redact.ts"

/** What a complaint may quote: a stretch without blanks and quotation marks; shorter ones tell nothing. */
const FRAGMENT = /[\p{L}\p{N}@._%+-]{3,}/gu
const WORDS = /[\p{L}\p{N}]+/gu

/** The words of all private values in a JSON value, with the kind of the value that they are of. */
export async function privateWords(
  given: unknown,
  entitiesOf: (text: string) => Promise<readonly Entity[]>,
): Promise<Map<string, string>> {
  const words = new Map<string, string>()
  await collect(given)
  return words

  async function collect(value: unknown): Promise<void> {
    if (typeof value === "object" && value !== null) {
      for (const part of Object.entries(value).flat()) await collect(part)
      return
    }
    if (typeof value !== "string" && typeof value !== "number") return
    const text = String(value)
    for (const { start, end, kind } of await entitiesOf(text))
      for (const word of text.slice(start, end).match(WORDS) ?? []) words.set(word, kind)
  }
}

/** The text with every stretch that consists of such words replaced as their value is. */
export const withoutFragments = (text: string, hidden: ReadonlyMap<string, string>): string =>
  text.replace(FRAGMENT, fragment => {
    const words = fragment.match(WORDS) ?? []
    const kind = words.length > 0 && words.every(word => hidden.has(word)) ? hidden.get(words[0]!) : undefined
    return kind === undefined ? fragment : replacementOf(kind)
  })
