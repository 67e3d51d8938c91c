/** Brings texts to the letters by which they are compared: lower case, without accents. */
import { normalForm } from "../../normal-form.ts"

const ASCII = /^[\x00-\x7f]*$/
/**
 * Letters that Unicode does not split into a letter and an accent, with what people write who lack the key. Not among them is
 * đ, which tells words apart in Vietnamese: folded it cost .004 nDCG@10 there.
 */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  ł: "l",
  ø: "o",
  ı: "i",
  æ: "ae",
  œ: "oe",
}
const FOLDED_LETTERS = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g")

/** What joins or breaks letters without being seen: soft hyphen, joiners, variation selectors, byte order mark. For a character class. */
export const INVISIBLE = "\\u00ad\\u200d\\u2060\\ufe00-\\ufe0f\\ufeff"
/** Latin accents, Hebrew points, Arabic vowel marks and stretching, and what is not seen. */
const MARKS = new RegExp(
  `[\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u064b-\\u065f\\u0670\\u0640${INVISIBLE}]`,
  "g",
)
/** A vowel of Thai and of Lao that NFKD takes apart, and NFC does not join. */
const AM = /\u0e4d\u0e32|\u0ecd\u0eb2/g
/** `½` becomes `1⁄2`, which is not to join the figure before it. */
const FRACTIONS = /[\u00bc-\u00be\u2150-\u215f\u2189]/g

/** Languages that differ in signs alone. For an expression that knows no case. */
export const SIGNED = "(?<![\\p{L}\\p{N}\\p{M}])(?:c\\+\\+|[cfj]#)(?![\\p{L}+#])"
const SIGNED_NAMES = new RegExp(SIGNED, "giu")

/** Lower case, compatibility forms, Latin accents and letters folded; Hangul stays composed. `C++` and `C#` become words. */
export function foldText(text: string): string {
  const folded = ASCII.test(text) ? text.toLowerCase() : foldLetters(text)
  if (!folded.includes("#") && !folded.includes("++")) return folded
  return folded.replace(SIGNED_NAMES, name => `${name[0]}${name[1] === "#" ? "sharp" : "plusplus"} `)
}

function foldLetters(text: string): string {
  return normalForm(text.replace(FRACTIONS, " $&"), "NFKD")
    .replace(MARKS, "")
    .normalize("NFC")
    .replace(AM, taken => (taken.startsWith("\u0e4d") ? "\u0e33" : "\u0eb3"))
    .toLowerCase()
    .replace(FOLDED_LETTERS, letter => LETTERS[letter]!)
}
