/** Agents → Schedules: requests that are made again and again. */

import { useState } from "preact/hooks"
import { api, query } from "../../api.ts"
import { dateTime } from "../../format.ts"
import { useLoaded, useRepeated } from "../../loading.ts"
import type { PageProps } from "../../page-props.ts"
import { go, Link, pageIn, usePlace } from "../../router.tsx"
import { t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Problem } from "../../ui/form.tsx"
import { Empty, Page, Pages } from "../../ui/page.tsx"
import type { Page as ListPage, Schedule } from "../../wire.ts"
import { ScheduleForm } from "./schedules/schedule-form.tsx"
import { ScheduleView } from "./schedules/schedule-view.tsx"
import { askedBy, ScheduleState, whenOf } from "./schedules/wording.tsx"
import { AgentsTabs } from "./tabs.tsx"

const REFRESH_MS = 10_000

export const Schedules = ({ rest: [scheduleId] }: PageProps) =>
  scheduleId ? <ScheduleView key={scheduleId} scheduleId={scheduleId} /> : <ScheduleList />

function ScheduleList() {
  const [adding, setAdding] = useState(false)
  const { query: address } = usePlace()
  const parameters = query({ page: pageIn(address) })
  const schedules = useLoaded(parameters, signal => api.get<ListPage<Schedule>>(`/schedules${parameters}`, signal))
  useRepeated(REFRESH_MS, schedules.reload)
  return (
    <Page
      title={t("Agents")}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
          {t("New schedule")}
        </Button>
      }
    >
      <div class="stack">
        <AgentsTabs current="/agents/schedules" />
        <Problem error={schedules.error} />
        {schedules.data?.data.length === 0 && (
          <Empty icon="refresh" title={t("No schedules")}>
            <p>{t("A question or a task that is asked again every morning, and whose answer waits for you.")}</p>
          </Empty>
        )}
        <ul class="list">
          {schedules.data?.data.map(schedule => (
            <Item key={schedule.id} schedule={schedule} />
          ))}
        </ul>
        {schedules.data && (
          <Pages of={schedules.data.pagination} onPage={page => go(`/agents/schedules${query({ page })}`, true)} />
        )}
      </div>
      {adding && <ScheduleForm onClose={() => setAdding(false)} onMade={made => go(`/agents/schedules/${made.id}`)} />}
    </Page>
  )
}

const Item = ({ schedule }: { schedule: Schedule }) => (
  <li>
    <Link to={`/agents/schedules/${schedule.id}`} class="row between run-link">
      <span class="name">
        <bdi>{schedule.name}</bdi>
        <span class="soft small block">
          <bdi>{askedBy(schedule.request)}</bdi>
        </span>
      </span>
      <span class="source-state">
        <ScheduleState paused={schedule.paused} />
        <span class="soft small block">
          {whenOf(schedule)}
          {schedule.next_run_at &&
            !schedule.paused &&
            ` · ${t("next {time}", { time: dateTime(schedule.next_run_at) })}`}
        </span>
      </span>
    </Link>
  </li>
)
