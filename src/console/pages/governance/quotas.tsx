/** Keys that have a quota, and how much of it they have used. */

import { api } from "../../api.ts"
import { bytes, count } from "../../format.ts"
import { useLoaded } from "../../loading.ts"
import { type Text, t } from "../../text.ts"
import { Problem } from "../../ui/form.tsx"
import type { ApiKeyRecord, Quota, UsageRow } from "../../wire.ts"
import { dayBefore } from "./usage-sums.ts"

const WORDS: Record<keyof Quota, Text> = {
  requests_per_day: "Requests today",
  tokens_per_day: "Tokens today",
  bytes_stored: "Stored",
}

/** Rows of a key are of today, or the last ones of the month of each: what is held is told at the end of a bucket. */
const USED: Record<keyof Quota, (today: UsageRow | undefined, last: UsageRow | undefined) => number> = {
  requests_per_day: today => today?.requests ?? 0,
  tokens_per_day: today => (today?.prompt_tokens ?? 0) + (today?.completion_tokens ?? 0),
  bytes_stored: (_, last) => last?.bytes_stored ?? 0,
}

/** As far back as the API sums months. */
const LONGEST_DAYS = 3_650

export function Quotas({ keys }: { keys: readonly ApiKeyRecord[] }) {
  const limited = keys.filter(({ quota, revoked_at }) => quota && !revoked_at)
  const used = useLoaded(`quotas ${limited.length > 0}`, async signal => {
    if (limited.length === 0) return null
    const read = async (bucket: string, days: number) =>
      (await api.get<{ data: UsageRow[] }>(`/usage?from=${dayBefore(days)}&bucket=${bucket}&group_by=key`, signal)).data
    return { today: await read("day", 0), months: await read("month", LONGEST_DAYS) }
  })
  if (limited.length === 0) return null
  return (
    <section class="stack" aria-label={t("Quotas")}>
      <h3>{t("Quotas")}</h3>
      <Problem error={used.error} />
      <ul class="list">
        {used.data &&
          limited.map(({ id, name, quota }) => (
            <li key={id} class="stack">
              <strong dir="auto">{name}</strong>
              {Object.entries(quota!).map(([field, limit]) => (
                <QuotaLine
                  key={field}
                  field={field as keyof Quota}
                  limit={limit}
                  used={USED[field as keyof Quota](
                    used.data!.today.find(({ key }) => key === id),
                    used.data!.months.findLast(({ key }) => key === id),
                  )}
                />
              ))}
            </li>
          ))}
      </ul>
    </section>
  )
}

function QuotaLine({ field, limit, used }: { field: keyof Quota; limit: number; used: number }) {
  const shown = field === "bytes_stored" ? bytes : count
  const words = `${t(WORDS[field])}: ${shown(used)} of ${shown(limit)}`
  return (
    <div class="quota-line">
      <span class="soft small">{words}</span>
      <meter min={0} max={Math.max(1, limit)} value={limit === 0 ? 1 : used} aria-label={words} />
    </div>
  )
}
