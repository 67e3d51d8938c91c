/**
 * The Snowball stemmer for English ("Porter 2", snowballstem.org/algorithms/english): brings inflected words to one
 * form, `terminates`, `terminated`, `termination` → `termin`. Takes lower-case a–z words; leaves others as they are.
 */
const WHOLE_WORDS = new Map(
  Object.entries({
    skis: "ski",
    skies: "sky",
    dying: "die",
    lying: "lie",
    tying: "tie",
    idly: "idl",
    gently: "gentl",
    ugly: "ugli",
    early: "earli",
    only: "onli",
    singly: "singl",
  }),
)
for (const word of ["sky", "news", "howe", "atlas", "cosmos", "bias", "andes"]) WHOLE_WORDS.set(word, word)

const KEPT_AFTER_PLURAL = new Set(["inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"])

/** Suffix, replacement; the longest that matches decides, and applies only inside region 1. */
const STEP_2 = bySuffixLength([
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["abli", "able"],
  ["entli", "ent"],
  ["izer", "ize"],
  ["ization", "ize"],
  ["ational", "ate"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["alli", "al"],
  ["fulness", "ful"],
  ["ousli", "ous"],
  ["ousness", "ous"],
  ["iveness", "ive"],
  ["iviti", "ive"],
  ["biliti", "ble"],
  ["bli", "ble"],
  ["ogi", "og"],
  ["fulli", "ful"],
  ["lessli", "less"],
  ["li", ""],
])
const STEP_3 = bySuffixLength([
  ["tional", "tion"],
  ["ational", "ate"],
  ["alize", "al"],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
  ["ative", ""],
])
const STEP_4 = bySuffixLength(
  "al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion".split(" ").map(suffix => [suffix, ""]),
)

export function stemEnglish(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word
  const whole = WHOLE_WORDS.get(word)
  if (whole !== undefined) return whole
  let stem = markConsonantY(word)
  const region1 = regionAfter(stem, /^(gener|commun|arsen)/.exec(stem)?.[0].length)
  const region2 = nextRegion(stem, region1)
  stem = plural(stem)
  if (KEPT_AFTER_PLURAL.has(stem)) return stem
  stem = pastAndParticiple(stem, region1)
  stem = stem.replace(/(?<=.[^aeiouy])[yY]$/, "i")
  stem = step2(stem, region1)
  stem = step3(stem, region1, region2)
  stem = step4(stem, region2)
  return finalLetter(stem, region1, region2).replaceAll("Y", "y")
}

function bySuffixLength(rules: [string, string][]): [string, string][] {
  return rules.sort((a, b) => b[0].length - a[0].length)
}

/** `Y` stands for a y that is a consonant: at the start, or after a vowel. */
function markConsonantY(word: string): string {
  return word.includes("y") ? word.replace(/^y/, "Y").replace(/(?<=[aeiouy])y/g, "Y") : word
}

/** Start of the region after the first consonant that follows a vowel. */
function nextRegion(word: string, from: number): number {
  const match = /[aeiouy][^aeiouy]/.exec(word.slice(from))
  return match ? from + match.index + 2 : word.length
}

const regionAfter = (word: string, prefix: number | undefined): number => prefix ?? nextRegion(word, 0)

function plural(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2)
  if (word.endsWith("ied") || word.endsWith("ies")) return word.slice(0, word.length > 4 ? -2 : -1)
  if (word.endsWith("us") || word.endsWith("ss") || !word.endsWith("s")) return word
  return /[aeiouy]/.test(word.slice(0, -2)) ? word.slice(0, -1) : word
}

function pastAndParticiple(word: string, region1: number): string {
  const agreed = /eed(ly)?$/.exec(word)
  if (agreed) return agreed.index >= region1 ? `${word.slice(0, agreed.index)}ee` : word
  const ending = /(ingly|edly|ing|ed)$/.exec(word)
  if (!ending) return word
  const stem = word.slice(0, ending.index)
  if (!/[aeiouy]/.test(stem)) return word
  if (/(at|bl|iz)$/.test(stem)) return `${stem}e`
  if (/(bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(stem)) return stem.slice(0, -1)
  return region1 >= stem.length && endsShort(stem) ? `${stem}e` : stem
}

/** Ends in a short syllable: consonant, vowel, consonant but w, x, Y; or a two-letter vowel and consonant. */
function endsShort(word: string): boolean {
  return /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word) || /^[aeiouy][^aeiouy]$/.test(word)
}

function ruleFor(rules: [string, string][], word: string): [string, string] | undefined {
  for (const rule of rules) if (word.endsWith(rule[0])) return rule
  return undefined
}

function step2(word: string, region1: number): string {
  const rule = ruleFor(STEP_2, word)
  if (!rule) return word
  const stem = word.slice(0, -rule[0].length)
  if (stem.length < region1) return word
  if (rule[0] === "ogi" && !stem.endsWith("l")) return word
  if (rule[0] === "li" && !/[cdeghkmnrt]$/.test(stem)) return word
  return stem + rule[1]
}

function step3(word: string, region1: number, region2: number): string {
  const rule = ruleFor(STEP_3, word)
  if (!rule) return word
  const stem = word.slice(0, -rule[0].length)
  if (stem.length < (rule[0] === "ative" ? region2 : region1)) return word
  return stem + rule[1]
}

function step4(word: string, region2: number): string {
  const rule = ruleFor(STEP_4, word)
  if (!rule) return word
  const stem = word.slice(0, -rule[0].length)
  if (stem.length < region2 || (rule[0] === "ion" && !/[st]$/.test(stem))) return word
  return stem
}

function finalLetter(word: string, region1: number, region2: number): string {
  const stem = word.slice(0, -1)
  if (word.endsWith("e") && (stem.length >= region2 || (stem.length >= region1 && !endsShort(stem)))) return stem
  if (word.endsWith("ll") && stem.length >= region2) return stem
  return word
}
