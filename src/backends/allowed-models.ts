/** Models that somebody may use, by values and globs: `*` stands for any characters, `/` too. */

/** @param patterns null: all */
export const allows = (patterns: readonly string[] | null, value: string): boolean =>
  patterns === null || patterns.some(pattern => matches(pattern, value))

/** Linear in the value for each part between two stars: foreign patterns are no regular expressions. */
function matches(pattern: string, value: string): boolean {
  const [first = "", ...rest] = pattern.split("*")
  const last = rest.pop()
  if (last === undefined) return value === pattern
  if (!value.startsWith(first) || !value.endsWith(last) || value.length < first.length + last.length) return false
  let at = first.length
  const end = value.length - last.length
  for (const part of rest) {
    const found = value.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
