/** What the next message is answered with: model, library scope, redaction, thinking. */
import { useId } from "preact/hooks"
import { api } from "../../api.ts"
import { useLoaded, useRepeated } from "../../loading.ts"
import { Select, Switch, TextField } from "../../ui/form.tsx"
import type { Model } from "../../wire.ts"

export interface ChatSettings {
  /** Empty means the conversation's own, or the daemon's default. */
  model: string
  scope: "library" | "context" | "none"
  contextId: string
  redaction: boolean
  thinking: boolean
}

export const initialSettings: ChatSettings = {
  model: "",
  scope: "library",
  contextId: "",
  redaction: false,
  thinking: false,
}

const SCOPES = [
  ["library", "Whole library"],
  ["context", "One context"],
  ["none", "No library"],
] as const

export function requestOf({ model, scope, contextId, redaction, thinking }: ChatSettings) {
  return {
    ...(model ? { model } : {}),
    use_library: scope !== "none",
    ...(scope === "context" && contextId.trim() ? { context_id: contextId.trim() } : {}),
    redaction,
    thinking,
  }
}

/** Models and their availability, asked again while the page is open. */
export function useModels() {
  const models = useLoaded("models", signal => api.get<Model[]>("/models", signal))
  useRepeated(10_000, models.reload)
  return models
}

interface SettingsBarProps {
  settings: ChatSettings
  onChange: (settings: ChatSettings) => void
  /** The open conversation's model. */
  present?: string | undefined
}

export function SettingsBar({ settings, onChange, present }: SettingsBarProps) {
  const set = (change: Partial<ChatSettings>) => onChange({ ...settings, ...change })
  const models = useModels()
  const fallback = present ?? models.data?.find(model => model.default)?.value ?? ""
  const chosen = models.data?.find(model => model.value === (settings.model || fallback))
  return (
    <div class="settings-bar">
      <ModelChoice models={models.data ?? []} value={settings.model || fallback} onChange={model => set({ model })} />
      <Select
        compact
        label="Library scope"
        value={settings.scope}
        options={SCOPES}
        onChange={scope => set({ scope })}
      />
      {settings.scope === "context" && (
        <TextField
          label="Context"
          placeholder="Context"
          value={settings.contextId}
          onInput={contextId => set({ contextId })}
        />
      )}
      <Switch label="Redact" checked={settings.redaction} onChange={redaction => set({ redaction })} />
      {chosen?.capabilities.includes("thinking") && (
        <Switch label="Think" checked={settings.thinking} onChange={thinking => set({ thinking })} />
      )}
    </div>
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
  const known = models.some(model => model.value === value)
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
        {!known && <option value={value}>{value || "Model"}</option>}
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
