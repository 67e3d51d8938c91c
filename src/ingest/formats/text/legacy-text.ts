/**
 * Text of the time before Unicode: which 8-bit code page, or which East Asian double-byte one, bytes are in. Programs name
 * one (by language, by the fonts' character sets), often the wrong one; the text itself decides, what is named breaks ties.
 */
import iconv from "iconv-lite"
import jschardet from "jschardet"
import { familiarity } from "./legibility.ts"

/** By the language id of Windows without its region (the low ten bits), where it is not windows-1252. */
const BY_LANGUAGE: Record<number, string> = {
  1: "windows-1256",
  2: "windows-1251",
  5: "windows-1250",
  8: "windows-1253",
  13: "windows-1255",
  14: "windows-1250",
  17: "shift_jis",
  18: "euc-kr",
  21: "windows-1250",
  24: "windows-1250",
  25: "windows-1251",
  26: "windows-1250",
  27: "windows-1250",
  28: "windows-1250",
  30: "windows-874",
  31: "windows-1254",
  32: "windows-1256",
  34: "windows-1251",
  35: "windows-1251",
  36: "windows-1250",
  37: "windows-1257",
  38: "windows-1257",
  39: "windows-1257",
  41: "windows-1256",
  42: "windows-1258",
  44: "windows-1254",
  47: "windows-1251",
  63: "windows-1251",
}
/** The same for those whose region tells the writing. */
const BY_LOCALE: Record<number, string> = {
  1028: "big5",
  3076: "big5",
  5124: "big5",
  2052: "gbk",
  4100: "gbk",
  3098: "windows-1251",
  8218: "windows-1251",
  2092: "windows-1251",
  2115: "windows-1251",
}

/** By the character set of a font, as Windows numbers them. */
const BY_CHARSET: Record<number, string> = {
  77: "macintosh",
  128: "shift_jis",
  129: "euc-kr",
  134: "gbk",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
}

/** Undefined for languages that are written in windows-1252, and for unknown ones. */
export const codePageOfLanguage = (id: number): string | undefined => BY_LOCALE[id] ?? BY_LANGUAGE[id & 0x3ff]
export const codePageOfCharset = (charset: number): string | undefined => BY_CHARSET[charset]

const WESTERN = "windows-1252"
const SINGLE_BYTE = [
  WESTERN,
  "windows-1250",
  "windows-1251",
  "windows-1253",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "windows-1257",
  "windows-1258",
  "windows-874",
]
const DOUBLE_BYTE = ["shift_jis", "gbk", "big5", "euc-kr"]
const SAMPLE_BYTES = 32_768
/** What being named is worth, in shares of plausible words. */
const NAMED_BONUS = 0.15

/**
 * The code page of `bytes`. `named`: what the document or its fonts name, most important first. `onlySingle` leaves the
 * double-byte ones out, for texts whose characters were counted as bytes.
 */
export function detectCodePage(bytes: Uint8Array, named: string[], onlySingle = false): string {
  const candidates = new Set([...named, ...SINGLE_BYTE, ...DOUBLE_BYTE])
  if (onlySingle) for (const page of DOUBLE_BYTE) candidates.delete(page)
  return mostPlausible(bytes, named, candidates)
}

/** File names in archives: mostly those of DOS, which differ by country. */
const NAME_PAGES = ["cp437", "ibm866", ...DOUBLE_BYTE, "windows-1251", WESTERN]
export const detectNamePage = (names: Uint8Array): string => mostPlausible(names, ["cp437"], new Set(NAME_PAGES))

function mostPlausible(bytes: Uint8Array, named: string[], candidates: Set<string>): string {
  const sample = spokenSample(bytes)
  if (sample.length === 0) return named[0] ?? WESTERN
  const guess = jschardet.detect(Buffer.from(sample)).encoding?.toLowerCase()
  let best = { page: named[0] ?? WESTERN, score: Number.NEGATIVE_INFINITY }
  for (const page of candidates) {
    const rank = named.indexOf(page)
    const bonus = rank >= 0 ? NAMED_BONUS / (rank + 1) : page === guess || page === WESTERN ? NAMED_BONUS / 4 : 0
    const score = plausibility(sample, page) + bonus
    if (score > best.score) best = { page, score }
  }
  return best.page
}

/** True for text read as windows-1252 whose words are made of accented letters: `Êîìïàíèÿ`. No Western language has such. */
export function isMisreadWestern(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const accented = text.match(/[\u00aa-\u00ff\u0152-\u0178\u0192]/g)?.length ?? 0
  return accented >= 4 && accented > letters * 0.4
}

export function decodeBytes(bytes: Uint8Array, encoding: string): string {
  const whole = encoding === "utf-16le" ? bytes.subarray(0, bytes.length & ~1) : bytes
  try {
    // The platform knows fewer than the detector and the list of names.
    return new TextDecoder(encoding as "utf-8").decode(whole)
  } catch {
    return iconv.decode(Buffer.from(whole), iconv.encodingExists(encoding) ? encoding : WESTERN)
  }
}

/** The words with bytes above ASCII, which alone differ: the whole sample may be English but for one name. */
function spokenSample(bytes: Uint8Array): Uint8Array {
  const words: number[] = []
  let start = 0
  let high = false
  for (let at = 0; at <= bytes.length && words.length < SAMPLE_BYTES; at++) {
    const byte = at < bytes.length ? bytes[at]! : 32
    if (byte >= 128) high = true
    if (byte > 32 && at - start < 200) continue
    if (high) {
      for (let i = start; i < at; i++) words.push(bytes[i]!)
      words.push(32)
    }
    start = byte > 32 ? at : at + 1
    high = byte > 32 && byte >= 128
  }
  return Uint8Array.from(words)
}

/** About 0 to 1: how much bytes read in a code page look like words of one language. */
function plausibility(bytes: Uint8Array, page: string): number {
  const text = decodeBytes(bytes, page)
  const foreign = text.match(/[^\x00-\x7f]/gu) ?? []
  if (foreign.length === 0) return 0
  const broken = foreign.filter(character => /[\ufffd\x80-\x9f\p{Co}\p{Cn}]/u.test(character)).length / foreign.length
  const common = COMMON_LEADS[page]
  if (common) return 0.5 * commonPairs(bytes, common) + 0.8 * share(foreign, COMMON_EAST_ASIAN) - broken * 5
  const words = text.match(/\S+/g) ?? []
  const odd = words.filter(isOddWord).length / words.length
  return (familiarity(text) ?? 0.6 * commonLetters(foreign)) + 0.3 * (1 - odd) - broken * 2 - odd * 0.5
}

/** First bytes of the characters that most texts are made of: signs, kana, and the frequent half of what has two bytes. */
const COMMON_LEADS: Record<string, [from: number, to: number][]> = {
  shift_jis: [
    [0x81, 0x83],
    [0x88, 0x97],
  ],
  gbk: [
    [0xa1, 0xa3],
    [0xb0, 0xd7],
  ],
  gb2312: [
    [0xa1, 0xa3],
    [0xb0, 0xd7],
  ],
  gb18030: [
    [0xa1, 0xa3],
    [0xb0, 0xd7],
  ],
  big5: [
    [0xa1, 0xa1],
    [0xa4, 0xc6],
  ],
  "euc-kr": [
    [0xa1, 0xa1],
    [0xa3, 0xa3],
    [0xb0, 0xc8],
  ],
  "euc-jp": [
    [0xa1, 0xa1],
    [0xa3, 0xa5],
    [0xb0, 0xcf],
  ],
}

function commonPairs(bytes: Uint8Array, leads: [from: number, to: number][]): number {
  let pairs = 0
  let common = 0
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at]!
    if (lead < 0x80) continue
    pairs++
    if (leads.some(([from, to]) => lead >= from && lead <= to)) common++
    at++
  }
  return pairs === 0 ? 0 : common / pairs
}

const COMMON_EAST_ASIAN =
  /[\p{Script=Hiragana}ー・的一是不了在人有我他這这中大来來上国國个個到说說们們为為子和你地出道也时時年이다는에을의가를고은하지로기도한사서대인]/u
/** The letters that make most of a text in each of the scripts that only one language is written in. */
const COMMON_LETTERS = [
  [/\p{Script=Greek}/u, /[αοιετσνηυρπκάόίέήςΑΟΕΤ]/u],
  [/\p{Script=Hebrew}/u, /[יוהלארתבמשנם\u05b0-\u05bc]/u],
  [/\p{Script=Thai}/u, /[านรอกเงมยลวดทตสหปบคจะั่้ิีุ์ไใแ]/u],
] as const

/** The share of common letters where most are of one such script, else 0. */
function commonLetters(foreign: string[]): number {
  const script = COMMON_LETTERS.find(([all]) => share(foreign, all) > 0.8)
  return script ? share(foreign, script[1]) : 0
}

const share = (characters: string[], kind: RegExp) =>
  characters.filter(character => kind.test(character)).length / characters.length

/** Letters of two writings in one word, signs between letters, capitals after small letters, Greek accents at odd places. */
function isOddWord(word: string): boolean {
  const core = word.replace(/^[^\p{L}\p{M}]+|[^\p{L}\p{M}]+$/gu, "")
  if (core.length < 2) return !/\p{L}|\p{N}/u.test(word) && /[^\x00-\x7f–—‘’“”«»„…•№§°©®™€]/u.test(word)
  if (/[^\p{L}\p{M}\p{N}'’‘.\-–—/@_&:,;()«»„“”…\u00a0\u00ad\u200b-\u200f]/u.test(core)) return true
  if (/[\u200b-\u200f]/.test(core) && /\p{Script=Latin}/u.test(core)) return true
  if (/[ςםןץףך]\p{L}/u.test(core)) return true // forms of the end of a word
  if (/\p{Ll}\p{Lu}/u.test(core)) return true
  const scripts = [
    /\p{Script=Latin}/u,
    /\p{Script=Cyrillic}/u,
    /\p{Script=Greek}/u,
    /\p{Script=Hebrew}/u,
    /\p{Script=Arabic}/u,
    /\p{Script=Thai}/u,
  ]
  return core.split(/[^\p{L}\p{M}]+/u).some(part => scripts.filter(script => script.test(part)).length > 1)
}
