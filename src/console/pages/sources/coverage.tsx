/** Every entry of a source with what became of it, and why where it is not searchable. */

import { api, query } from "../../api.ts"
import { count } from "../../format.ts"
import { useLoaded, useRepeated } from "../../loading.ts"
import { go, Link, pageIn, usePlace } from "../../router.tsx"
import { t } from "../../text.ts"
import { Problem, Select } from "../../ui/form.tsx"
import { Pages } from "../../ui/page.tsx"
import type { Coverage } from "../../wire.ts"

const STATES = {
  searchable: ["good", "Searchable"],
  pending: ["busy", "Pending"],
  failed: ["bad", "Failed"],
  unsupported: ["", "Type not read"],
  skipped: ["", "Skipped"],
} as const
type State = keyof typeof STATES
const NAMES = Object.keys(STATES) as State[]

const REFRESH_MS = 3_000

export function CoverageSection({ sourceId, busy }: { sourceId: string; busy: boolean }) {
  const { query: address } = usePlace()
  const status = NAMES.find(name => name === address.get("show")) ?? ""
  const page = pageIn(address)
  const parameters = query({ status, page })
  const coverage = useLoaded(`${sourceId}${parameters}${busy}`, signal =>
    api.get<Coverage>(`/sources/${sourceId}/coverage${parameters}`, signal),
  )
  const { data } = coverage
  useRepeated(busy || (data && data.pending > 0) ? REFRESH_MS : null, coverage.reload)
  return (
    <section class="stack">
      <div class="section-head">
        <h2>{t("Coverage")}</h2>
        {data && data.total > 0 && (
          <Select
            compact
            label={t("Show")}
            value={status}
            onChange={next => go(location.pathname + query({ show: next }), true)}
            options={[
              ["", t("All")],
              ...NAMES.map(name => [name, `${t(STATES[name][1])} (${count(data[name])})`] as const),
            ]}
          />
        )}
      </div>
      <Problem error={coverage.error} />
      {data && data.total === 0 && <p class="soft">{t("Nothing is known of this source yet.")}</p>}
      {data && data.total > 0 && <Progress of={data} />}
      {data && data.items.length > 0 && <Entries items={data.items} />}
      {data && (
        <Pages
          of={data.pagination}
          onPage={next => go(location.pathname + query({ show: status, page: next }), true)}
        />
      )}
    </section>
  )
}

/** The share that is searchable, in figures and as a bar. */
const Progress = ({ of }: { of: Coverage }) => (
  <div class="stack">
    <progress max={of.total} value={of.searchable} aria-label={t("Searchable")} class="wide" />
    <p class="soft small">
      {t("{searchable} of {total} searchable", {
        searchable: count(of.searchable),
        total: count(of.total),
      })}
      {NAMES.filter(name => name !== "searchable" && of[name] > 0).map(
        name => ` · ${count(of[name])} ${t(STATES[name][1]).toLowerCase()}`,
      )}
    </p>
  </div>
)

const Entries = ({ items }: { items: Coverage["items"] }) => (
  <div class="table-frame">
    <table class="table stacked">
      <thead>
        <tr>
          <th>{t("Entry")}</th>
          <th>{t("State")}</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ key, status, error, file_id: fileId }) => (
          <tr key={key}>
            <td class="entry-key">
              {fileId ? (
                <Link to={`/library?file=${fileId}`}>
                  <bdi>{key}</bdi>
                </Link>
              ) : (
                <bdi>{key}</bdi>
              )}
            </td>
            <td data-label={t("State")}>
              <span class={`badge ${STATES[status][0]}`}>{t(STATES[status][1])}</span>
              {error && <span class="small block">{error.message}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
