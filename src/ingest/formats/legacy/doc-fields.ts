const FIELD_BEGIN = 0x13
const FIELD_SEPARATOR = 0x14
const FIELD_END = 0x15

/**
 * Text of a Word stream with the results of its fields and without their codes. Ends of paragraphs, lines and pages
 * become `\n`; the cell marks (U+0007) stay.
 */
export function plainFields(text: string): string {
  // For each open field, whether its result has begun.
  const fields: boolean[] = []
  let plain = ""
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === FIELD_BEGIN) fields.push(false)
    else if (code === FIELD_SEPARATOR) {
      if (fields.length > 0) fields[fields.length - 1] = true
    } else if (code === FIELD_END) fields.pop()
    else if (!fields.includes(false)) plain += shown(code, text[i]!)
  }
  return plain
}

function shown(code: number, character: string): string {
  if (code >= 32) return character
  if (code >= 10 && code <= 14) return "\n"
  if (code === 9 || code === 7) return character
  // A hyphen that does not break; one that only shows at a line end; pictures and other anchors.
  return code === 30 ? "-" : ""
}
