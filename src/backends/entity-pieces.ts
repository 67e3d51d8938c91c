/** How a text reaches the entity encoder: its atoms, and the pieces of the embedding model's vocabulary that each is made of. */
import { normalForm } from "../normal-form.ts"
import { type Atom, THAI, UNSPACED } from "./entity-labels.ts"
import type { Unigram } from "./unigram.ts"

/** An atom, and the ids that stand for it. */
export interface PieceAtom extends Atom {
  ids: number[]
}

/**
 * The same cut as scripts/train/entities/encoder/pieces.py. Each character of a script without white space is an atom, but
 * for Thai, whose letters say nothing alone: a run of them is cut into pieces, and each piece is an atom.
 */
const ATOM = new RegExp(`\\n|[${UNSPACED}]|[${THAI}]+|(?:(?![${UNSPACED}${THAI}])[\\p{L}\\p{M}])+|\\p{Nd}+|\\S`, "gu")
const IS_SINGLE = new RegExp(`^[${UNSPACED}]$`)
const IS_THAI = new RegExp(`^[${THAI}]`)
const SPACE = "▁"

/** @param end the id that stands for a line's end */
export function pieceAtomsOf(text: string, unigram: Unigram, end: number): PieceAtom[] {
  return [...text.matchAll(ATOM)].flatMap(({ 0: written, index }) => {
    const spaced = index === 0 || /\s/.test(text[index - 1]!)
    const whole = { text: written, start: index, end: index + written.length, spaced }
    if (written === "\n") return { ...whole, ids: [end] }
    if (IS_SINGLE.test(written)) return { ...whole, ids: [unigram.pieceId(written)] }
    if (IS_THAI.test(written)) return cut(whole, unigram)
    return { ...whole, ids: wordIds(written, unigram) }
  })
}

function wordIds(word: string, unigram: Unigram): number[] {
  const pieces = unigram.cut(SPACE + lessLoud(normalForm(word, "NFKC").replace(VOWELS, "")))
  // A lone mark of the space says nothing.
  const isMarkAlone = pieces.length > 1 && pieces[0]!.units === SPACE.length
  return pieces.slice(isMarkAlone ? 1 : 0).map(({ id }) => id)
}

/** Signs of vowels, and strokes that widen a word: most texts in Hebrew and Arabic letters go without. */
const VOWELS = /[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g

/** `ПЕТРОВ` is read as `Петров`: of words in capitals pretraining knows little. Shorter ones are abbreviations. */
const lessLoud = (word: string): string => (LOUD.test(word) ? word[0]! + word.slice(1).toLowerCase() : word)
const LOUD = /^[\p{Lu}\p{M}]{4,}$/u

/** The pieces of a run. Their edges are those of its characters, normalized one by one. */
function cut(run: Atom, unigram: Unigram): PieceAtom[] {
  const forms = Array.from(run.text, character => character.normalize("NFKC"))
  const ends: number[] = []
  for (const form of forms) ends.push((ends.at(-1) ?? 0) + form.length)
  const atoms: PieceAtom[] = []
  let start = 0
  let at = -SPACE.length
  for (const { id, units } of unigram.cut(SPACE + forms.join(""))) {
    at += units
    let end = start
    // A piece may end amid a character that normalizes to two.
    while (end < ends.length && ends[end]! <= at) end++
    if (end === start) continue
    atoms.push({
      text: run.text.slice(start, end),
      start: run.start + start,
      end: run.start + end,
      spaced: start === 0 && run.spaced,
      ids: [id],
    })
    start = end
  }
  return atoms
}
