import { useEffect, useState } from "preact/hooks"
import { ApiError, api } from "../../api.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { useAccount } from "../../session.ts"
import { t } from "../../text.ts"
import { toolName } from "../../tool-names.ts"
import { Dialog, FormFoot } from "../../ui/dialog.tsx"
import { Field, Form, focusOnce, Problem, TextField } from "../../ui/form.tsx"
import type { Run, ToolChoice } from "../../wire.ts"
import { ModelChoice, RedactionSwitch, useModels } from "../chat/settings-bar.tsx"

interface RunFormProps {
  onClose: () => void
  onStarted: (run: Run) => void
}

/** What the form has in its fields. */
interface Fields {
  task: string
  model: string
  /** Undefined: the daemon's own tools. */
  tools: string[] | undefined
  minutes: string
  steps: string
  contextId: string
  schema: string
  redaction: boolean
}

const EMPTY: Fields = {
  task: "",
  model: "",
  tools: undefined,
  minutes: "10",
  steps: "20",
  contextId: "",
  schema: "",
  redaction: false,
}

/** @throws ApiError for a schema that is not JSON */
const requestOf = ({ task, model, tools, minutes, steps, contextId, schema, redaction }: Fields) => ({
  task,
  ...(model ? { model } : {}),
  ...(tools ? { tools } : {}),
  timeout_seconds: Math.round(Number(minutes) * 60),
  max_steps: Number(steps),
  redaction,
  ...(contextId.trim() ? { context_id: contextId.trim() } : {}),
  ...(schema.trim() ? { output_schema: parseSchema(schema) } : {}),
})

export function RunForm({ onClose, onStarted }: RunFormProps) {
  const models = useModels()
  const [fields, setFields] = useState(EMPTY)
  const set = (change: Partial<Fields>) => setFields(before => ({ ...before, ...change }))
  const { reloadRedaction } = useAccount()
  // Once: an administrator may have changed it since.
  useEffect(reloadRedaction, [])
  const offered = useLoaded("tools", signal => api.get<{ data: ToolChoice[] }>("/keys/tools", signal)).data?.data ?? []
  const own = offered.filter(tool => !tool.external).map(tool => tool.name)
  const chosen = fields.tools ?? own // external tools act outside the daemon: only where somebody says so
  const start = useAction(async () => {
    const headers = { prefer: "respond-async" }
    onStarted(await api.post<Run>("/agents/run", requestOf(fields), { headers }))
  })
  return (
    <Dialog title={t("New run")} onClose={onClose}>
      <Form class="stack" action={start}>
        <Field label={t("Task")} name="task" error={start.error}>
          {attributes => (
            <textarea
              {...attributes}
              class="input"
              dir="auto"
              rows={5}
              required
              ref={focusOnce}
              placeholder={t("Which contracts end before June, and what do they cost together?")}
              value={fields.task}
              onInput={event => set({ task: event.currentTarget.value })}
            />
          )}
        </Field>
        <div class="row">
          <ModelChoice
            models={models.data ?? []}
            value={fields.model || (models.data?.find(candidate => candidate.default)?.value ?? "")}
            onChange={model => set({ model })}
          />
          <RedactionSwitch checked={fields.redaction} onChange={redaction => set({ redaction })} />
        </div>
        <ToolChoices tools={offered} chosen={chosen} onChange={tools => set({ tools })} />
        <Limits fields={fields} set={set} error={start.error} />
        <Problem error={start.error} />
        <FormFoot action={t("Start")} busy={start.busy} disabled={!fields.task.trim()} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

interface LimitsProps {
  fields: Fields
  set: (change: Partial<Fields>) => void
  error: ReturnType<typeof useAction>["error"]
}

const Limits = ({ fields, set, error }: LimitsProps) => (
  <details class="fold">
    <summary>{t("Limits and answer format")}</summary>
    <div class="stack">
      <div class="pair">
        <TextField
          label={t("Time limit in minutes")}
          name="timeout_seconds"
          type="number"
          min={1}
          max={30}
          value={fields.minutes}
          onInput={minutes => set({ minutes })}
          error={error}
        />
        <TextField
          label={t("Step limit")}
          name="max_steps"
          type="number"
          min={1}
          max={100}
          value={fields.steps}
          onInput={steps => set({ steps })}
          error={error}
        />
      </div>
      <TextField
        label={t("Context")}
        name="context_id"
        value={fields.contextId}
        onInput={contextId => set({ contextId })}
        error={error}
      />
      <Field label={t("JSON Schema of the answer")} name="output_schema" hint={t("Empty for free text")} error={error}>
        {attributes => (
          <textarea
            {...attributes}
            class="input mono"
            dir="ltr"
            rows={4}
            value={fields.schema}
            onInput={event => set({ schema: event.currentTarget.value })}
          />
        )}
      </Field>
    </div>
  </details>
)

interface ToolChoicesProps {
  tools: ToolChoice[]
  chosen: string[]
  onChange: (chosen: string[]) => void
}

const ToolChoices = ({ tools, chosen, onChange }: ToolChoicesProps) => (
  <fieldset class="choices columns">
    <legend>{t("Tools")}</legend>
    {tools.map(({ name, title, external }) => (
      <label key={name}>
        <input
          type="checkbox"
          checked={chosen.includes(name)}
          onChange={event =>
            onChange(event.currentTarget.checked ? [...chosen, name] : chosen.filter(other => other !== name))
          }
        />
        <span dir="auto">
          {toolName(name, title)}
          {external && <span class="soft small"> ({name.split(".")[0]})</span>}
        </span>
      </label>
    ))}
  </fieldset>
)

function parseSchema(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const issue = t("is not valid JSON")
    throw new ApiError(400, "invalid_request", `output_schema: ${issue}`, [{ field: "output_schema", issue }])
  }
}
