import { count } from "../format.ts"
import { type Text, t } from "../text.ts"
import { Button } from "../ui/button.tsx"
import { Icon } from "../ui/icons.tsx"
import type { Part } from "./places.ts"

const STEPS = {
  page: { previous: "Previous page", go: "Go to page", next: "Next page" },
  slide: { previous: "Previous slide", go: "Go to slide", next: "Next slide" },
} as const satisfies Record<string, Record<string, Text>>

interface StepperProps {
  unit: keyof typeof STEPS
  /** From 1. */
  at: number
  of: number
  onGo: (to: number) => void
}

/** From page to page, or to one by its number. */
export const Stepper = ({ unit, at, of, onGo }: StepperProps) => (
  <div class="stepper">
    <Button kind="quiet" icon="back" label={t(STEPS[unit].previous)} disabled={at <= 1} onClick={() => onGo(at - 1)} />
    <input
      class="input"
      type="number"
      aria-label={t(STEPS[unit].go)}
      min={1}
      max={of}
      value={at}
      onChange={event => {
        const to = Math.trunc(Number(event.currentTarget.value))
        if (to >= 1 && to <= of) onGo(to)
        else event.currentTarget.value = String(at)
      }}
    />
    <span class="soft small">{t("of {total}", { total: count(of) })}</span>
    <Button kind="quiet" icon="forward" label={t(STEPS[unit].next)} disabled={at >= of} onClick={() => onGo(at + 1)} />
  </div>
)

interface PartTabsProps {
  parts: readonly Part[]
  current: number
  onChoose: (part: number) => void
}

/** Sheets of a workbook; a mail and what is attached to it. */
export const PartTabs = ({ parts, current, onChoose }: PartTabsProps) => (
  <nav class="part-tabs" aria-label={t("Parts of the document")}>
    {parts.map(({ name, kind, start }, i) => (
      <button
        key={start}
        type="button"
        class="button quiet"
        aria-current={i === current ? "true" : undefined}
        onClick={() => onChoose(i)}
      >
        {kind === "member" && <Icon name="clip" />}
        <bdi>{name || t("Message")}</bdi>
      </button>
    ))}
  </nav>
)
