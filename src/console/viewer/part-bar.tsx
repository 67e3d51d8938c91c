import { count } from "../format.ts"
import { Button } from "../ui/button.tsx"
import { Icon } from "../ui/icons.tsx"
import type { Part } from "./places.ts"

interface StepperProps {
  /** "page" or "slide". */
  name: string
  /** From 1. */
  at: number
  of: number
  onGo: (to: number) => void
}

/** From page to page, or to one by its number. */
export const Stepper = ({ name, at, of, onGo }: StepperProps) => (
  <div class="stepper">
    <Button kind="quiet" icon="back" label={`Previous ${name}`} disabled={at <= 1} onClick={() => onGo(at - 1)} />
    <input
      class="input"
      type="number"
      aria-label={`Go to ${name}`}
      min={1}
      max={of}
      value={at}
      onChange={event => {
        const to = Math.trunc(Number(event.currentTarget.value))
        if (to >= 1 && to <= of) onGo(to)
        else event.currentTarget.value = String(at)
      }}
    />
    <span class="soft small">of {count(of)}</span>
    <Button kind="quiet" icon="forward" label={`Next ${name}`} disabled={at >= of} onClick={() => onGo(at + 1)} />
  </div>
)

interface PartTabsProps {
  parts: readonly Part[]
  current: number
  onChoose: (part: number) => void
}

/** Sheets of a workbook; a mail and what is attached to it. */
export const PartTabs = ({ parts, current, onChoose }: PartTabsProps) => (
  <nav class="part-tabs" aria-label="Parts of the document">
    {parts.map(({ name, kind, start }, i) => (
      <button
        key={start}
        type="button"
        class="button quiet"
        aria-current={i === current ? "true" : undefined}
        onClick={() => onChoose(i)}
      >
        {kind === "member" && <Icon name="clip" />}
        <bdi>{name || "Message"}</bdi>
      </button>
    ))}
  </nav>
)
