import { useEffect, useRef, useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import { Button } from "../../ui/button.tsx"
import { Problem } from "../../ui/form.tsx"

/** Shown at once: a browser lays out this much without a pause, a book of millions of characters it does not. */
const WINDOW = 30_000

interface FileTextProps {
  fileId: string
  passage?: { start: number; end: number }
}

/** Extracted text around a passage; more on demand at both ends. */
export function FileText({ fileId, passage }: FileTextProps) {
  const text = useLoaded(fileId, signal => api.text(`/libraries/${fileId}/text`, signal))
  const [shown, setShown] = useState(() => ({
    start: Math.max(0, (passage?.start ?? 0) - WINDOW / 2),
    end: (passage?.start ?? 0) + WINDOW,
  }))
  const mark = useRef<HTMLElement>(null)
  const loaded = text.data !== undefined
  useEffect(() => {
    if (loaded) mark.current?.scrollIntoView({ block: "center" })
  }, [loaded])
  if (text.error) return <Problem error={text.error} />
  if (text.data === undefined) return <p class="soft">Loading the text …</p>
  const whole = text.data
  const cut = (from: number, to: number) => whole.slice(Math.max(from, shown.start), Math.min(to, shown.end))
  return (
    <div class="document">
      {shown.start > 0 && (
        <Button onClick={() => setShown({ ...shown, start: Math.max(0, shown.start - WINDOW) })}>
          Show what comes before
        </Button>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section class="document-text" dir="auto" tabIndex={0} aria-label="Extracted text">
        {passage ? (
          <>
            {cut(0, passage.start)}
            <mark ref={mark}>{cut(passage.start, passage.end)}</mark>
            {cut(passage.end, whole.length)}
          </>
        ) : (
          cut(0, whole.length)
        )}
      </section>
      {shown.end < whole.length && (
        <Button onClick={() => setShown({ ...shown, end: shown.end + WINDOW })}>Show what follows</Button>
      )}
    </div>
  )
}
