/** When what a receiver did not take is sent again. */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Between the first attempt and the second, the second and the third … ; after the last wait there is one more attempt. */
const WAITS_MS = [5_000, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]
/** Each wait is up to this share longer, so that receivers which were away are not met by all at once. */
const JITTER = 0.2
/** Longest wait that a receiver may ask for by Retry-After. */
const MAX_ASKED_MS = 24 * HOUR
/** So long after the first attempt a receiver that always asks for patience has had enough of it. */
const PATIENCE_MS = 96 * HOUR

/** @param attempts that failed. @returns undefined when there is to be no other */
export const waitAfter = (attempts: number, random = Math.random()): number | undefined => {
  const wait = WAITS_MS[attempts - 1]
  return wait === undefined ? undefined : Math.round(wait * (1 + JITTER * random))
}

/** Whether an attempt of which the receiver said when to come again counts for nothing. */
export const isPatient = (firstAt: string, now = Date.now()): boolean => now - Date.parse(firstAt) < PATIENCE_MS

/** Milliseconds that a header Retry-After asks for, seconds or a date; undefined for anything else. */
export function askedWait(header: string | undefined, now = Date.now()): number | undefined {
  const text = header?.trim() ?? ""
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isFinite(ms) && text !== "" ? Math.min(MAX_ASKED_MS, Math.max(1_000, ms)) : undefined
}

/** Failures in a row that say nothing yet. */
const FREE_FAILURES = 5
const MAX_HOLD_MS = MINUTE

/**
 * How long new events wait for a receiver that has failed so often in a row: one that is away is not asked a thousand times
 * a second, and soon found when it is back.
 */
export const holdAfter = (failures: number): number =>
  failures < FREE_FAILURES ? 0 : Math.min(MAX_HOLD_MS, 1_000 * 2 ** Math.min(16, failures - FREE_FAILURES))
