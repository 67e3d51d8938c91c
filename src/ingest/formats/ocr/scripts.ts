/** Scripts, and the languages (as Tesseract calls them) that are written in them. */

interface Script {
  /** As people call it. */
  name: string
  /** Names that Tesseract's look at a page gives it. */
  seenAs: readonly string[]
  /** The most spoken first. */
  languages: readonly string[]
}

/** All that Tesseract tells apart but Latin; a language that stands nowhere here is written in Latin. */
const SCRIPTS: readonly Script[] = [
  {
    name: "Cyrillic",
    seenAs: ["Cyrillic"],
    languages: ["rus", "ukr", "bul", "srp", "bel", "mkd", "kaz", "kir", "mon", "tat", "tgk", "uzb_cyrl", "aze_cyrl"],
  },
  { name: "Greek", seenAs: ["Greek"], languages: ["ell", "grc"] },
  { name: "Arabic", seenAs: ["Arabic"], languages: ["ara", "fas", "urd", "pus", "uig", "snd"] },
  { name: "Hebrew", seenAs: ["Hebrew"], languages: ["heb", "yid"] },
  { name: "Devanagari", seenAs: ["Devanagari"], languages: ["hin", "mar", "nep", "san"] },
  { name: "Chinese", seenAs: ["Han"], languages: ["chi_sim", "chi_tra"] },
  { name: "Japanese", seenAs: ["Japanese", "Hiragana", "Katakana"], languages: ["jpn"] },
  { name: "Korean", seenAs: ["Korean", "Hangul"], languages: ["kor"] },
  { name: "Thai", seenAs: ["Thai"], languages: ["tha"] },
  { name: "Armenian", seenAs: ["Armenian"], languages: ["hye"] },
  { name: "Georgian", seenAs: ["Georgian"], languages: ["kat"] },
  { name: "Bengali", seenAs: ["Bengali"], languages: ["ben", "asm"] },
  { name: "Tamil", seenAs: ["Tamil"], languages: ["tam"] },
  { name: "Telugu", seenAs: ["Telugu"], languages: ["tel"] },
  { name: "Kannada", seenAs: ["Kannada"], languages: ["kan"] },
  { name: "Malayalam", seenAs: ["Malayalam"], languages: ["mal"] },
  { name: "Gujarati", seenAs: ["Gujarati"], languages: ["guj"] },
  { name: "Gurmukhi", seenAs: ["Gurmukhi"], languages: ["pan"] },
  { name: "Khmer", seenAs: ["Khmer"], languages: ["khm"] },
  { name: "Lao", seenAs: ["Lao"], languages: ["lao"] },
  { name: "Burmese", seenAs: ["Myanmar"], languages: ["mya"] },
  { name: "Sinhala", seenAs: ["Sinhala"], languages: ["sin"] },
  { name: "Ethiopic", seenAs: ["Ethiopic"], languages: ["amh", "tir"] },
  { name: "Tibetan", seenAs: ["Tibetan"], languages: ["bod", "dzo"] },
  { name: "Cherokee", seenAs: ["Cherokee"], languages: ["chr"] },
]

export const LATIN = "Latin"
/** Scripts with signs in common: which of them a page has is told by trying. */
const SHARED_SIGNS = new Set(["Chinese", "Japanese", "Korean"])

export const scriptOf = (language: string): string =>
  SCRIPTS.find(({ languages }) => languages.includes(language))?.name ?? LATIN

/** Undefined for what is no script: signs and digits. */
export const scriptSeenAs = (seen: string): string | undefined =>
  seen === LATIN ? LATIN : SCRIPTS.find(({ seenAs }) => seenAs.includes(seen))?.name

/** It, and those that it is easily taken for. */
export const scriptsLike = (name: string): readonly string[] => (SHARED_SIGNS.has(name) ? [...SHARED_SIGNS] : [name])

/** Says in a warning why writing was not read, and what to do. `scripts` are those that it may be in. */
export function explainMissing(scripts: readonly string[], where: string): string {
  const known = scripts.map(name => {
    const languages = SCRIPTS.find(script => script.name === name)!.languages.slice(0, 2)
    return `${name} (${languages.join(", ")})`
  })
  return `${where} ${known.join(" or ")} writing that no installed OCR language reads: add a pack with it (carrel packs add), then carrel reindex --warning ocr_language_missing`
}
