/** Sizes, times and places in words. */
import type { Position } from "./wire.ts"

export const DAY_MS = 86_400_000

const UNITS = ["B", "KB", "MB", "GB", "TB"]

export function bytes(size: number): string {
  let unit = 0
  let value = size
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) value /= 1000
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

const number = new Intl.NumberFormat(undefined)
export const count = (value: number): string => number.format(value)
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })

/** "5 min ago" within a day, the date after it. */
export function ago(time: string): string {
  const seconds = (Date.parse(time) - Date.now()) / 1000
  if (Math.abs(seconds) < 45) return "just now"
  if (Math.abs(seconds) < 3600) return relative.format(Math.round(seconds / 60), "minute")
  if (Math.abs(seconds) < 86_400) return relative.format(Math.round(seconds / 3600), "hour")
  return day.format(new Date(time))
}

export const dateTime = (time: string): string => full.format(new Date(time))

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`
  const minutes = Math.floor(milliseconds / 60_000)
  return minutes < 60
    ? `${minutes} min ${Math.round((milliseconds % 60_000) / 1000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Where a passage lies: "inner.zip/a.txt · page 4 · 3.2 Term". */
export function placeOf(position: Position): string {
  const { member, page, slide, sheet, section } = position
  return [member, page && `page ${page}`, slide && `slide ${slide}`, sheet && `sheet ${sheet}`, section]
    .filter(Boolean)
    .join(" · ")
}
