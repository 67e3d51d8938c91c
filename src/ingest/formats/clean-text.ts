/**
 * Makes text storable and offset-safe: well-formed UTF-16, `\n` as the only line break, no NUL or other control
 * character but the tab. Idempotent.
 */
export function cleanText(text: string): string {
  let cleaned = text.isWellFormed() ? text : text.toWellFormed()
  if (cleaned.includes("\r")) cleaned = cleaned.replace(/\r\n?/g, "\n")
  // U+FEFF is a byte-order mark that strayed into the text; U+FFFE and U+FFFF are no characters at all.
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\ufffe\uffff]/.test(cleaned))
    cleaned = cleaned.replace(/[\x0b\x0c]/g, "\n").replace(/[\x00-\x08\x0e-\x1f\x7f\ufeff\ufffe\uffff]/g, "")
  return cleaned
}

/** Runs of blanks become one, lines and ends are trimmed, more than one empty line becomes one. */
export function tidyText(text: string): string {
  return text
    .replace(/[ \t\u00a0]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}
