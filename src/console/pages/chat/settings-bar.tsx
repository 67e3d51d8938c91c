/** What the next message is answered with: model, library scope, redaction, thinking. */
import { useId } from "preact/hooks"
import { api } from "../../api.ts"
import { useLoaded, useRepeated } from "../../loading.ts"
import { useAccount } from "../../session.ts"
import { Select, Switch, TextField } from "../../ui/form.tsx"
import type { Model } from "../../wire.ts"
import type { ChatSettings, Scope } from "./settings.ts"

/** Models and their availability, asked again while the page is open. */
export function useModels() {
  const models = useLoaded("models", signal => api.get<Model[]>("/models", signal))
  useRepeated(10_000, models.reload)
  return models
}

interface SettingsBarProps {
  settings: ChatSettings
  onChange: (change: Partial<ChatSettings>) => void
  /** The open conversation's model. */
  present?: string | undefined
  /** Of the one file that the conversation is about. */
  fileName?: string | undefined
}

export function SettingsBar({ settings, onChange, present, fileName }: SettingsBarProps) {
  const models = useModels()
  const fallback = present ?? models.data?.find(model => model.default)?.value ?? ""
  const chosen = models.data?.find(model => model.value === (settings.model || fallback))
  return (
    <div class="settings-bar">
      <ModelChoice
        models={models.data ?? []}
        value={settings.model || fallback}
        onChange={model => onChange({ model })}
      />
      <Select
        compact
        label="Library scope"
        value={settings.scope}
        options={scopesFor(settings, fileName)}
        onChange={scope => onChange({ scope, fileIds: settings.fileIds, contextId: settings.contextId })}
      />
      {settings.scope === "context" && (
        <TextField
          label="Context"
          placeholder="Context"
          value={settings.contextId}
          onInput={contextId => onChange({ scope: "context", contextId })}
        />
      )}
      <RedactionSwitch checked={settings.redaction} onChange={redaction => onChange({ redaction })} />
      {chosen?.capabilities.includes("thinking") && (
        <Switch label="Think" checked={settings.thinking} onChange={thinking => onChange({ thinking })} />
      )}
    </div>
  )
}

function scopesFor({ fileIds }: ChatSettings, fileName: string | undefined): [Scope, string][] {
  const files: [Scope, string][] =
    fileIds.length === 0
      ? []
      : [["files", fileIds.length > 1 ? `Only ${fileIds.length} files` : `Only ${fileName ?? "one file"}`]]
  return [...files, ["library", "Whole library"], ["context", "One context"], ["none", "No library"]]
}

const INSISTS = { daemon: "always on in this Carrel", workspace: "always on in this workspace" }

/** On and locked where the daemon or the workspace insists. */
export function RedactionSwitch({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  const insists = useAccount().redaction?.enforced_by
  return (
    <Switch
      label="Redact"
      checked={checked || Boolean(insists)}
      disabled={Boolean(insists)}
      note={insists ? INSISTS[insists] : undefined}
      onChange={onChange}
    />
  )
}

interface ModelChoiceProps {
  models: Model[]
  value: string
  onChange: (value: string) => void
}

const STATES = { loaded: "ready at once", ready: "ready", unavailable: "unavailable" }

export function ModelChoice({ models, value, onChange }: ModelChoiceProps) {
  const id = useId()
  const chosen = models.find(model => model.value === value)
  return (
    <div class="field compact model-choice">
      <label for={id} class="unseen">
        Model
      </label>
      <span
        class={`dot ${chosen?.status ?? "ready"}`}
        title={chosen?.status_reason ?? STATES[chosen?.status ?? "ready"]}
      />
      <select id={id} class="input" value={value} onChange={event => onChange(event.currentTarget.value)}>
        {!chosen && <option value={value}>{value || "Model"}</option>}
        {models.map(model => (
          <option key={model.value} value={model.value} disabled={!model.available}>
            {model.label}
            {model.available ? (model.status === "loaded" ? " · loaded" : "") : " · unavailable"}
          </option>
        ))}
      </select>
    </div>
  )
}
