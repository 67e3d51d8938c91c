import { useEffect, useState } from "preact/hooks"
import { ApiError, api } from "../../api.ts"
import { useAction, useLoaded } from "../../loading.ts"
import { useAccount } from "../../session.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, Form, focusOnce, Problem, TextField } from "../../ui/form.tsx"
import type { Run, ToolChoice } from "../../wire.ts"
import { ModelChoice, RedactionSwitch, useModels } from "../chat/settings-bar.tsx"

interface RunFormProps {
  onClose: () => void
  onStarted: (run: Run) => void
}

export function RunForm({ onClose, onStarted }: RunFormProps) {
  const models = useModels()
  const [task, setTask] = useState("")
  const [model, setModel] = useState("")
  const [tools, setTools] = useState<string[]>()
  const [minutes, setMinutes] = useState("10")
  const [steps, setSteps] = useState("20")
  const [contextId, setContextId] = useState("")
  const [schema, setSchema] = useState("")
  const [redaction, setRedaction] = useState(false)
  const { reloadRedaction } = useAccount()
  // Once: an administrator may have changed it since.
  useEffect(reloadRedaction, [])
  const offered = useLoaded("tools", signal => api.get<{ data: ToolChoice[] }>("/keys/tools", signal)).data?.data ?? []
  const own = offered.filter(tool => !tool.external).map(tool => tool.name)
  const chosen = tools ?? own // external tools act outside the daemon: only where somebody says so
  const start = useAction(async () => {
    const body = {
      task,
      ...(model ? { model } : {}),
      ...(tools ? { tools } : {}),
      timeout_seconds: Math.round(Number(minutes) * 60),
      max_steps: Number(steps),
      redaction,
      ...(contextId.trim() ? { context_id: contextId.trim() } : {}),
      ...(schema.trim() ? { output_schema: parseSchema(schema) } : {}),
    }
    onStarted(await api.post<Run>("/agents/run", body, { headers: { prefer: "respond-async" } }))
  })
  return (
    <Dialog title="New run" onClose={onClose}>
      <Form class="stack" action={start}>
        <Field label="Task" name="task" error={start.error}>
          {attributes => (
            <textarea
              {...attributes}
              class="input"
              dir="auto"
              rows={5}
              required
              ref={focusOnce}
              placeholder="Which contracts end before June, and what do they cost together?"
              value={task}
              onInput={event => setTask(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="row">
          <ModelChoice
            models={models.data ?? []}
            value={model || (models.data?.find(candidate => candidate.default)?.value ?? "")}
            onChange={setModel}
          />
          <RedactionSwitch checked={redaction} onChange={setRedaction} />
        </div>
        <ToolChoices tools={offered} chosen={chosen} onChange={setTools} />
        <details class="fold">
          <summary>Limits and answer format</summary>
          <div class="stack">
            <div class="pair">
              <TextField
                label="Time limit in minutes"
                name="timeout_seconds"
                type="number"
                min={1}
                max={30}
                value={minutes}
                onInput={setMinutes}
                error={start.error}
              />
              <TextField
                label="Step limit"
                name="max_steps"
                type="number"
                min={1}
                max={100}
                value={steps}
                onInput={setSteps}
                error={start.error}
              />
            </div>
            <TextField label="Context" name="context_id" value={contextId} onInput={setContextId} error={start.error} />
            <Field
              label="JSON Schema of the answer"
              name="output_schema"
              hint="Empty for free text"
              error={start.error}
            >
              {attributes => (
                <textarea
                  {...attributes}
                  class="input mono"
                  rows={4}
                  value={schema}
                  onInput={event => setSchema(event.currentTarget.value)}
                />
              )}
            </Field>
          </div>
        </details>
        <Problem error={start.error} />
        <footer class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={start.busy} disabled={!task.trim()}>
            Start
          </Button>
        </footer>
      </Form>
    </Dialog>
  )
}

interface ToolChoicesProps {
  tools: ToolChoice[]
  chosen: string[]
  onChange: (chosen: string[]) => void
}

const ToolChoices = ({ tools, chosen, onChange }: ToolChoicesProps) => (
  <fieldset class="choices columns">
    <legend>Tools</legend>
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
          {title}
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
    const issue = "is not valid JSON"
    throw new ApiError(400, "invalid_request", `output_schema: ${issue}`, [{ field: "output_schema", issue }])
  }
}
