import { useState } from "preact/hooks"
import { api, isGone } from "../../api.ts"
import { count, dateTime, duration } from "../../format.ts"
import { Lazy } from "../../lazy.tsx"
import { useAction, useLoaded, useRepeated } from "../../loading.ts"
import { followsGiven } from "../../markdown.tsx"
import { go, Link } from "../../router.tsx"
import { t } from "../../text.ts"
import { toolName } from "../../tool-names.ts"
import { Button, CopyButton } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog.tsx"
import { Problem } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Page } from "../../ui/page.tsx"
import type { Run, RunStep, Source } from "../../wire.ts"
import { Citations, Cited } from "../chat/message-view.tsx"
import { Warnings } from "../chat/warnings.tsx"
import { Sharing } from "../sharing/sharing.tsx"
import { Approvals } from "./approvals.tsx"

const loadDocument = async () => (await import("../../viewer/beside.tsx")).Beside

const STATUSES = {
  running: ["busy", "Running"],
  waiting_for_approval: ["busy", "Waits for approval"],
  completed: ["good", "Completed"],
  failed: ["bad", "Failed"],
  timed_out: ["bad", "Timed out"],
  cancelled: ["", "Cancelled"],
} as const

export const isOpen = (status: Run["status"] | undefined): boolean =>
  status === "running" || status === "waiting_for_approval"

export const RunStatus = ({ status }: { status: Run["status"] }) => (
  <span class={`badge ${STATUSES[status][0]}`}>{t(STATUSES[status][1])}</span>
)

const tokensOf = ({ usage }: Run): number => usage.prompt_tokens + usage.completion_tokens

/** How it stands, by which model, when, and what it took. */
const Facts = ({ run }: { run: Run }) => (
  <div class="row">
    <RunStatus status={run.status} />
    <span class="soft small">
      <bdi>{run.model}</bdi> · {dateTime(run.started_at)}
      {run.finished_at && ` · ${duration(Date.parse(run.finished_at) - Date.parse(run.started_at))}`}
      {tokensOf(run) > 0 && ` · ${t("{run} tokens", { run: count(tokensOf(run)) })}`}
      {run.ner_count > 0 && ` · ${t("{nerCount} redacted", { nerCount: count(run.ner_count) })}`}
    </span>
  </div>
)

export function RunView({ runId }: { runId: string }) {
  const [opened, setOpened] = useState<Source | null>(null)
  const [removing, setRemoving] = useState(false)
  const run = useLoaded(runId, signal => api.get<Run>(`/agents/runs/${runId}`, signal))
  const data = isGone(run.error) ? undefined : run.data // it may be shared no more
  const running = isOpen(data?.status)
  useRepeated(running ? 1_000 : null, run.reload)
  const cancel = useAction(async () => {
    await api.post(`/agents/runs/${runId}/cancel`)
    run.reload()
  })
  return (
    <Page
      title={t("Agent run")}
      actions={
        <Actions
          run={data}
          onShared={run.reload}
          cancelling={cancel.busy}
          onCancel={() => void cancel.run()}
          onRemove={() => setRemoving(true)}
        />
      }
    >
      <Problem error={run.error ?? cancel.error} />
      {data && (
        <div class="stack">
          <Facts run={data} />
          {data.task && (
            <p class="task" dir="auto">
              {data.task}
            </p>
          )}
          <Approvals runId={runId} approvals={data.approvals} onDecided={run.reload} readOnly={data.shared} />
          <Steps steps={data.steps} running={running} />
          <Warnings warnings={data.warnings} />
          <Problem error={data.error} />
          <Result run={data} onCite={setOpened} />
        </div>
      )}
      {removing && (
        <Confirm
          title={t("Delete this run?")}
          action={t("Delete")}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await api.delete(`/agents/runs/${runId}`)
            go("/agents")
          }}
        >
          <p dir="auto">{data?.task}</p>
        </Confirm>
      )}
      {opened && <Lazy load={loadDocument} props={{ source: opened, over: true, onClose: () => setOpened(null) }} />}
    </Page>
  )
}

interface ActionsProps {
  /** Undefined while the run is read. */
  run: Run | undefined
  onShared: () => void
  cancelling: boolean
  onCancel: () => void
  onRemove: () => void
}

const Actions = ({ run, onShared, cancelling, onCancel, onRemove }: ActionsProps) => (
  <>
    {run && <Sharing path={`/agents/runs/${run.run_id}`} of={run} onSaved={onShared} />}
    {run && !run.shared && isOpen(run.status) && (
      <Button icon="stop" busy={cancelling} onClick={onCancel}>
        {t("Cancel")}
      </Button>
    )}
    {run && !run.shared && !isOpen(run.status) && (
      <Button icon="trash" onClick={onRemove}>
        {t("Delete")}
      </Button>
    )}
    <Link to="/agents" class="button">
      <Icon name="back" /> {t("All runs")}
    </Link>
  </>
)

interface StepsProps {
  steps: RunStep[]
  running: boolean
}

function Steps({ steps, running }: StepsProps) {
  return (
    <section class="stack">
      <h2>{t("Steps")}</h2>
      <ol class="steps" aria-live="polite">
        {steps.map(step => (
          <li key={step.index}>
            <details class="fold">
              <summary>
                <span class="step-name">{toolName(step.name)}</span>
                <span class="soft small name" dir="auto">
                  {summaryOf(step)}
                </span>
                {step.is_error && <span class="badge bad">{t("Error")}</span>}
                {step.duration_ms !== null && <span class="soft small">{duration(step.duration_ms)}</span>}
              </summary>
              <pre class="code">{JSON.stringify(step.arguments, null, 2)}</pre>
              <pre class="code wrap" dir="auto">
                {step.result ?? "…"}
              </pre>
            </details>
          </li>
        ))}
        {running && (
          <li class="soft">
            <span class="caret" /> {t("Working …")}
          </li>
        )}
      </ol>
      {steps.length === 0 && !running && <p class="soft">{t("None: the model answered right away.")}</p>}
    </section>
  )
}

function summaryOf(step: RunStep): string {
  const values = Object.values(step.arguments).map(value => (typeof value === "string" ? value : JSON.stringify(value)))
  return values.join(" · ").slice(0, 120)
}

function Result({ run, onCite }: { run: Run; onCite: (source: Source) => void }) {
  if (!run.output && run.structured_output === null) return null
  const structured = run.structured_output === null ? null : JSON.stringify(run.structured_output, null, 2)
  return (
    <section class="stack result">
      <div class="row between">
        <h2>{t("Result")}</h2>
        <CopyButton text={structured ?? run.output ?? ""} label={t("Copy the result")} />
      </div>
      {run.finish_reason === "max_steps" && (
        <p class="notice">{t("The run used all its steps; this is its best answer so far.")}</p>
      )}
      {structured ? (
        <pre class="code">{structured}</pre>
      ) : (
        <Cited text={run.output ?? ""} sources={run.citations} onCite={onCite} follows={followsGiven(run.warnings)} />
      )}
      <Citations sources={run.citations} onCite={onCite} />
    </section>
  )
}
