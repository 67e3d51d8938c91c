import { useState } from "preact/hooks"
import { api, query } from "../api.ts"
import { ago, duration } from "../format.ts"
import { Lazy, type Load } from "../lazy.tsx"
import { useLoaded, useRepeated } from "../loading.ts"
import type { PageProps } from "../page-props.ts"
import { go, Link, pageIn, usePlace } from "../router.tsx"
import { spoken, t } from "../text.ts"
import { Button } from "../ui/button.tsx"
import { Problem, Select } from "../ui/form.tsx"
import { Empty, Page, Pages } from "../ui/page.tsx"
import type { Page as ListPage, RunSummary } from "../wire.ts"
import { RunForm } from "./agents/run-form.tsx"
import { isOpen, RunStatus, RunView } from "./agents/run-view.tsx"
import { AgentsTabs } from "./agents/tabs.tsx"
import { Ownership, ShownChoice, useShown } from "./sharing/sharing.tsx"

const STATUSES = [
  ["", "All runs"],
  ["running", "Running"],
  ["waiting_for_approval", "Waiting for approval"],
  ["completed", "Completed"],
  ["failed", "Failed"],
  ["timed_out", "Timed out"],
  ["cancelled", "Cancelled"],
] as const

/** Each arrives with its own first show. */
const PARTS: Record<string, Load<PageProps>> = {
  schedules: async () => (await import("./agents/schedules.tsx")).Schedules,
  batches: async () => (await import("./agents/batches.tsx")).Batches,
}

export function AgentsPage({ rest: [first, ...rest] }: PageProps) {
  if (!first) return <RunList />
  const part = PARTS[first]
  return part ? <Lazy key={first} load={part} props={{ rest }} /> : <RunView key={first} runId={first} />
}

function RunList() {
  const [starting, setStarting] = useState(false)
  const { query: address } = usePlace()
  const status = address.get("status") ?? ""
  const page = pageIn(address)
  const { show, parameters: whose } = useShown(address)
  const parameters = query({ page, status, ...whose })
  const runs = useLoaded(parameters, signal => api.get<ListPage<RunSummary>>(`/agents/runs${parameters}`, signal))
  useRepeated(runs.data?.data.some(run => isOpen(run.status)) ? 2_000 : null, runs.reload)
  return (
    <Page
      title={t("Agents")}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setStarting(true)}>
          {t("New run")}
        </Button>
      }
    >
      <div class="stack">
        <AgentsTabs current="/agents" />
        <div class="filters">
          <Select
            label={t("State")}
            value={status}
            options={spoken(STATUSES)}
            onChange={next => go(`/agents${query({ show, status: next })}`, true)}
          />
          <ShownChoice show={show} onChange={next => go(`/agents${query({ show: next, status })}`, true)} />
        </div>
        <Problem error={runs.error} />
        {runs.data?.data.length === 0 && (
          <Empty icon="agents" title={t("No runs")}>
            <p>
              {t(
                "An agent works through a task on its own: it searches the library, reads files, queries tables and calculates.",
              )}
            </p>
          </Empty>
        )}
        <ul class="list">
          {runs.data?.data.map(run => (
            <RunItem key={run.run_id} run={run} />
          ))}
        </ul>
        {runs.data && (
          <Pages of={runs.data.pagination} onPage={next => go(`/agents${query({ show, status, page: next })}`, true)} />
        )}
      </div>
      {starting && <RunForm onClose={() => setStarting(false)} onStarted={run => go(`/agents/${run.run_id}`)} />}
    </Page>
  )
}

const RunItem = ({ run }: { run: RunSummary }) => (
  <li>
    <Link to={`/agents/${run.run_id}`} class="row between run-link">
      <span class="name" dir="auto">
        {run.task}
      </span>
      <span class="row">
        <span class="soft small">
          {ago(run.started_at)}
          {run.finished_at && ` · ${duration(Date.parse(run.finished_at) - Date.parse(run.started_at))}`}
          <Ownership of={run} />
        </span>
        <RunStatus status={run.status} />
      </span>
    </Link>
  </li>
)
