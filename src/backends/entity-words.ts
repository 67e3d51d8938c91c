/** Our own model's list of known words (words.tsv in its folder): what a word may be, besides what its sentence says. */
import { readFileSync } from "node:fs"
import type { Atom } from "./entity-labels.ts"

/** Cases of caseOf, and one for small words in a text without any capital. */
export const CASES = 6
export const SMALL_THROUGHOUT = 5

/**
 * The class of each listed word, as scripts/train/entities/wordpieces.py reads the same file: 4 for a given name, 8 for
 * a surname alone, and 1 for a common English word, 2 for a thing or place, 3 for a common word of another language.
 */
export function readWordClasses(path: string): Map<string, number> {
  const classes = new Map<string, number>()
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const [letters = "", words = ""] = line.split("\t")
    const name = letters.includes("g") ? 4 : letters.includes("s") ? 8 : 0
    const kind = letters.includes("c") ? 1 : letters.includes("t") ? 2 : letters.includes("f") ? 3 : 0
    for (const word of words.split(" ")) classes.set(word, name + kind)
  }
  return classes
}

/** Class of each atom. */
export const classesOf = (atoms: readonly Atom[], listed: ReadonlyMap<string, number>): number[] =>
  atoms.map(({ text }) => listed.get(text.toLowerCase()) ?? 0)
