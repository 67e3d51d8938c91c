/**
 * Addresses in what a model wrote that it was not given. A document can tell a model to write a link or a picture whose
 * address carries what was said out of the house; an address that nobody gave is therefore not trusted. Addresses compare
 * exactly: one more letter is another address.
 */
import type { ChatTurn } from "../backends/backend.ts"
import type { Warning } from "../storage/document.ts"
import { linksIn } from "./links.ts"

/** Characters of an address that is compared; a longer one counts as foreign. */
const MAX_ADDRESS = 4_096
/** Ends that are tried of an address that stands bare in a text: its writer had no renderer in mind. */
const MAX_ENDS = 16
/** Addresses that a warning names, and the characters of each. */
const MAX_NAMED = 20
const MAX_NAMED_CHARACTERS = 2_048

/** Replaces an address in what is kept for a model to read again. */
const REMOVED = "(address removed)"

/** What a model was given in these turns; what it wrote itself is not given. */
export const givenIn = (turns: readonly ChatTurn[]): string[] =>
  turns.filter(({ role }) => role !== "assistant").map(({ content }) => content)

/** Each once, in the order of their first place. @param given the texts that the model was given */
export function foreignLinks(text: string, given: readonly string[]): string[] {
  const links = linksIn(text)
  if (links.length === 0) return []
  const known = addressesOf(given)
  return [...new Set(links.map(({ address }) => address))].filter(address => !known.has(address))
}

/** The same text without the addresses that its writer was not given. */
export function withoutForeignLinks(text: string, given: readonly string[]): string {
  const foreign = new Set(foreignLinks(text, given))
  if (foreign.size === 0) return text
  const parts: string[] = []
  let at = 0
  for (const { address, start, end } of linksIn(text)) {
    if (!foreign.has(address) || end <= at) continue
    parts.push(text.slice(at, Math.max(at, start)), start < at ? "" : REMOVED)
    at = end
  }
  return parts.join("") + text.slice(at)
}

/** What is said of them; undefined where there are none. */
export function foreignLinkWarning(addresses: readonly string[]): (Warning & { code: "foreign_link" }) | undefined {
  if (addresses.length === 0) return undefined
  const named = addresses.filter(({ length }) => length <= MAX_NAMED_CHARACTERS).slice(0, MAX_NAMED)
  const more = addresses.length - named.length
  const which = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ")
  return {
    code: "foreign_link",
    message: `the answer leads to addresses that stand in nothing the model was given: ${which}`,
    addresses: named,
    ...(more > 0 ? { more } : {}),
  }
}

/** All that a text may mean by an address: as a renderer reads it, and cut at each mark that may be punctuation. */
function addressesOf(texts: readonly string[]): ReadonlySet<string> {
  const known = new Set<string>()
  for (const text of texts)
    for (const { address, start } of linksIn(text)) {
      if (address.length <= MAX_ADDRESS) known.add(address)
      const written = /^[^\s<>"]*/.exec(text.slice(start, start + MAX_ADDRESS))![0]
      known.add(written)
      for (const end of endsOf(written)) known.add(written.slice(0, end))
    }
  return known
}

/** Places at which an address may end: before its first marks of punctuation, and before each of its last ones. */
function endsOf(written: string): number[] {
  const first = [...written.matchAll(/[)\]}|,;'`]|\p{Ps}|\p{Pe}|[\u3001\u3002\uff0c]/gu)]
    .slice(0, MAX_ENDS)
    .map(({ index }) => index)
  const last: number[] = []
  for (let end = written.length - 1; end > 0 && last.length < MAX_ENDS; end--) {
    if (!/[\p{P}\p{S}]/u.test(written[end]!)) break
    last.push(end)
  }
  return [...first, ...last]
}
