import type { Schedule } from "../../../wire.ts"

export const ScheduleState = ({ paused }: { paused: boolean }) =>
  paused ? <span class="badge">Paused</span> : <span class="badge good">Active</span>

/** "every 6h", or the cron expression with its time zone. */
export const whenOf = ({ cron, every, timezone }: Pick<Schedule, "cron" | "every" | "timezone">): string =>
  every ? `every ${every}` : `${cron}${timezone ? ` (${timezone})` : ""}`

/** What is asked: the text of the request, else where it goes. */
export function askedBy({ url, body }: Schedule["request"]): string {
  const text = body.task ?? body.message ?? body.query
  return typeof text === "string" && text ? text : url
}
