import { type Text, t } from "../../text.ts"
import { GROUP_WORDS, type Group, MEASURES, SUMMED, type Sums, shown } from "./usage-sums.ts"

/** What stands in the group where nothing does. */
const NONE: Record<Exclude<Group, "day">, Text> = {
  key: "The console",
  model: "No model",
  end_user: "Nobody named",
  context: "No context",
}

interface UsageTableProps {
  group: Group
  sums: [place: string, sums: Sums][]
  /** Of keys. */
  names: Readonly<Record<string, string>>
}

export const UsageTable = ({ group, sums, names }: UsageTableProps) => (
  <div class="table-frame">
    <table class="table stacked">
      <thead>
        <tr>
          <th>{t(GROUP_WORDS[group])}</th>
          {SUMMED.map(name => (
            <th key={name}>{t(MEASURES[name])}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sums.map(([place, values]) => (
          <tr key={place}>
            <td>
              <bdi>{group === "day" ? place : place ? (names[place] ?? place) : t(NONE[group])}</bdi>
            </td>
            {SUMMED.map(name => (
              <td key={name} data-label={t(MEASURES[name])}>
                {shown(name, values[name])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
