/** The part of a passage that shows why it was found. */
export interface Span {
  start: number
  end: number
}

/** Room before the first highlight, so that it is read in its sentence. */
const LEAD = 90

/** The window of about `length` characters that holds the most highlighted text, moved to word boundaries. */
export function excerptOf(text: string, spans: readonly Span[], length: number): Span {
  if (text.length <= length * 1.3) return { start: 0, end: text.length }
  let best = { start: 0, covered: -1 }
  for (const { start } of spans) {
    const covered = spans
      .filter(span => span.start >= start && span.end <= start + length - LEAD)
      .reduce((sum, span) => sum + span.end - span.start, 0)
    if (covered > best.covered) best = { start, covered }
  }
  const start = Math.max(0, Math.min(best.start - LEAD, text.length - length))
  return {
    start: start === 0 ? 0 : boundaryAfter(text, start),
    end: boundaryBefore(text, Math.min(text.length, start + length)),
  }
}

const boundaryAfter = (text: string, at: number): number => {
  const space = text.slice(at, at + 40).search(/\s/)
  return space < 0 ? at : at + space + 1
}

const boundaryBefore = (text: string, at: number): number => {
  if (at === text.length) return at
  const space = text.slice(at - 40, at).search(/\s\S*$/)
  return space < 0 ? at : at - 40 + space
}
