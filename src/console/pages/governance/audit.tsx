/** Governance → Audit: who did what, newest first, and whether the log is whole. */

import { useState } from "preact/hooks"
import { api, downloadUrl, query } from "../../api.ts"
import { ago, count, DAY_MS, dateTime } from "../../format.ts"
import { useAction, useLoaded, useSettled } from "../../loading.ts"
import { go, Link, usePlace } from "../../router.tsx"
import { spoken, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Problem, Select, TextField } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Empty } from "../../ui/page.tsx"
import type { AuditRow } from "../../wire.ts"

const TYPING_MS = 300
const ROWS = 50
const OUTCOMES = [
  ["", "All"],
  ["success", "Done"],
  ["denied", "Refused"],
  ["failure", "Failed"],
] as const
type Outcome = (typeof OUTCOMES)[number][0]

interface Verified {
  ok: boolean
  rows: number
  first_bad: string | null
  reason?: string | null
}

export function AuditPart() {
  const [shown, setShown] = useState<AuditRow | null>(null)
  const { query: address } = usePlace()
  const given = (name: string) => address.get(name) ?? ""
  const filters = {
    action: useSettled(given("action").trim(), TYPING_MS) || null,
    actor: useSettled(given("actor").trim(), TYPING_MS) || null,
    resource: useSettled(given("resource").trim(), TYPING_MS) || null,
    outcome: given("outcome") || null,
    from: dayIn(given("from")),
    to: dayIn(given("until"), 1),
  }
  const after = address.get("after")
  const parameters = query({ ...filters, after, order: "desc", limit: ROWS })
  const log = useLoaded(parameters, signal =>
    api.get<{ data: AuditRow[]; next: string | null }>(`/audit${parameters}`, signal),
  )
  const asked: Asked = {
    action: given("action"),
    actor: given("actor"),
    resource: given("resource"),
    outcome: given("outcome"),
    from: given("from"),
    until: given("until"),
  }
  const to = (change: Partial<Asked> & { after?: string }) => {
    const next = { ...asked, ...change }
    return `/governance/audit${query(Object.fromEntries(Object.entries(next).filter(([, value]) => value)))}`
  }
  const rows = log.data?.data ?? []
  return (
    <section class="stack">
      <div class="section-head">
        <div>
          <h2>{t("Audit")}</h2>
          <p class="soft">
            {t("Who did what here. No row holds contents; each is chained to the one before. Days are those of UTC.")}
          </p>
        </div>
        <a class="button" href={downloadUrl(`/audit.jsonl${query(filters)}`)} download="carrel-audit.jsonl">
          <Icon name="download" /> {t("Export")}
        </a>
      </div>
      <Verify />
      <Filters asked={asked} onChange={change => go(to(change), true)} />
      <Problem error={log.error} />
      {log.data && rows.length === 0 && <Empty icon="check" title={t("No such row")} />}
      <ul class="list">
        {rows.map(row => (
          <Item key={row.id} row={row} onShow={() => setShown(row)} />
        ))}
      </ul>
      <div class="row">
        {after && <Link to={to({})}>{t("Newest")}</Link>}
        {log.data?.next && <Link to={to({ after: log.data.next })}>{t("Older")}</Link>}
      </div>
      {shown && <RowView row={shown} onClose={() => setShown(null)} />}
    </section>
  )
}

interface Asked {
  action: string
  actor: string
  resource: string
  outcome: string
  /** First and last day, as date fields write them. */
  from: string
  until: string
}

/** A day of UTC, or one some days after it; null for what is none. */
function dayIn(text: string, daysAfter = 0): string | null {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : new Date(time + daysAfter * DAY_MS).toISOString().slice(0, 10)
}

const Filters = ({ asked, onChange }: { asked: Asked; onChange: (change: Partial<Asked>) => void }) => (
  <search class="filters" aria-label={t("Filter the log")}>
    <TextField
      label={t("Action, such as file.delete or key")}
      type="search"
      value={asked.action}
      onInput={action => onChange({ action })}
    />
    <TextField
      label={t("Who: an id, or key, user, system")}
      type="search"
      value={asked.actor}
      onInput={actor => onChange({ actor })}
    />
    <TextField
      label={t("Of what: an id")}
      type="search"
      value={asked.resource}
      onInput={resource => onChange({ resource })}
    />
    <Select
      label={t("Outcome")}
      value={asked.outcome as Outcome}
      options={spoken(OUTCOMES)}
      onChange={outcome => onChange({ outcome })}
    />
    <TextField label={t("From")} type="date" value={asked.from} onInput={from => onChange({ from })} />
    <TextField label={t("Until")} type="date" value={asked.until} onInput={until => onChange({ until })} />
  </search>
)

/** The whole chain is read: some seconds for a million rows. */
function Verify() {
  const [found, setFound] = useState<Verified | null>(null)
  const verify = useAction(async () => setFound(await api.get<Verified>("/audit/verify")))
  return (
    <div class="row">
      <Button busy={verify.busy} onClick={() => void verify.run()}>
        {t("Verify")}
      </Button>
      <output>
        {found &&
          (found.ok
            ? t("All {rows} rows are as they were written.", { rows: count(found.rows) })
            : [t("Row {row} is not as it was written.", { row: found.first_bad ?? t("unknown") }), found.reason]
                .filter(Boolean)
                .join(" "))}
      </output>
      <Problem error={verify.error} />
    </div>
  )
}

const Item = ({ row, onShow }: { row: AuditRow; onShow: () => void }) => (
  <li class="row between">
    <div class="grow">
      <button type="button" class="file-name" onClick={onShow}>
        {row.action}
        {row.outcome !== "success" && ` (${row.outcome === "denied" ? t("refused") : t("failed")})`}
      </button>
      <span class="soft small block entry-key">
        <bdi>{row.actor.name || row.actor.id || row.actor.type}</bdi>
        {row.resource_id ? ` · ${row.resource_id}` : ""}
      </span>
    </div>
    <span class="soft small" title={dateTime(row.ts)}>
      {ago(row.ts)}
    </span>
  </li>
)

const RowView = ({ row, onClose }: { row: AuditRow; onClose: () => void }) => (
  <Dialog title={row.action} shape="side" onClose={onClose}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
    <pre class="code wrap" tabIndex={0}>
      {JSON.stringify(row, null, 2)}
    </pre>
  </Dialog>
)
