import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { count, dateTime, duration } from "../../format.ts"
import { useAction, useLoaded, useRepeated } from "../../loading.ts"
import { go, Link } from "../../router.tsx"
import { Button, CopyButton } from "../../ui/button.tsx"
import { Confirm } from "../../ui/dialog.tsx"
import { Problem } from "../../ui/form.tsx"
import { Icon } from "../../ui/icons.tsx"
import { Page } from "../../ui/page.tsx"
import type { Run, RunStep, Source } from "../../wire.ts"
import { Citations, Cited, Failure, Warnings } from "../chat/message-view.tsx"
import { SourceView } from "../chat/source-view.tsx"

const STATUSES = {
  running: ["busy", "Running"],
  completed: ["good", "Completed"],
  failed: ["bad", "Failed"],
  timed_out: ["bad", "Timed out"],
  cancelled: ["", "Cancelled"],
} as const

export const RunStatus = ({ status }: { status: Run["status"] }) => (
  <span class={`badge ${STATUSES[status][0]}`}>{STATUSES[status][1]}</span>
)

const tokensOf = ({ usage }: Run): number => usage.prompt_tokens + usage.completion_tokens

export function RunView({ runId }: { runId: string }) {
  const [opened, setOpened] = useState<Source | null>(null)
  const [removing, setRemoving] = useState(false)
  const run = useLoaded(runId, signal => api.get<Run>(`/agents/runs/${runId}`, signal))
  const running = run.data?.status === "running"
  useRepeated(running ? 1_000 : null, run.reload)
  const cancel = useAction(async () => {
    await api.post(`/agents/runs/${runId}/cancel`)
    run.reload()
  })
  const { data } = run
  return (
    <Page
      title="Agent run"
      actions={
        <>
          {running && (
            <Button icon="stop" busy={cancel.busy} onClick={() => void cancel.run()}>
              Cancel
            </Button>
          )}
          {data && !running && (
            <Button icon="trash" onClick={() => setRemoving(true)}>
              Delete
            </Button>
          )}
          <Link to="/agents" class="button">
            <Icon name="back" /> All runs
          </Link>
        </>
      }
    >
      <Problem error={run.error ?? cancel.error} />
      {data && (
        <div class="stack">
          <div class="row">
            <RunStatus status={data.status} />
            <span class="soft small">
              {data.model} · {dateTime(data.started_at)}
              {data.finished_at && ` · ${duration(Date.parse(data.finished_at) - Date.parse(data.started_at))}`}
              {tokensOf(data) > 0 && ` · ${count(tokensOf(data))} tokens`}
              {data.ner_count > 0 && ` · ${count(data.ner_count)} redacted`}
            </span>
          </div>
          {data.task && (
            <p class="task" dir="auto">
              {data.task}
            </p>
          )}
          <Steps steps={data.steps} running={running} />
          <Warnings messages={data.warnings.map(warning => warning.message)} />
          {data.error && <Failure error={data.error} />}
          <Result run={data} onCite={setOpened} />
        </div>
      )}
      {removing && (
        <Confirm
          title="Delete this run?"
          action="Delete"
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await api.delete(`/agents/runs/${runId}`)
            go("/agents")
          }}
        >
          <p dir="auto">{data?.task}</p>
        </Confirm>
      )}
      {opened && <SourceView source={opened} onClose={() => setOpened(null)} />}
    </Page>
  )
}

interface StepsProps {
  steps: RunStep[]
  running: boolean
}

function Steps({ steps, running }: StepsProps) {
  return (
    <section class="stack">
      <h2>Steps</h2>
      <ol class="steps" aria-live="polite">
        {steps.map(step => (
          <li key={step.index}>
            <details class="fold">
              <summary>
                <span class="step-name">{step.name.replaceAll("_", " ")}</span>
                <span class="soft small name">
                  <bdi>{summaryOf(step)}</bdi>
                </span>
                {step.is_error && <span class="badge bad">Error</span>}
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
            <span class="caret" /> Working …
          </li>
        )}
      </ol>
      {steps.length === 0 && !running && <p class="soft">None: the model answered right away.</p>}
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
        <h2>Result</h2>
        <CopyButton text={structured ?? run.output ?? ""} label="Copy the result" />
      </div>
      {run.finish_reason === "max_steps" && (
        <p class="notice">The run used all its steps; this is its best answer so far.</p>
      )}
      {structured ? (
        <pre class="code">{structured}</pre>
      ) : (
        <Cited text={run.output ?? ""} sources={run.citations} onCite={onCite} />
      )}
      <Citations sources={run.citations} onCite={onCite} />
    </section>
  )
}
