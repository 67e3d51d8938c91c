import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useAction } from "../../loading.ts"
import { leftToRight, spoken, t } from "../../text.ts"
import { Dialog, FormFoot } from "../../ui/dialog.tsx"
import { Form, Lines, Problem, Select, Switch, TextField } from "../../ui/form.tsx"
import type { SourceRecord } from "../../wire.ts"
import { ScheduleFields, type Timed, timedOf, timesOf } from "../timing-fields.tsx"
import { type FieldSpec, linesOf, objectOf, TYPES, type Written, writtenOf } from "./types.ts"

interface SourceFormProps {
  /** The source to change; absent for a new one. */
  present?: SourceRecord
  onClose: () => void
  onSaved: (source: SourceRecord) => void
}

/** What the form has in its fields. */
interface Fields {
  type: SourceRecord["type"]
  name: string
  config: Written
  credentials: Written
  timed: Timed
  contextId: string
  tags: string
  include: string
  exclude: string
  megabytes: string
  deleteMissing: boolean
}

const fieldsOf = (source: SourceRecord | undefined): Fields => ({
  type: source?.type ?? "folder",
  name: source?.name ?? "",
  config: writtenOf(source?.config ?? {}),
  credentials: {},
  timed: timedOf(source?.schedule ?? (source ? null : "1h"), source?.timezone ?? null),
  contextId: source?.context_id ?? "",
  tags: source?.tags.join(", ") ?? "",
  include: source?.include.join("\n") ?? "",
  exclude: source?.exclude.join("\n") ?? "",
  megabytes: source?.max_bytes ? String(source.max_bytes / 1e6) : "",
  deleteMissing: source?.delete_missing ?? true,
})

function requestOf(fields: Fields, present: SourceRecord | undefined) {
  const { config, credentials = [] } = TYPES[fields.type]
  const login = objectOf(credentials, fields.credentials)
  return {
    ...(present ? {} : { type: fields.type }),
    name: fields.name,
    config: objectOf(config, fields.config),
    ...(Object.keys(login).length > 0 ? { credentials: login } : {}),
    ...(fields.type === "push" ? {} : timesOf(fields.timed)),
    context_id: fields.contextId.trim() || null,
    tags: fields.tags
      .split(",")
      .map(tag => tag.trim())
      .filter(Boolean),
    include: linesOf(fields.include),
    exclude: linesOf(fields.exclude),
    max_bytes: fields.megabytes ? Math.round(Number(fields.megabytes) * 1e6) : null,
    delete_missing: fields.deleteMissing,
  }
}

export function SourceForm({ present, onClose, onSaved }: SourceFormProps) {
  const [fields, setFields] = useState(() => fieldsOf(present))
  const set = (change: Partial<Fields>) => setFields(before => ({ ...before, ...change }))
  const save = useAction(async () => {
    const body = requestOf(fields, present)
    onSaved(
      present
        ? await api.patch<SourceRecord>(`/sources/${present.id}`, body)
        : await api.post<SourceRecord>("/sources", body),
    )
  })
  const { title, note, config, credentials = [] } = TYPES[fields.type]
  return (
    <Dialog title={present ? t("Change {name}", { name: present.name }) : t("Add a source")} onClose={onClose}>
      <Form class="stack" action={save}>
        {present ? <p class="soft">{t(title)}</p> : <TypeChoice value={fields.type} onChange={type => set({ type })} />}
        {note && <p class="soft small">{t(note)}</p>}
        <TextField
          label={t("Name")}
          name="name"
          required
          placeholder={t("Handbook")}
          value={fields.name}
          onInput={name => set({ name })}
          error={save.error}
        />
        <SpecFields
          within="config"
          specs={config}
          written={fields.config}
          onChange={config => set({ config })}
          error={save.error}
        />
        {credentials.length > 0 && (
          <div class="pair">
            <SpecFields
              within="credentials"
              specs={credentials}
              written={fields.credentials}
              onChange={credentials => set({ credentials })}
              error={save.error}
              placeholder={present?.has_credentials ? t("unchanged") : ""}
            />
          </div>
        )}
        {fields.type !== "push" && (
          <ScheduleFields timed={fields.timed} onChange={timed => set({ timed })} error={save.error} />
        )}
        <Selection fields={fields} set={set} error={save.error} />
        <Problem error={save.error} />
        <FormFoot action={present ? t("Save") : t("Add")} busy={save.busy} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

const TYPE_CHOICES = Object.entries(TYPES).map(([type, { title }]) => [type as SourceRecord["type"], title] as const)

interface TypeChoiceProps {
  value: SourceRecord["type"]
  onChange: (type: SourceRecord["type"]) => void
}

const TypeChoice = (given: TypeChoiceProps) => <Select label={t("Type")} options={spoken(TYPE_CHOICES)} {...given} />

interface SpecFieldsProps {
  /** Object of the request. */
  within: "config" | "credentials"
  specs: readonly FieldSpec[]
  written: Written
  onChange: (written: Written) => void
  error: Error | undefined
  placeholder?: string
}

const SpecFields = ({ within, specs, written, onChange, error, placeholder }: SpecFieldsProps) => (
  <>
    {specs.map(({ name, label, kind, choices, required, placeholder: example, otherwise }) => {
      const set = (value: string) => onChange({ ...written, [name]: value })
      const given = {
        label: t(label),
        name: `${within}.${name}`,
        value: written[name] ?? "",
        onInput: set,
        error,
        ...(placeholder || otherwise || example
          ? { placeholder: placeholder || (otherwise ? t(otherwise) : leftToRight(example!)) }
          : {}),
      }
      if (choices)
        return (
          <Select
            key={name}
            label={t(label)}
            value={written[name] ?? choices[0]![0]}
            onChange={set}
            options={spoken(choices)}
          />
        )
      if (kind === "lines") return <Lines key={name} {...given} />
      return (
        <TextField
          key={name}
          {...given}
          {...(required ? { required } : {})}
          {...(kind === "number" ? { type: "number", min: 1 } : kind ? { type: kind } : {})}
          {...(within === "credentials" ? { autocomplete: kind === "password" ? "new-password" : "off" } : {})}
        />
      )
    })}
  </>
)

interface SelectionProps {
  fields: Fields
  set: (change: Partial<Fields>) => void
  error: Error | undefined
}

/** Folded: most sources take everything. */
const Selection = ({ fields, set, error }: SelectionProps) => (
  <details class="fold">
    <summary>{t("Which files, and how they are labeled")}</summary>
    <div class="stack">
      <div class="pair">
        <Lines
          label={t("Only these")}
          name="include"
          placeholder={leftToRight("**/*.pdf")}
          hint={t("Patterns, one per line")}
          value={fields.include}
          onInput={include => set({ include })}
          error={error}
        />
        <Lines
          label={t("Not these")}
          name="exclude"
          placeholder={leftToRight("archive/**")}
          hint={t("Patterns, one per line")}
          value={fields.exclude}
          onInput={exclude => set({ exclude })}
          error={error}
        />
      </div>
      <div class="pair">
        <TextField
          label={t("Context")}
          name="context_id"
          value={fields.contextId}
          onInput={contextId => set({ contextId })}
          error={error}
        />
        <TextField
          label={t("Tags")}
          name="tags"
          hint={t("Separated by commas")}
          value={fields.tags}
          onInput={tags => set({ tags })}
          error={error}
        />
      </div>
      <TextField
        label={t("Largest file in MB")}
        name="max_bytes"
        type="number"
        min={0}
        placeholder={t("as for uploads")}
        value={fields.megabytes}
        onInput={megabytes => set({ megabytes })}
        error={error}
      />
      <Switch
        label={t("Delete files here when they are gone there")}
        checked={fields.deleteMissing}
        onChange={deleteMissing => set({ deleteMissing })}
      />
    </div>
  </details>
)
