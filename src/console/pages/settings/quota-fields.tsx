/** What a key may use, as people write it. */
import { type Text, t } from "../../text.ts"
import { TextField } from "../../ui/form.tsx"
import type { Quota } from "../../wire.ts"

const FIELDS = ["requests_per_day", "tokens_per_day", "bytes_stored"] as const satisfies readonly (keyof Quota)[]
const LABELS: Record<keyof Quota, Text> = {
  requests_per_day: "Requests per day",
  tokens_per_day: "Tokens per day",
  bytes_stored: "Bytes stored",
}

/** Empty where there is no limit. */
export type QuotaTexts = Record<keyof Quota, string>

export const quotaTexts = (quota: Quota | null | undefined): QuotaTexts =>
  Object.fromEntries(FIELDS.map(field => [field, quota?.[field]?.toString() ?? ""])) as QuotaTexts

export const isSame = (left: QuotaTexts, right: QuotaTexts): boolean =>
  FIELDS.every(field => left[field] === right[field])

/** Null takes all of them off. */
export function quotaIn(texts: QuotaTexts): Quota | null {
  const given = FIELDS.filter(field => texts[field].trim() !== "")
  return given.length === 0 ? null : Object.fromEntries(given.map(field => [field, Number(texts[field])]))
}

interface QuotaFieldsProps {
  quota: QuotaTexts
  onChange: (quota: QuotaTexts) => void
  error: Error | undefined
}

export const QuotaFields = ({ quota, onChange, error }: QuotaFieldsProps) => (
  <details class="fold">
    <summary>{t("Quota")}</summary>
    <div class="stack">
      {FIELDS.map(field => (
        <TextField
          key={field}
          label={t(LABELS[field])}
          name={`quota.${field}`}
          type="number"
          min={0}
          placeholder={t("no limit")}
          {...(field === "bytes_stored" ? { hint: t("1000000000 is 1 GB") } : {})}
          value={quota[field]}
          onInput={text => onChange({ ...quota, [field]: text })}
          error={error}
        />
      ))}
      <p class="soft small">
        {t("Days are those of UTC. What began within the quota is finished; then the key is refused.")}
      </p>
    </div>
  </details>
)
