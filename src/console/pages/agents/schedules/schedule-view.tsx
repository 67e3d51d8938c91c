/** A schedule: when it asks what, and what was answered. */

import { useState } from "preact/hooks"
import { api } from "../../../api.ts"
import { dateTime, duration } from "../../../format.ts"
import { useAction, useLoaded, useRepeated } from "../../../loading.ts"
import { go, Link } from "../../../router.tsx"
import { type Text, t } from "../../../text.ts"
import { Button } from "../../../ui/button.tsx"
import { Confirm } from "../../../ui/dialog.tsx"
import { Problem } from "../../../ui/form.tsx"
import { Page } from "../../../ui/page.tsx"
import { notify } from "../../../ui/toast.tsx"
import type { Schedule, ScheduleRun } from "../../../wire.ts"
import { ScheduleState, whenOf } from "./wording.tsx"

const BUSY_REFRESH_MS = 2_000
const IDLE_REFRESH_MS = 10_000

export function ScheduleView({ scheduleId }: { scheduleId: string }) {
  const [removing, setRemoving] = useState(false)
  const path = `/schedules/${scheduleId}`
  const schedule = useLoaded(scheduleId, signal => api.get<Schedule>(path, signal))
  const runs = useLoaded(scheduleId, signal => api.get<ScheduleRun[]>(`${path}/runs`, signal))
  const reload = () => {
    schedule.reload()
    runs.reload()
  }
  const busy = runs.data?.some(({ status }) => status === "running")
  useRepeated(busy ? BUSY_REFRESH_MS : IDLE_REFRESH_MS, reload)
  const pause = useAction(async (paused: boolean) => schedule.set(await api.patch<Schedule>(path, { paused })))
  const run = useAction(async () => {
    await api.post(`${path}/run`)
    notify(t("It runs now"))
    reload()
  })
  const record = schedule.data
  return (
    <Page
      title={record?.name ?? t("Schedule")}
      actions={
        record && (
          <>
            <Button kind="primary" busy={run.busy} onClick={() => void run.run()}>
              {t("Run now")}
            </Button>
            <Button busy={pause.busy} onClick={() => void pause.run(!record.paused)}>
              {record.paused ? t("Resume") : t("Pause")}
            </Button>
            <Button kind="quiet" icon="trash" label={t("Delete")} onClick={() => setRemoving(true)} />
          </>
        )
      }
    >
      <div class="stack wide-gap">
        <Link to="/agents/schedules">{t("All schedules")}</Link>
        <Problem error={schedule.error ?? runs.error ?? pause.error ?? run.error} />
        {record && <Facts schedule={record} />}
        <section class="stack">
          <h2>{t("Runs")}</h2>
          {runs.data?.length === 0 && <p class="soft">{t("It has not run yet.")}</p>}
          <ul class="list">
            {runs.data?.map(each => (
              <Run key={each.run_id} run={each} />
            ))}
          </ul>
        </section>
      </div>
      {removing && record && <Remove schedule={record} onClose={() => setRemoving(false)} />}
    </Page>
  )
}

const Remove = ({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) => (
  <Confirm
    title={t("Delete {name}?", { name: schedule.name })}
    action={t("Delete")}
    onClose={onClose}
    onConfirm={async () => {
      await api.delete(`/schedules/${schedule.id}`)
      go("/agents/schedules")
    }}
  >
    <p>{t("It asks no more, and its runs are deleted. This cannot be undone.")}</p>
  </Confirm>
)

const Facts = ({ schedule }: { schedule: Schedule }) => (
  <dl class="facts">
    <dt>{t("State")}</dt>
    <dd>
      <ScheduleState paused={schedule.paused} />
    </dd>
    <dt>{t("When")}</dt>
    <dd>
      {whenOf(schedule)}
      {schedule.next_run_at && !schedule.paused && ` · ${t("next {time}", { time: dateTime(schedule.next_run_at) })}`}
    </dd>
    <dt>{t("Request")}</dt>
    <dd>
      <code>{schedule.request.url}</code>
    </dd>
    <dt>{t("Body")}</dt>
    <dd>
      <code class="entry-key">{JSON.stringify(schedule.request.body)}</code>
    </dd>
  </dl>
)

const LOOKS: Record<ScheduleRun["status"], readonly [look: string, word: Text]> = {
  running: ["busy", "Running"],
  completed: ["good", "Completed"],
  failed: ["bad", "Failed"],
}

const Run = ({
  run: { status, started_at: started, finished_at: finished, response, error },
}: {
  run: ScheduleRun
}) => (
  <li class="stack">
    <div class="row between">
      <div class="grow">
        {dateTime(started)}
        <span class="soft small">
          {finished && ` · ${duration(Date.parse(finished) - Date.parse(started))}`}
          {response && ` · ${t("answered {statusCode}", { statusCode: response.status_code })}`}
        </span>
        {error && <span class="small block">{error.message}</span>}
      </div>
      <span class={`badge ${LOOKS[status][0]}`}>{t(LOOKS[status][1])}</span>
    </div>
    {response && (
      <details class="fold">
        <summary>{t("Answer")}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
        <pre class="code" tabIndex={0}>
          {JSON.stringify(response.body, null, 2)}
        </pre>
      </details>
    )}
  </li>
)
