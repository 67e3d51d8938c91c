import { useState } from "preact/hooks"
import { ApiError, api } from "../../../api.ts"
import { useAction } from "../../../loading.ts"
import { spoken, t } from "../../../text.ts"
import { Dialog, FormFoot } from "../../../ui/dialog.tsx"
import { Form, Lines, Problem, Select, TextField } from "../../../ui/form.tsx"
import type { Schedule } from "../../../wire.ts"
import { CronFields, type Timed, timedOf } from "../../timing-fields.tsx"

/** What may be asked, where it goes and in which field its text stands. */
const REQUESTS = {
  run: { title: "A task for an agent", url: "/external/agents/run", field: "task" },
  question: { title: "A question", url: "/external/conversations", field: "message" },
  search: { title: "A search", url: "/external/search", field: "query" },
  other: { title: "Another request", url: "", field: "" },
} as const
type Kind = keyof typeof REQUESTS
const KINDS = Object.entries(REQUESTS).map(([kind, { title }]) => [kind as Kind, title] as const)

const WHEN = [
  ["1h", "Every hour"],
  ["* * *", "Every day at"],
  ["* * 1-5", "On weekdays at"],
  ["* * 1", "On Mondays at"],
  ["1 * *", "On the first of a month at"],
  ["cron", "By a cron expression"],
] as const
type When = (typeof WHEN)[number][0]

interface ScheduleFormProps {
  onClose: () => void
  onMade: (schedule: Schedule) => void
}

export function ScheduleForm({ onClose, onMade }: ScheduleFormProps) {
  const [name, setName] = useState("")
  const [kind, setKind] = useState<Kind>("run")
  const [text, setText] = useState("")
  const [url, setUrl] = useState("/external/search")
  const [when, setWhen] = useState<When>("* * 1-5")
  const [time, setTime] = useState("07:00")
  const [timed, setTimed] = useState<Timed>(() => timedOf(null, null))
  const save = useAction(async () => {
    const { url: known, field } = REQUESTS[kind]
    const request = field ? { url: known, body: { [field]: text } } : { url, body: parsed(text) }
    onMade(await api.post<Schedule>("/schedules", { name, ...timesFor(when, time, timed), request }))
  })
  return (
    <Dialog title={t("New schedule")} onClose={onClose}>
      <Form class="stack" action={save}>
        <TextField
          label={t("Name")}
          name="name"
          required
          autofocus
          placeholder={t("Contracts that end soon")}
          value={name}
          onInput={setName}
          error={save.error}
        />
        <Select label={t("What")} value={kind} onChange={setKind} options={spoken(KINDS)} />
        {kind === "other" && (
          <TextField label={t("Path")} name="request.url" required value={url} onInput={setUrl} error={save.error} />
        )}
        <Lines
          label={kind === "other" ? t("Body") : t("Text")}
          name="request.body"
          required
          rows={4}
          mono={kind === "other"}
          {...(kind === "other" ? { hint: "JSON", placeholder: '{"query": "notice period"}' } : {})}
          value={text}
          onInput={setText}
          error={save.error}
        />
        <div class="pair">
          <Select label={t("When")} value={when} onChange={setWhen} options={spoken(WHEN)} />
          {when !== "1h" && when !== "cron" && (
            <TextField label={t("Time")} type="time" required value={time} onInput={setTime} />
          )}
        </div>
        {when === "cron" ? (
          <CronFields name="cron" timed={timed} onChange={setTimed} error={save.error} />
        ) : (
          when !== "1h" && <p class="soft small">{t("In the time zone {timezone}.", { timezone: timed.timezone })}</p>
        )}
        <Problem error={save.error} />
        <FormFoot action={t("Make the schedule")} busy={save.busy} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

/** Fields of the request. */
function timesFor(when: When, time: string, { cron, timezone }: Timed) {
  if (when === "1h") return { every: when }
  const [hour, minute] = time.split(":").map(Number)
  return { cron: when === "cron" ? cron : `${minute} ${hour} ${when}`, ...(timezone ? { timezone } : {}) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const issue = t("is not valid JSON")
    throw new ApiError(400, "invalid_request", `request.body: ${issue}`, [{ field: "request.body", issue }])
  }
}
