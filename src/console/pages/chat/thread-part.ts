/** Which messages of a long thread are in the page: a part that moves with the reader. On paper all of them are. */
import { options } from "preact"
import { useEffect, useState } from "preact/hooks"

/** Messages in the page: so many that also short ones are some screens, and one end is out of reach of the other. */
const DRAWN = 120
/** How many come and go at a time. */
const STEP = 40

export interface ThreadPart {
  from: number
  /** Not included. */
  to: number
  /** Messages come after it. */
  hasLater: boolean
  move(by: "earlier" | "later"): void
  toNewest(): void
}

/** @param id of the thread: another one begins at its end */
export function useThreadPart(id: string | undefined, count: number): ThreadPart {
  // Undefined follows the newest.
  const [place, setPlace] = useState<{ id: string | undefined; to: number | undefined }>({ id, to: undefined })
  const printing = usePrinting()
  const to = Math.min(count, (place.id === id ? place.to : undefined) ?? count)
  const goTo = (next: number) =>
    setPlace({ id, to: next >= count ? undefined : Math.max(next, Math.min(count, DRAWN)) })
  return {
    from: printing ? 0 : Math.max(0, to - DRAWN),
    to: printing ? count : to,
    hasLater: !printing && to < count,
    move: by => goTo(by === "earlier" ? to - STEP : to + STEP),
    toNewest: () => goTo(count),
  }
}

function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false)
  useEffect(() => {
    const listening = new AbortController()
    const { signal } = listening
    addEventListener("beforeprint", () => atOnce(() => setPrinting(true)), { signal })
    addEventListener("afterprint", () => setPrinting(false), { signal })
    return () => listening.abort()
  }, [])
  return printing
}

/** Drawn when it returns: what is printed is what is in the page then. */
function atOnce(change: () => void): void {
  const { debounceRendering } = options
  options.debounceRendering = render => render()
  change()
  if (debounceRendering) options.debounceRendering = debounceRendering
  else delete options.debounceRendering
}
