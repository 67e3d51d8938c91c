/**
 * Whether the text of a page says what the page shows. A PDF font may map its glyphs to no characters, to private or
 * unassigned ones, or to wrong letters: what is copied out of it is then noise, in whatever script.
 */
import { data as profiles } from "franc/data.js"
import { normalForm } from "../../../normal-form.ts"

/** `doubtful` text may be a list of codes or names as well as noise: only a look at the page can tell. */
export type Legibility = "clear" | "doubtful" | "noise"

/** Characters of a page that are looked at. */
const SAMPLE_CHARS = 4000
const MIN_CHARS = 10
/** Shares of the visible characters from which on a page is noise. Bullets and old Thai fonts use some private ones. */
const MAX_CONTROLS = 0.05
const MAX_REPLACED = 0.1
const MOSTLY = 0.6
/** Formulas have some signs of their fonts' own. */
const MAX_UNASSIGNED = 0.25
/** Scripts that each have a twentieth of the letters; not even a dictionary mixes so many on a page. */
const MAX_SCRIPTS = 4
/** Share of characters without an entry in the font's map from which on the text is looked at twice. */
const MAX_UNMAPPED = 0.3
/**
 * Least share of letter triples that are among the 300 most common ones of some language. Of 160 pages of text the lowest
 * had .23 (Lorem ipsum); shifted alphabets have .04, lists of signs .12.
 */
const MIN_FAMILIAR = 0.17
const CLEARLY_FAMILIAR = 0.25
/** Texts of fewer letters say little. */
const MIN_LETTERS = 60

/** `unmapped`: share of the characters that the font has no map for, 0 where that is not known. */
export function legibility(text: string, unmapped = 0): Legibility {
  const sample = text.slice(0, SAMPLE_CHARS)
  const { visible, controls, replaced, unassigned } = countCharacters(sample)
  if (visible < MIN_CHARS) return "clear"
  if (controls > Math.max(1, visible * MAX_CONTROLS) || replaced > visible * MAX_REPLACED) return "noise"
  if (unassigned > visible * MOSTLY) return "noise"
  if (unassigned > visible * MAX_UNASSIGNED) return "doubtful"
  const guessed = unmapped > MAX_UNMAPPED
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  if (letters >= MIN_LETTERS && scriptsOf(sample) > MAX_SCRIPTS) return guessed ? "noise" : "doubtful"
  const familiar = familiarity(sample)
  if (familiar === undefined) return guessed ? "doubtful" : "clear"
  if (letters < MIN_LETTERS) return guessed && familiar < CLEARLY_FAMILIAR ? "doubtful" : "clear"
  return familiar < MIN_FAMILIAR ? "doubtful" : "clear"
}

interface Counts {
  visible: number
  controls: number
  replaced: number
  /** Without a meaning, or with one in a single font only. */
  unassigned: number
}

function countCharacters(text: string): Counts {
  const counts: Counts = { visible: 0, controls: 0, replaced: 0, unassigned: 0 }
  for (const character of text) {
    const code = character.codePointAt(0)!
    // PDFium writes U+FFFE for a hyphen at the end of a line.
    if (code === 32 || (code >= 9 && code <= 13) || code === 0xfffe) continue
    counts.visible++
    if (code < 32 || (code >= 0x7f && code < 0xa0)) counts.controls++
    else if (code === 0xfffd) counts.replaced++
    else if (code > 0x36f && /[\p{Co}\p{Cn}\p{Cs}]/u.test(character)) counts.unassigned++
  }
  return counts
}

const SCRIPTS =
  "Latin Cyrillic Greek Arabic Hebrew Armenian Georgian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Khmer Ethiopic Cherokee Hangul Syriac Thaana Nko Samaritan Mandaic Canadian_Aboriginal Runic Tagalog Mongolian"
    .split(" ")
    .map(name => new RegExp(`\\p{Script=${name}}`, "gu"))
/** One written language uses them side by side. */
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}]/gu

function scriptsOf(text: string): number {
  const counts = [EAST_ASIAN, ...SCRIPTS].map(script => text.match(script)?.length ?? 0)
  const letters = counts.reduce((sum, count) => sum + count, 0)
  return counts.filter(count => count * 20 > letters).length
}

interface Profiles {
  /** Languages by triple, as numbers. */
  triples: Map<string, number[]>
  languages: number
  letters: RegExp
}
/**
 * Not the table that search tells languages by (`search/text/language.ts`), nor these profiles there: neither does the
 * other's work. That table gives noise in Cyrillic up to 60 and in Devanagari up to 169, for its script alone, and
 * sound Irish, Swahili or Latin, which are not among its 60 languages, 21 to 37: no bound parts them. Here 95 of 100
 * paragraphs of noise have .14 at most, and of sound text in 20 languages .17 at least. By these profiles in turn 31 %
 * of 1 190 English questions and 15 of 20 short English phrases are taken for another language, by that table none.
 */
let known: Profiles[] | undefined

function loadProfiles(): Profiles[] {
  known ??= Object.entries(profiles).map(([script, languages]) => {
    const triples = new Map<string, number[]>()
    for (const [number, list] of Object.values(languages).entries())
      for (const triple of list.split("|")) triples.set(triple, [...(triples.get(triple) ?? []), number])
    return { triples, languages: Object.keys(languages).length, letters: new RegExp(`\\p{Script=${script}}`, "gu") }
  })
  return known
}

/**
 * The share (0..1) of letter triples that are common in that language in which most are; undefined for scripts of one
 * language, whose letters alone say enough.
 */
export function familiarity(text: string): number | undefined {
  const words = normalForm(text, "NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}]+/gu, " ")
  const letters = words.match(/\p{L}/gu)?.length ?? 0
  const profile = loadProfiles().find(({ letters: own }) => (words.match(own)?.length ?? 0) * 2 > letters)
  if (!profile) return undefined
  const hits = new Float64Array(profile.languages)
  let total = 0
  const padded = ` ${words.trim()} `
  for (let at = 0; at + 3 <= padded.length; at++) {
    if (padded[at + 1] === " ") continue
    total++
    for (const language of profile.triples.get(padded.slice(at, at + 3)) ?? []) hits[language]!++
  }
  return total === 0 ? undefined : Math.max(...hits) / total
}
