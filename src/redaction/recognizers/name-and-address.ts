/**
 * Names and addresses whose form gives them away, beside what the entity model finds: after titles, after `my name is`,
 * and the grammar of street addresses. Works on the windows of clusters.ts, so that streams and whole texts agree.
 */
import type { ModelEntity } from "../../backends/backend.ts"
import { endsInSurname } from "../full-names.ts"
import { commonWords, givenNames } from "../lexicon.ts"
import type { ModelKind } from "./recognizer.ts"

export const address: ModelKind = { category: "personal", label: "address", precedence: 3, foundBy: "model" }
export const name: ModelKind = { category: "personal", label: "name", precedence: 4, foundBy: "model" }

const WORD = "\\p{Lu}[\\p{L}\\p{M}'’-]+"
const NAME_AFTER_TITLE = new RegExp(
  `(?<![\\p{L}])(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herrn?|Frau|Mme|Mlle|Madame|Monsieur|Señor|Señora|Sra?|Signora?|Mevrouw|Meneer|Senhora?|Domnul|Doamna|Pani|Paní|Sayın)\\.? {1,2}(?:\\p{Lu}\\. )?${WORD}(?: (?:(?:van|von|de|da|di|der|den|la|bin|al)[ -]){0,2}${WORD}){0,3}`,
  "gu",
)
/** Ranks that companies and works seldom bear; the name alone is taken, and none where an ordinary word follows. */
const NAME_AFTER_RANK = new RegExp(
  `(?<![\\p{L}])(?:Inspector|Judge|Sergeant|Detective|Constable|Councillor|Colonel|Lieutenant|Captain|Professor|Senator|Reverend|Rabbi|Pastor|Nurse|Uncle|Aunt|Auntie|Sir|Dame) (?!General|Major)((?:\\p{Lu}\\. )?${WORD}(?: ${WORD})?)`,
  "gu",
)
const NAME_AFTER_CUE = new RegExp(
  `(?:[Mm]y|[Hh]is|[Hh]er) (?:full |first |last |maiden |sur|)name is (${WORD}(?: ${WORD}){0,3})`,
  "gu",
)
/** `Anna Müller <anna@example.com>`, as mail programs write it; also in round brackets, after a comma or a blank. */
const NAME_BEFORE_EMAIL = new RegExp(
  `(?<![\\p{L}\\p{M}])(${WORD}(?: (?:\\p{Lu}\\.|${WORD})){1,3})"?,? {0,2}[<(\\[]?(?:mailto:)?([\\p{L}\\p{N}._%+-]{1,64})@`,
  "gu",
)

const STREET_WORD =
  "(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Square|Place|Pl|Terrace|Crescent|Highway|Hwy|Parkway|Way|Close)"
const UNIT = "(?:,? ?(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Room|#)\\.? ?[\\dA-Z-]{1,6})?"
const ADDRESSES = [
  new RegExp(
    `\\d{1,5}[A-Za-z]? (?:[NSEW]\\.? )?(?:[\\p{Lu}\\d][\\p{L}\\p{M}\\d'’.-]* ){1,4}${STREET_WORD}\\b\\.?${UNIT}`,
    "gu",
  ),
  /\b(?:P\. ?O\. ?|PO |Post Office )Box \d{1,6}/gi,
  /\b(?:Unit|PSC|CMR) \d{3,5},? Box \d{2,5}\s{1,3}(?:[ADF]PO A[AEP] \d{5})?/g,
  /\p{Lu}[\p{L}\p{M}-]*(?:straße|strasse|str\.|gasse|platz|weg|allee|straat|laan|gatan|vägen) \d{1,4} ?[a-z]?(?![\p{L}\d])/gu,
]

export function findNamesAndAddresses(text: string): ModelEntity[] {
  const found: ModelEntity[] = []
  for (const match of text.matchAll(NAME_AFTER_TITLE)) found.push(entity("NAME", match.index, match[0].trimEnd()))
  for (const match of text.matchAll(NAME_AFTER_RANK))
    if (endsInSurname(match[1]!))
      found.push(entity("NAME", match.index + match[0].length - match[1]!.length, match[1]!))
  for (const match of text.matchAll(NAME_AFTER_CUE))
    found.push(entity("NAME", match.index + match[0].length - match[1]!.length, match[1]!))
  for (const match of text.matchAll(NAME_BEFORE_EMAIL)) {
    const at = nameBegin(match[1]!, match[2]!)
    if (at !== undefined) found.push(entity("NAME", match.index + at, match[1]!.slice(at)))
  }
  for (const pattern of ADDRESSES)
    for (const match of text.matchAll(pattern)) found.push(entity("ADDRESS", match.index, match[0].trimEnd()))
  return found
}

/** Where the person begins among capital words (`Contact Anna Müller`): at a first name, or a part of the mailbox. */
function nameBegin(words: string, mailbox: string): number | undefined {
  const address = mailbox.toLowerCase()
  for (const { 0: word, index } of words.matchAll(/[^ ]+/g)) {
    const lower = word.toLowerCase()
    if (givenNames().has(lower) || (lower.length > 2 && !commonWords().has(lower) && address.includes(lower)))
      return index
  }
  return undefined
}

const entity = (kind: ModelEntity["kind"], start: number, value: string): ModelEntity => ({
  kind,
  start,
  end: start + value.length,
  score: 0.75,
})

const BRITISH_POSTCODE = /(?<![\p{L}\d])[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}(?![\p{L}\d])/gu
/** Of an address and its postcode: a comma, a blank. */
const MAX_GAP = 2

/** An address that ends before or amid a British postcode takes in all of it: the model cuts these where it likes. */
export function withPostcode(found: ModelEntity, text: string): ModelEntity {
  if (found.kind !== "ADDRESS") return found
  for (const { 0: code, index } of text.matchAll(BRITISH_POSTCODE)) {
    const end = index + code.length
    if (index >= found.start && index <= found.end + MAX_GAP && end > found.end) return { ...found, end }
  }
  return found
}

/** `Barbosa Street` is named after a person, but is none. */
export const isStreet = (value: string): boolean =>
  /\s(?:Street|Avenue|Road|Lane|Drive|Boulevard|Square|Terrace|Crescent)$/i.test(value)
