/** When something is due that happens again and again: every so often, or at times that a cron expression names. */
import { Cron } from "croner"
import { invalid } from "./errors.ts"

export type Timing = { every: string } | { cron: string; timezone: string }

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const EVERY = /^([1-9]\d{0,6})([smhd])$/
const MIN_MS = 1_000
const MAX_MS = 366 * UNITS.d
const MAX_CRON_LENGTH = 200

/** `90s`, `15m`, `6h`, `1d`. @returns undefined for anything else, and for less than a second or more than a year */
export function durationMs(text: string): number | undefined {
  const [, count, unit] = EVERY.exec(text) ?? []
  const ms = Number(count) * UNITS[unit as keyof typeof UNITS]
  return ms >= MIN_MS && ms <= MAX_MS ? ms : undefined
}

/** @param field named by the error. @throws AppError invalid_request */
export function checkEvery(text: string, field = "every"): Timing {
  if (durationMs(text) === undefined) throw invalid(field, "must be a number with s, m, h or d, such as 15m")
  return { every: text }
}

const CRON = "a cron expression of five fields that names a time to come, such as `0 6 * * 1-5`"

/** Five fields: minute, hour, day of the month, month, day of the week. @throws AppError invalid_request */
export function checkCron(cron: string, timezone = "UTC", field = "cron", meant = CRON): Timing {
  if (!isTimezone(timezone))
    throw invalid("timezone", "must be a time zone of the IANA database, such as Europe/Berlin")
  const timing = { cron, timezone }
  if (cron.length > MAX_CRON_LENGTH || cron.trim().split(/\s+/).length !== 5 || !nextOf(timing, new Date()))
    throw invalid(field, `must be ${meant}`)
  return timing
}

/** Either, told apart by its form. @throws AppError invalid_request */
export const checkSchedule = (text: string, timezone?: string, field = "schedule"): Timing =>
  EVERY.test(text)
    ? checkEvery(text, field)
    : checkCron(text, timezone, field, `a number with s, m, h or d, such as 15m, or ${CRON}`)

/** The first time behind `after` at which it is due. */
export function nextTime(timing: Timing, after: Date): Date {
  if ("every" in timing) return new Date(after.getTime() + durationMs(timing.every)!)
  return nextOf(timing, after) ?? new Date(after.getTime() + MAX_MS)
}

function nextOf({ cron, timezone }: { cron: string; timezone: string }, after: Date): Date | undefined {
  try {
    return new Cron(cron, { timezone, paused: true }).nextRun(after) ?? undefined
  } catch {
    return undefined
  }
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
