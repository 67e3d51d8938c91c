import { useEffect, useRef, useState } from "preact/hooks"
import { t } from "../text.ts"
import { Button } from "../ui/button.tsx"
import { Marked, type Marking } from "./marked.tsx"
import type { Span } from "./spans.ts"

/** Shown at once: a browser lays out this much without a pause, a book of millions of characters it does not. */
const WINDOW = 30_000

interface TextViewProps extends Marking {
  text: string
  /** What of the text is to be seen. */
  part: Span
}

const around = (at: number): Span => ({ start: at - WINDOW / 2, end: at + WINDOW })

/** Extracted text around what the reader was led to; more on demand at both ends. */
export function TextView({ text, part, spans, current }: TextViewProps) {
  const [shown, setShown] = useState(() => around(current?.start ?? part.start))
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    if (current && (current.start < shown.start || current.end > shown.end)) setShown(around(current.start))
    else box.current?.querySelector("mark.current")?.scrollIntoView({ block: "center" })
  }, [current, shown.start])
  const start = Math.max(part.start, shown.start)
  const end = Math.min(part.end, Math.max(shown.end, part.start + WINDOW))
  return (
    <div class="document">
      {start > part.start && (
        <Button onClick={() => setShown({ ...shown, start: start - WINDOW })}>{t("Show what comes before")}</Button>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section ref={box} class="document-text" dir="auto" tabIndex={0} aria-label={t("Extracted text")}>
        <Marked text={text.slice(start, end)} from={start} spans={spans} current={current} />
      </section>
      {end < part.end && (
        <Button onClick={() => setShown({ ...shown, end: end + WINDOW })}>{t("Show what follows")}</Button>
      )}
    </div>
  )
}
