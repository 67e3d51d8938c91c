/** What somebody most likely meant who spelt a name wrong. */

/** Letters put in, left out or changed: more than this is another word. */
const MAX_MISTAKES = 3

/** The known name that is spelt most like `given`; undefined where none is close. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const [meant] = known
    .map(name => ({ name, mistakes: mistakesBetween(given, name) }))
    .filter(({ name, mistakes }) => mistakes <= Math.min(MAX_MISTAKES, name.length / 2))
    .sort((a, b) => a.mistakes - b.mistakes)
  return meant?.name
}

/** Levenshtein's distance. */
function mistakesBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)))
    row = next
  }
  return row.at(-1)!
}

/** `; did you mean --repair?`, or nothing: for the end of a refusal. */
export function didYouMean(given: string, known: readonly string[]): string {
  const meant = nearest(given, known)
  return meant === undefined ? "" : `; did you mean ${meant}?`
}
