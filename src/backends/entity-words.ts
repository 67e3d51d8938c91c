/** Our own model's list of known words (words.tsv in its folder): what a word may be, besides what its sentence says. */
import { readFileSync } from "node:fs"
import { type Atom, isSingle } from "./entity-labels.ts"

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

/** Longest listed word that is looked for where no spaces are, in characters. */
const LONGEST_WORD = 12
/** Particles that Arabic and Hebrew write in one with the word behind. */
const PREFIX =
  /^(?:[\u0648\u0641]?[\u0644\u0628\u0643]|[\u0648\u0641]|[\u05d5\u05d4\u05d1\u05dc\u05de\u05e9\u05db]{1,2})(?=..)/u

/** Class of each atom; where characters are atoms, that of the longest listed word that begins at the first one that is left. */
export function classesOf(atoms: readonly Atom[], listed: ReadonlyMap<string, number>): number[] {
  const classes: number[] = []
  while (classes.length < atoms.length) {
    const at = classes.length
    const { text } = atoms[at]!
    if (!isSingle(text)) {
      const word = text.toLowerCase()
      classes.push(listed.get(word) ?? listed.get(word.replace(PREFIX, "")) ?? 0)
      continue
    }
    const letters = runFrom(atoms, at)
    let size = letters.length
    while (size > 1 && !listed.has(letters.slice(0, size))) size--
    const found = listed.get(letters.slice(0, size)) ?? 0
    for (let i = 0; i < size; i++) classes.push(found)
  }
  return classes
}

/** The characters from one atom on, as far as they stand side by side. */
function runFrom(atoms: readonly Atom[], at: number): string {
  let letters = ""
  for (let i = at; i < atoms.length && letters.length < LONGEST_WORD; i++) {
    const { text, start } = atoms[i]!
    if (!isSingle(text) || start !== atoms[at]!.start + letters.length) break
    letters += text
  }
  return letters
}

/** Classes of names are at least this; below are ordinary words and places, and 0 is in no list. */
const FIRST_NAME_CLASS = 4

/** What the list says of the atoms between two offsets. */
export function listedAs(
  { start, end }: { start: number; end: number },
  atoms: readonly Atom[],
  classes: readonly number[],
): "name" | "words" | undefined {
  const inside = classes.filter((_, index) => {
    const atom = atoms[index]!
    return atom.start >= start && atom.end <= end && /\p{L}/u.test(atom.text)
  })
  if (inside.some(known => known >= FIRST_NAME_CLASS)) return "name"
  return inside.length > 0 && inside.every(known => known > 0) ? "words" : undefined
}
