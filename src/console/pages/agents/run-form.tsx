import { useState } from "preact/hooks"
import { ApiError, api } from "../../api.ts"
import { useAction } from "../../loading.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, Form, focusOnce, Problem, Switch, TextField } from "../../ui/form.tsx"
import type { Run } from "../../wire.ts"
import { ModelChoice, useModels } from "../chat/settings-bar.tsx"

const TOOLS = [
  ["search_library", "Search the library"],
  ["read_file", "Read files"],
  ["list_files", "List files"],
  ["query_table", "Query tables"],
  ["calculate", "Calculate"],
  ["current_time", "Tell the time"],
] as const

interface RunFormProps {
  onClose: () => void
  onStarted: (run: Run) => void
}

export function RunForm({ onClose, onStarted }: RunFormProps) {
  const models = useModels()
  const [task, setTask] = useState("")
  const [model, setModel] = useState("")
  const [tools, setTools] = useState<string[]>(TOOLS.map(([name]) => name))
  const [minutes, setMinutes] = useState("10")
  const [steps, setSteps] = useState("20")
  const [contextId, setContextId] = useState("")
  const [schema, setSchema] = useState("")
  const [redaction, setRedaction] = useState(false)
  const start = useAction(async () => {
    const body = {
      task,
      ...(model ? { model } : {}),
      ...(tools.length < TOOLS.length ? { tools } : {}), // all: also those that the operator has connected
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
          <Switch label="Redact" checked={redaction} onChange={setRedaction} />
        </div>
        <fieldset class="choices columns">
          <legend>Tools</legend>
          {TOOLS.map(([name, text]) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={tools.includes(name)}
                onChange={event =>
                  setTools(event.currentTarget.checked ? [...tools, name] : tools.filter(other => other !== name))
                }
              />
              {text}
            </label>
          ))}
        </fieldset>
        <details class="fold">
          <summary>Limits and form of the answer</summary>
          <div class="stack">
            <div class="pair">
              <TextField
                label="Minutes at most"
                name="timeout_seconds"
                type="number"
                min={1}
                max={30}
                value={minutes}
                onInput={setMinutes}
                error={start.error}
              />
              <TextField
                label="Steps at most"
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

function parseSchema(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const issue = "is not valid JSON"
    throw new ApiError(400, "invalid_request", `output_schema: ${issue}`, [{ field: "output_schema", issue }])
  }
}
