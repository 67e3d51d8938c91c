/** Text with the marks that lie in it. */
import type { ComponentChildren } from "preact"
import { overlaps, type Span } from "./spans.ts"

export interface Marking {
  /** Ascending, not overlapping. */
  spans: readonly Span[]
  /** The one that the reader was led to. */
  current: Span | undefined
}

interface MarkedProps extends Marking {
  text: string
  /** Offset at which `text` begins. */
  from: number
}

export function Marked({ text, from, spans, current }: MarkedProps) {
  const parts: ComponentChildren[] = []
  let at = 0
  for (const span of spans) {
    if (!overlaps(span, { start: from, end: from + text.length })) continue
    const start = Math.max(at, span.start - from)
    const end = Math.min(text.length, span.end - from)
    if (start >= end) continue
    parts.push(
      text.slice(at, start),
      <mark key={start} class={span === current ? "current" : undefined}>
        {text.slice(start, end)}
      </mark>,
    )
    at = end
  }
  parts.push(text.slice(at))
  return <>{parts}</>
}
