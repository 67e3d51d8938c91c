/** Tells secrets from the words that stand in for them. */

const STAND_INS =
  /^(?:<|\$\{|\{\{|%\(|\*{3,}|x{4,}$|\.{3}|your[_-]|my[_-]?(?:api|secret|key)|example|placeholder|changeme_|null$|none$|nil$|undefined$|true$|false$|string$|required$|optional$|the$|an?$|your$|this$|used$|if$|is$|to$|for$|process\.env|os\.environ|env\.|secrets?\.)/i

/** `null`, `${PASSWORD}`, `<your key>`: said instead of a value. */
export const isPlaceholder = (value: string): boolean => STAND_INS.test(value)

/** At least 16 characters of mixed kinds, or hexadecimal, with more than 3 bits per character. */
export function looksRandom(value: string): boolean {
  if (value.length < 12 || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false
  return entropy(value) > 2.8
}

/** Bits per character by the value's own character counts (Shannon). */
function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
