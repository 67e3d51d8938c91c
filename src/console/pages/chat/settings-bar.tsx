/** What the next message is answered with: model, library scope, redaction, thinking, instructions and options. */
import type { VNode } from "preact"
import { useId, useState } from "preact/hooks"
import { api } from "../../api.ts"
import { Lazy } from "../../lazy.tsx"
import { useLoaded, useRepeated } from "../../loading.ts"
import { nameOfModel } from "../../model-words.ts"
import { useAccount } from "../../session.ts"
import { type Text, t } from "../../text.ts"
import { Button } from "../../ui/button.tsx"
import { Segments, type SegmentsProps, Select, Switch, TextField } from "../../ui/form.tsx"
import type { Model, Reading } from "../../wire.ts"
import type { ChatSettings, Scope } from "./settings.ts"

const loadOptions = async () => (await import("./options-dialog.tsx")).OptionsDialog

/** Models and their availability, asked again while the page is open. */
export function useModels() {
  const models = useLoaded("models", signal => api.get<Model[]>("/models", signal))
  useRepeated(10_000, models.reload)
  return models
}

interface SettingsBarProps {
  settings: ChatSettings
  /** Undefined until they are read. */
  models: readonly Model[] | undefined
  onChange: (change: Partial<ChatSettings>) => void
  /** The open conversation's model. */
  present?: string | undefined
  /** Of the one file that the conversation is about. */
  fileName?: string | undefined
}

/** The model that the next message is answered by; undefined where the list has none of that name. */
export function modelFor(
  { model }: ChatSettings,
  { models, present }: Pick<SettingsBarProps, "models" | "present">,
): Model | undefined {
  const value = model || present
  return models?.find(other => (value ? other.value === value : other.default))
}

export function SettingsBar({ settings, models, onChange, present, fileName }: SettingsBarProps) {
  const chosen = modelFor(settings, { models, present })
  const instructions = useInstructions(settings, onChange)
  return (
    <>
      <div class="settings-bar">
        <ModelChoice
          models={models ?? []}
          value={chosen?.value ?? (settings.model || present || "")}
          onChange={model => onChange({ model })}
        />
        <Select
          compact
          label={t("Library scope")}
          value={settings.scope}
          options={scopesFor(settings, fileName)}
          onChange={scope => onChange({ scope, fileIds: settings.fileIds, contextId: settings.contextId })}
        />
        {settings.scope === "context" && (
          <TextField
            label={t("Context")}
            placeholder={t("Context")}
            value={settings.contextId}
            onInput={contextId => onChange({ scope: "context", contextId })}
          />
        )}
        {(settings.scope === "files" || settings.scope === "context") && (
          <Segments
            label={t("How the files are read")}
            value={settings.reading}
            options={readingsFor(settings)}
            onChange={reading => onChange({ reading })}
          />
        )}
        <RedactionSwitch checked={settings.redaction} onChange={redaction => onChange({ redaction })} />
        {chosen?.capabilities.includes("thinking") && (
          <Switch label={t("Think")} checked={settings.thinking} onChange={thinking => onChange({ thinking })} />
        )}
        {instructions.button}
      </div>
      {instructions.dialog}
    </>
  )
}

/** A button that says whether any were given, and the dialog, which stands outside the bar. */
function useInstructions(
  { systemPrompt, options }: ChatSettings,
  onSave: (change: Partial<ChatSettings>) => void,
): { button: VNode; dialog: VNode | false } {
  const [open, setOpen] = useState(false)
  const given = systemPrompt.trim() !== "" || Object.keys(options).length > 0
  const props = { systemPrompt, options, onSave, onClose: () => setOpen(false) }
  return {
    button: (
      <Button kind="quiet" icon="settings" pressed={given} onClick={() => setOpen(true)}>
        {t("Instructions")}
      </Button>
    ),
    dialog: open && <Lazy load={loadOptions} props={props} />,
  }
}

function scopesFor({ fileIds }: ChatSettings, fileName: string | undefined): [Scope, string][] {
  const files: [Scope, string][] = fileIds.length === 0 ? [] : [["files", onlyWords(fileIds.length, fileName)]]
  return [...files, ["library", t("Whole library")], ["context", t("One context")], ["none", t("No library")]]
}

function onlyWords(files: number, name: string | undefined): string {
  if (files > 1) return t("Only {files, plural, one {# file} other {# files}}", { files })
  return name === undefined ? t("Only one file") : t("Only {name}", { name })
}

const readingsFor = ({ scope, fileIds }: ChatSettings): SegmentsProps<Reading>["options"] => [
  ["auto", t("Auto"), t("Whichever the question needs")],
  ["passages", t("Passages"), t("What a search finds: quick, for questions about one thing")],
  [
    "whole",
    scope === "files" && fileIds.length === 1 ? t("Whole file") : t("Whole files"),
    t("All of the text, part by part where it is long: for summaries and lists"),
  ],
]

const INSISTS = {
  daemon: "always on in this Carrel",
  workspace: "always on in this workspace",
} as const satisfies Record<string, Text>

/** On and locked where the daemon or the workspace insists. */
export function RedactionSwitch({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  const insists = useAccount().redaction?.enforced_by
  return (
    <Switch
      label={t("Redact")}
      checked={checked || Boolean(insists)}
      disabled={Boolean(insists)}
      note={insists ? t(INSISTS[insists]) : undefined}
      onChange={onChange}
    />
  )
}

interface ModelChoiceProps {
  models: readonly Model[]
  value: string
  onChange: (value: string) => void
}

const STATES = { loaded: "ready at once", ready: "ready", unavailable: "unavailable" } as const satisfies Record<
  string,
  Text
>

export function ModelChoice({ models, value, onChange }: ModelChoiceProps) {
  const id = useId()
  const chosen = models.find(model => model.value === value)
  return (
    <div class="field compact model-choice">
      <label for={id} class="unseen">
        {t("Model")}
      </label>
      <span
        class={`dot ${chosen?.status ?? "ready"}`}
        title={chosen?.status_reason ?? t(STATES[chosen?.status ?? "ready"])}
      />
      <select id={id} class="input" value={value} onChange={event => onChange(event.currentTarget.value)}>
        {!chosen && <option value={value}>{value || t("Model")}</option>}
        {models.map(model => (
          <option key={model.value} value={model.value} disabled={!model.available}>
            {nameOfModel(model)}
            {model.available ? (model.status === "loaded" ? ` · ${t("loaded")}` : "") : ` · ${t("unavailable")}`}
          </option>
        ))}
      </select>
    </div>
  )
}
