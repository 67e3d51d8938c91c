/** Sizes, times and places in the words of the chosen language. */
import { language, locale, type Text, t } from "./text.ts"
import type { Position } from "./wire.ts"

const COMMAS: Partial<Record<ReturnType<typeof language>, string>> = { zh: "，", ar: "، " }

export const DAY_MS = 86_400_000

const UNITS = ["{value} B", "{value} KB", "{value} MB", "{value} GB", "{value} TB"] as const satisfies Text[]

export function bytes(size: number): string {
  let unit = 0
  let value = size
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) value /= 1000
  const isWhole = unit === 0 || value >= 100
  return t(UNITS[unit]!, { value: isWhole ? count(Math.round(value)) : decimal(value) })
}

const made = new Map<string, unknown>()

/** Formatters are dear to make: one per language and kind. */
function formatter<T>(kind: string, make: (locale: string) => T): T {
  const key = `${kind} ${locale()}`
  if (!made.has(key)) made.set(key, make(locale()))
  return made.get(key) as T
}

export const count = (value: number): string => formatter("number", of => new Intl.NumberFormat(of)).format(value)

/** With three places behind the point, as scores are compared. */
export const score = (value: number): string =>
  formatter("score", of => new Intl.NumberFormat(of, { minimumFractionDigits: 3, maximumFractionDigits: 3 })).format(
    value,
  )

/** With one place behind the point. */
const decimal = (value: number): string =>
  formatter(
    "decimal",
    of => new Intl.NumberFormat(of, { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false }),
  ).format(value)

/** "5 min ago" within a day, the date after it. */
export function ago(time: string): string {
  const seconds = (Date.parse(time) - Date.now()) / 1000
  if (Math.abs(seconds) < 45) return t("just now")
  const relative = formatter("relative", of => new Intl.RelativeTimeFormat(of, { numeric: "auto", style: "short" }))
  if (Math.abs(seconds) < 3600) return relative.format(Math.round(seconds / 60), "minute")
  if (Math.abs(seconds) < 86_400) return relative.format(Math.round(seconds / 3600), "hour")
  return formatter("day", of => new Intl.DateTimeFormat(of, { dateStyle: "medium" })).format(new Date(time))
}

export const dateTime = (time: string): string =>
  formatter("full", of => new Intl.DateTimeFormat(of, { dateStyle: "medium", timeStyle: "short" })).format(
    new Date(time),
  )

/** "a, b and c": in English without the comma that Americans write before the last. */
export const listed = (parts: readonly string[]): string =>
  formatter(
    "list",
    of => new Intl.ListFormat(of.startsWith("en") ? "en-GB" : of, { style: "long", type: "conjunction" }),
  ).format(parts)

/** "a, b, c", with the comma of the language. */
export const inRow = (parts: readonly (string | false | null | undefined)[]): string =>
  parts.filter(Boolean).join(COMMAS[language()] ?? ", ")

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return t("{value} ms", { value: count(Math.round(milliseconds)) })
  if (milliseconds < 60_000) return t("{value} s", { value: decimal(milliseconds / 1000) })
  const minutes = Math.floor(milliseconds / 60_000)
  return minutes < 60
    ? t("{minutes} min {seconds} s", {
        minutes: count(minutes),
        seconds: count(Math.round((milliseconds % 60_000) / 1000)),
      })
    : t("{hours} h {minutes} min", { hours: count(Math.floor(minutes / 60)), minutes: count(minutes % 60) })
}

/** Where a passage lies: "inner.zip/a.txt · page 4 · 3.2 Term". */
export function placeOf(position: Position): string {
  const { member, page, slide, sheet, section } = position
  return [
    member,
    page && t("page {page}", { page: count(page) }),
    slide && t("slide {slide}", { slide: count(slide) }),
    sheet && t("sheet {sheet}", { sheet }),
    section,
  ]
    .filter(Boolean)
    .join(" · ")
}
