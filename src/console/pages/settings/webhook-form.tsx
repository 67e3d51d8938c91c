import { useState } from "preact/hooks"
import { api } from "../../api.ts"
import { useAction } from "../../loading.ts"
import { type Text, t } from "../../text.ts"
import { Dialog, FormFoot } from "../../ui/dialog.tsx"
import { Form, Problem, Segments, TextField } from "../../ui/form.tsx"
import type { EventType, NewWebhook, Webhook } from "../../wire.ts"

/** What happens, in words. */
const EVENTS: Record<EventType, Text> = {
  "file.searchable": "A file is searchable",
  "file.failed": "A file could not be read",
  "file.deleted": "A file is deleted",
  "source.synced": "A source is in sync",
  "source.failed": "A source cannot be reached",
  "source.guarded": "A source needs a decision",
  "batch.completed": "A batch is done",
  "batch.failed": "A batch failed",
  "job.completed": "A job is done",
  "run.completed": "An agent's run is done",
  "run.failed": "A run failed",
  "run.timed_out": "A run took too long",
  "run.cancelled": "A run was cancelled",
  "run.waiting_for_approval": "A run waits for an approval",
  "schedule.failed": "A scheduled request failed",
  "key.expiring": "A key expires soon",
  "retention.applied": "Old data was removed",
  "storage.low": "The disk is nearly full",
  "webhook.disabled": "A webhook was disabled",
}
const NAMES = Object.keys(EVENTS) as EventType[]

interface WebhookFormProps {
  /** The webhook to change; absent for a new one. */
  present?: Webhook
  onClose: () => void
  onMade?: (secret: string) => void
  onChanged?: () => void
}

export function WebhookForm({ present, onClose, onMade, onChanged }: WebhookFormProps) {
  const [url, setUrl] = useState(present?.url ?? "")
  const [description, setDescription] = useState(present?.description ?? "")
  const [types, setTypes] = useState<EventType[]>(present?.types ?? [])
  const [which, setWhich] = useState<"all" | "some">(present?.types ? "some" : "all")
  const save = useAction(async () => {
    const body = { url, description, types: which === "some" ? types : null }
    if (present) {
      await api.patch(`/webhooks/${present.id}`, body)
      onChanged?.()
    } else onMade?.((await api.post<NewWebhook>("/webhooks", body)).secret)
  })
  return (
    <Dialog title={present ? t("Change the webhook") : t("Add a webhook")} onClose={onClose}>
      <Form class="stack" action={save}>
        <TextField
          label={t("Address")}
          name="url"
          type="url"
          required
          autofocus
          placeholder="http://10.0.0.5:8080/carrel"
          hint={t("Public addresses must be listed in --webhook-allow")}
          value={url}
          onInput={setUrl}
          error={save.error}
        />
        <TextField
          label={t("Description")}
          name="description"
          value={description}
          onInput={setDescription}
          error={save.error}
        />
        <Segments
          label={t("Events")}
          value={which}
          onChange={setWhich}
          options={[
            ["all", t("All events")],
            ["some", t("Only some")],
          ]}
        />
        {which === "some" && <EventChoices types={types} onChange={setTypes} />}
        <Problem error={save.error} />
        <FormFoot
          action={present ? t("Save") : t("Add")}
          busy={save.busy}
          disabled={which === "some" && types.length === 0}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  )
}

interface EventChoicesProps {
  types: EventType[]
  onChange: (types: EventType[]) => void
}

const EventChoices = ({ types, onChange }: EventChoicesProps) => (
  <fieldset class="choices columns">
    <legend>{t("Events")}</legend>
    {NAMES.map(type => (
      <label key={type} title={type}>
        <input
          type="checkbox"
          checked={types.includes(type)}
          onChange={event =>
            onChange(event.currentTarget.checked ? [...types, type] : types.filter(other => other !== type))
          }
        />
        {t(EVENTS[type])}
      </label>
    ))}
  </fieldset>
)
