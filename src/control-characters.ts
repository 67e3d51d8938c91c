/**
 * Characters that a terminal would obey, or that break a line or turn the direction of what follows: in names and lines of
 * the log they would make one thing look like another.
 */
const CONTROL = "[\\p{Cc}\\p{Zl}\\p{Zp}\\u202a-\\u202e\\u2066-\\u2069]"
const ONE = new RegExp(CONTROL, "u")
const EACH = new RegExp(CONTROL, "gu")

export const hasControlCharacters = (text: string): boolean => ONE.test(text)

export const replaceControlCharacters = (text: string, replacement: (character: string) => string): string =>
  text.replace(EACH, replacement)
