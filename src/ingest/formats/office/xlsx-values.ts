/** Numbers of a workbook as people see them. */

/** Built-in number formats that show dates or times (ECMA-376 part 1, 18.8.30, with those of East Asian locales). */
const DATE_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47])
const isEastAsianDate = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

/** Days from the epochs of the two date systems to 1970-01-01. */
const DAYS_1900 = 25_569
const DAYS_1904 = 24_107
const DAY_MS = 86_400_000
const MAX_DAYS = 2_958_466

/** Excel takes 255. */
const MAX_FORMAT_CHARS = 500

export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return DATE_FORMATS.has(id) || isEastAsianDate(id)
  const bare = code.slice(0, MAX_FORMAT_CHARS).replace(/"[^"]*"|\\.|\[[^\]]*\]/g, "")
  return /[ymdhs]/i.test(bare) && !/general/i.test(bare)
}

/** A day count as a date, a date with time, or a time; undefined where it can be none. */
export function formatDate(days: number, date1904: boolean): string | undefined {
  if (!Number.isFinite(days) || days < 0 || days > MAX_DAYS) return undefined
  const iso = new Date(Math.round((days - (date1904 ? DAYS_1904 : DAYS_1900)) * DAY_MS)).toISOString()
  if (days < 1) return iso.slice(11, 19)
  return days % 1 === 0 ? iso.slice(0, 10) : iso.slice(0, 19).replace("T", " ")
}

/** Without the digits that binary fractions add: 0.1 + 0.2 is stored as 0.30000000000000004. */
export function formatNumber(text: string): string {
  const value = Number(text)
  return Number.isFinite(value) && text.length > 15 ? String(Number(value.toPrecision(15))) : text
}
