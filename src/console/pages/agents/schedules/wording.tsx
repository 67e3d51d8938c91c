import { leftToRight, t } from "../../../text.ts"
import type { Schedule } from "../../../wire.ts"

export const ScheduleState = ({ paused }: { paused: boolean }) =>
  paused ? <span class="badge">{t("Paused")}</span> : <span class="badge good">{t("Active")}</span>

/** "every 6h", or the cron expression with its time zone. */
export const whenOf = ({ cron, every, timezone }: Pick<Schedule, "cron" | "every" | "timezone">): string =>
  every ? t("every {time}", { time: every }) : leftToRight(`${cron}${timezone ? ` (${timezone})` : ""}`)

/** What is asked: the text of the request, else where it goes. */
export function askedBy({ url, body }: Schedule["request"]): string {
  const text = body.task ?? body.message ?? body.query
  return typeof text === "string" && text ? text : url
}
