/** Governance → Usage: what was used, by day and by whom. */
import { api, query } from "../../api.ts"
import { bytes, count } from "../../format.ts"
import { useLoaded } from "../../loading.ts"
import { go, usePlace } from "../../router.tsx"
import { Bars } from "../../ui/bars.tsx"
import { Problem, Segments, Select } from "../../ui/form.tsx"
import { Empty } from "../../ui/page.tsx"
import type { UsageRow } from "../../wire.ts"

const DAY_MS = 86_400_000
const SPANS = ["7", "30", "90"] as const
const GROUPS = ["day", "key", "model", "end_user", "context"] as const
type Group = (typeof GROUPS)[number]
const GROUP_WORDS: Record<Group, string> = {
  day: "Day",
  key: "Key",
  model: "Model",
  end_user: "End user",
  context: "Context",
}
/** What stands in the group where nothing does. */
const NONE: Record<Exclude<Group, "day">, string> = {
  key: "The console",
  model: "No model",
  end_user: "Nobody named",
  context: "No context",
}

const SUMMED = ["requests", "searches", "prompt_tokens", "completion_tokens", "pages", "bytes_in"] as const
type Summed = (typeof SUMMED)[number]
const MEASURES: Record<Summed, string> = {
  requests: "Requests",
  searches: "Searches",
  prompt_tokens: "Tokens read",
  completion_tokens: "Tokens written",
  pages: "Pages",
  bytes_in: "Uploaded",
}

type Sums = Record<Summed, number>

export function UsagePart() {
  const { query: address } = usePlace()
  const { days, group } = chosenIn(address)
  const from = dayBefore(Number(days) - 1)
  const parameters = query({ from, bucket: "day", group_by: group === "day" ? null : group })
  const usage = useLoaded(parameters, signal => api.get<{ data: UsageRow[] }>(`/usage${parameters}`, signal))
  const names = useLoaded("names of keys", () => keyNames())
  const rows = usage.data?.data ?? []
  const show = (change: { days?: string; by?: string }) =>
    go(`/governance/usage${query({ days, by: group, ...change })}`, true)
  return (
    <section class="stack">
      <div class="section-head">
        <div>
          <h2>Usage</h2>
          <p class="soft">What this workspace used, in days of UTC. Today is not over.</p>
        </div>
      </div>
      <Problem error={usage.error} />
      <Segments
        label="Time"
        value={days}
        options={SPANS.map(span => [span, `${span} days`] as const)}
        onChange={next => show({ days: next })}
      />
      <Bars values={requestsByDay(rows, Number(days))} label={`Requests of each of ${days} days`} />
      <Select
        label="By"
        value={group}
        options={GROUPS.map(each => [each, GROUP_WORDS[each]] as const)}
        onChange={next => show({ by: next })}
      />
      {usage.data && rows.length === 0 ? (
        <Empty icon="check" title="Nothing was used" />
      ) : (
        <Table group={group} sums={sumsOf(rows, group)} names={names.data ?? {}} />
      )}
    </section>
  )
}

const chosenIn = (address: URLSearchParams) => ({
  days: SPANS.find(span => span === address.get("days")) ?? "30",
  group: GROUPS.find(each => each === address.get("by")) ?? "day",
})

/** Only for reading: a key that is gone is shown by its id. */
async function keyNames(): Promise<Record<string, string>> {
  const { data } = await api.get<{ data: { id: string; name: string }[] }>("/keys?page_size=100")
  return Object.fromEntries(data.map(({ id, name }) => [id, name]))
}

const placeOf = (row: UsageRow, group: Group): string =>
  group === "day" ? row.bucket.slice(0, 10) : (row[group] ?? "")

function sumsOf(rows: readonly UsageRow[], group: Group): [place: string, sums: Sums][] {
  const found = new Map<string, Sums>()
  for (const row of rows) {
    const place = placeOf(row, group)
    const before = found.get(place)
    found.set(place, Object.fromEntries(SUMMED.map(name => [name, (before?.[name] ?? 0) + row[name]])) as Sums)
  }
  const sums = [...found]
  return group === "day" ? sums.reverse() : sums.sort(([, left], [, right]) => right.requests - left.requests)
}

/** Of each of the days, the last one today. */
function requestsByDay(rows: readonly UsageRow[], days: number): number[] {
  const known = new Map(sumsOf(rows, "day").map(([day, { requests }]) => [day, requests]))
  return Array.from({ length: days }, (_, at) => known.get(dayBefore(days - 1 - at)) ?? 0)
}

const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

interface TableProps {
  group: Group
  sums: [place: string, sums: Sums][]
  names: Readonly<Record<string, string>>
}

const Table = ({ group, sums, names }: TableProps) => (
  <div class="table-frame">
    <table class="table stacked">
      <thead>
        <tr>
          <th>{GROUP_WORDS[group]}</th>
          {SUMMED.map(name => (
            <th key={name}>{MEASURES[name]}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sums.map(([place, values]) => (
          <tr key={place}>
            <td>
              <bdi>{group === "day" ? place : place ? (names[place] ?? place) : NONE[group]}</bdi>
            </td>
            {SUMMED.map(name => (
              <td key={name} data-label={MEASURES[name]}>
                {name === "bytes_in" ? bytes(values[name]) : count(values[name])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
