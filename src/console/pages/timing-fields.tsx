/** When something happens again, as forms ask for it: after a while, or by cron in a time zone. */
import { leftToRight, spoken, t } from "../text.ts"
import { Select, TextField } from "../ui/form.tsx"

export interface Timed {
  /** One of the choices; `cron` for what is written in `cron`. */
  choice: string
  cron: string
  timezone: string
}

const OFTEN = [
  ["", "On request only"],
  ["15m", "Every 15 minutes"],
  ["1h", "Every hour"],
  ["6h", "Every 6 hours"],
  ["1d", "Every day"],
  ["cron", "By a cron expression"],
] as const

/** A schedule in words: "every hour", or the cron expression. */
export function scheduleText(schedule: string): string {
  const known = OFTEN.find(([value]) => value === schedule)
  if (known) return t(known[1]).toLowerCase()
  return schedule.includes(" ") ? leftToRight(schedule) : t("every {time}", { time: schedule })
}

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone

export function timedOf(schedule: string | null, timezone: string | null): Timed {
  const known = OFTEN.some(([value]) => value === (schedule ?? ""))
  const zone = timezone ?? HERE
  return known
    ? { choice: schedule ?? "", cron: "", timezone: zone }
    : { choice: "cron", cron: schedule ?? "", timezone: zone }
}

/** Fields of the request. */
export const timesOf = ({ choice, cron, timezone }: Timed) =>
  choice === "cron" ? { schedule: cron, timezone: timezone || null } : { schedule: choice || null, timezone: null }

interface ScheduleFieldsProps {
  timed: Timed
  onChange: (timed: Timed) => void
  error: Error | undefined
}

export const ScheduleFields = ({ timed, onChange, error }: ScheduleFieldsProps) => (
  <>
    <Select
      label={t("Synced")}
      value={timed.choice}
      onChange={choice => onChange({ ...timed, choice })}
      options={spoken(OFTEN)}
    />
    {timed.choice === "cron" && <CronFields name="schedule" timed={timed} onChange={onChange} error={error} />}
  </>
)

export const CronFields = ({ name, timed, onChange, error }: ScheduleFieldsProps & { name: string }) => (
  <div class="pair">
    <TextField
      label={t("Cron")}
      name={name}
      required
      placeholder="0 6 * * 1-5"
      hint={t("Minute, hour, day, month, weekday")}
      value={timed.cron}
      onInput={cron => onChange({ ...timed, cron })}
      error={error}
    />
    <TextField
      label={t("Time zone")}
      name="timezone"
      placeholder="UTC"
      value={timed.timezone}
      onInput={timezone => onChange({ ...timed, timezone })}
      error={error}
    />
  </div>
)
