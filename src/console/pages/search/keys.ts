/** Marks what the arrows stop at. */
export const HIT = { "data-hit": "" }

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }

/** Arrows lead from the field through the hits and back; Enter then opens, as of any button. */
export function stepThroughHits(event: KeyboardEvent, frame: HTMLElement): void {
  const step = STEPS[event.key]
  const at = event.target as HTMLElement
  const field = frame.querySelector<HTMLInputElement>("#search-text")
  if (!step || event.isComposing || (at !== field && !at.matches("[data-hit]"))) return
  const stops = [field!, ...frame.querySelectorAll<HTMLElement>("[data-hit]")]
  const next = stops[stops.indexOf(at) + step]
  if (!next) return
  event.preventDefault()
  next.focus({ preventScroll: true })
  next.scrollIntoView({ block: "center" })
}
