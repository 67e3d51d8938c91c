/** Governance → Usage: what was used, by day and by whom. */

import { api, query } from "../../api.ts"
import { useLoaded } from "../../loading.ts"
import { go, usePlace } from "../../router.tsx"
import { spoken, t } from "../../text.ts"
import { Bars } from "../../ui/bars.tsx"
import { Problem, Segments, Select } from "../../ui/form.tsx"
import { Empty } from "../../ui/page.tsx"
import type { ApiKeyRecord, Page, UsageRow } from "../../wire.ts"
import { Quotas } from "./quotas.tsx"
import { dayBefore, GROUP_WORDS, GROUPS, MEASURES, SUMMED, type Sums, shown, sumsOf, total } from "./usage-sums.ts"
import { UsageTable } from "./usage-table.tsx"

const SPANS = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["month", "This month"],
] as const

export function UsagePart() {
  const { query: address } = usePlace()
  const { span, group, measure } = chosenIn(address)
  const days = span === "month" ? new Date().getUTCDate() : Number(span)
  const parameters = query({ from: dayBefore(days - 1), bucket: "day", group_by: group === "day" ? null : group })
  const usage = useLoaded(parameters, signal => api.get<{ data: UsageRow[] }>(`/usage${parameters}`, signal))
  const keys = useLoaded(
    "keys",
    async signal =>
      // only for reading: a key that is gone is shown by its id
      (await api.get<Page<ApiKeyRecord>>("/keys?page_size=100", signal)).data,
  )
  const rows = usage.data?.data ?? []
  const show = (change: { days?: string; by?: string; of?: string }) =>
    go(`/governance/usage${query({ days: span, by: group, of: measure, ...change })}`, true)
  return (
    <section class="stack">
      <div class="section-head">
        <div>
          <h2>{t("Usage")}</h2>
          <p class="soft">{t("What this workspace used, in days of UTC. Today is not over.")}</p>
        </div>
      </div>
      <Problem error={usage.error ?? keys.error} />
      <Segments label={t("Time")} value={span} options={spoken(SPANS)} onChange={next => show({ days: next })} />
      {usage.data && <Totals sums={total(rows)} />}
      <div class="filters">
        <Select
          label={t("Chart")}
          value={measure}
          options={SUMMED.map(each => [each, t(MEASURES[each])] as const)}
          onChange={next => show({ of: next })}
        />
        <Select
          label={t("By")}
          value={group}
          options={GROUPS.map(each => [each, t(GROUP_WORDS[each])] as const)}
          onChange={next => show({ by: next })}
        />
      </div>
      <Bars
        values={byDay(rows, days).map(sums => sums?.[measure] ?? 0)}
        label={t("{measure} of each of {days} days", { measure: t(MEASURES[measure]), days })}
      />
      {usage.data && rows.length === 0 ? (
        <Empty icon="check" title={t("Nothing was used")} />
      ) : (
        <UsageTable group={group} sums={sumsOf(rows, group)} names={namesOf(keys.data ?? [])} />
      )}
      {keys.data && <Quotas keys={keys.data} />}
    </section>
  )
}

const chosenIn = (address: URLSearchParams) => ({
  span: SPANS.find(([span]) => span === address.get("days"))?.[0] ?? "30",
  group: GROUPS.find(each => each === address.get("by")) ?? "day",
  measure: SUMMED.find(each => each === address.get("of")) ?? "requests",
})

const namesOf = (keys: readonly ApiKeyRecord[]): Record<string, string> =>
  Object.fromEntries(keys.map(({ id, name }) => [id, name]))

/** Of each of the days, the last one today; undefined where nothing was used. */
function byDay(rows: readonly UsageRow[], days: number): (Sums | undefined)[] {
  const known = new Map(sumsOf(rows, "day"))
  return Array.from({ length: days }, (_, at) => known.get(dayBefore(days - 1 - at)))
}

/** Of the whole time. */
const Totals = ({ sums }: { sums: Sums }) => (
  <dl class="totals" aria-label={t("Sums")}>
    {SUMMED.map(name => (
      <div key={name}>
        <dt>{t(MEASURES[name])}</dt>
        <dd>{shown(name, sums[name])}</dd>
      </div>
    ))}
  </dl>
)
