/** Calendars and invitations (RFC 5545), as they hang on mails: what, when, where, who. */
import type { DocumentBuilder } from "../document-builder.ts"
import type { Extractor } from "../extractor.ts"
import { decodeText } from "../text/decode.ts"

/** Properties that are shown, in their order; the summary is the heading. */
const SHOWN: Record<string, string> = {
  DTSTART: "Begins",
  DTEND: "Ends",
  DUE: "Due",
  RRULE: "Repeats",
  LOCATION: "Where",
  ORGANIZER: "Organizer",
  ATTENDEE: "Attendees",
  STATUS: "Status",
  DESCRIPTION: "",
}
const COMPONENTS = new Set(["VEVENT", "VTODO", "VJOURNAL"])

export const extractCalendar: Extractor = ({ bytes }, { out }) => {
  let open: Map<string, string[]> | undefined
  for (const line of decodeText(bytes)
    .replace(/\r?\n[ \t]/g, "")
    .split(/\r?\n/)) {
    const colon = valueStart(line)
    if (colon < 0) continue
    const [name = "", ...parameters] = line.slice(0, colon).split(";")
    const value = line.slice(colon + 1)
    const key = name.toUpperCase()
    if (key === "BEGIN" && COMPONENTS.has(value.toUpperCase())) open = new Map()
    else if (key === "END" && open && COMPONENTS.has(value.toUpperCase())) {
      addComponent(open, out)
      open = undefined
    } else open?.set(key, [...(open.get(key) ?? []), shown(key, parameters, value)])
  }
  if (open) addComponent(open, out) // cut short
}

function addComponent(values: Map<string, string[]>, out: DocumentBuilder): void {
  out.add("heading", values.get("SUMMARY")?.[0] ?? "", 1)
  for (const [key, label] of Object.entries(SHOWN)) {
    const value = values.get(key)?.filter(Boolean).join(", ")
    if (value) out.add("paragraph", label ? `${label}: ${value}` : value)
  }
}

/** Parameters may hold colons in quotes. */
function valueStart(line: string): number {
  let quoted = false
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') quoted = !quoted
    else if (line[at] === ":" && !quoted) return at
  }
  return -1
}

function shown(key: string, parameters: string[], value: string): string {
  if (key.startsWith("DT") || key === "DUE") return day(value, parameter(parameters, "TZID"))
  const text = value.replace(/\\n/gi, "\n").replace(/\\([,;\\])/g, "$1")
  const address = text.replace(/^mailto:/i, "")
  const name = parameter(parameters, "CN")
  return name && name !== address ? `${name} <${address}>` : address
}

/** `20240301T093000Z` as `2024-03-01 09:30 UTC`. */
function day(value: string, zone: string | undefined): string {
  const [, year, month, date, hour, minute, utc] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z)?)?/.exec(value) ?? []
  if (!year) return value
  const time = hour ? ` ${hour}:${minute}` : ""
  return `${year}-${month}-${date}${time}${utc ? " UTC" : zone ? ` ${zone}` : ""}`
}

function parameter(parameters: string[], name: string): string | undefined {
  const found = parameters.find(each => each.toUpperCase().startsWith(`${name}=`))
  return found?.slice(name.length + 1).replace(/^"|"$/g, "")
}
