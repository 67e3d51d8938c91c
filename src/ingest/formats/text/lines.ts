export interface Line {
  start: number
  /** Without the line break. */
  end: number
}

/** The lines of a text as offsets. */
export function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf("\n", start)
    const end = found < 0 ? text.length : found
    yield { start, end }
    start = end + 1
  }
}

const NUMBERED =
  /^(?:(?:article|section|chapter|part|annex|appendix|schedule|§)\s*[\dA-Z][\w.]*|\d{1,2}(?:\.\d{1,3}){0,4})[.):]?\s+\p{Lu}/iu

/**
 * True for a line such as `3.2 Term` or `Article 5: Notice`, in formats that do not mark headings.
 * It stands alone (`after` is blank or absent), is short, and is no sentence.
 */
export function isNumberedHeading(line: string, after: string | undefined): boolean {
  const text = line.trim()
  if (text.length < 4 || text.length > 90 || /[.,;:!?]$/.test(text) || after?.trim()) return false
  return NUMBERED.test(text) && /\p{L}{2}/u.test(text)
}
