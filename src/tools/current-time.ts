import type { Tool } from "./tool.ts"
import { ToolError } from "./tool-error.ts"

export const currentTime: Tool<{ timezone?: string }> = {
  name: "current_time",
  title: "Tell the time",
  description: "The present date and time. Give an IANA time zone such as Europe/Berlin for local time; UTC otherwise.",
  parameters: {
    type: "object",
    properties: { timezone: { type: "string", maxLength: 64, description: "IANA name, such as Europe/Berlin" } },
    additionalProperties: false,
  },
  changes: true,
  async execute({ timezone = "UTC" }, { now }) {
    const time = now()
    return `${localTime(time, timezone)} in ${timezone}; ${time.toISOString()} in UTC`
  },
}

function localTime(time: Date, timezone: string): string {
  try {
    return new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long", timeZone: timezone }).format(time)
  } catch {
    throw new ToolError(`There is no time zone ${JSON.stringify(timezone)}; use an IANA name such as America/New_York.`)
  }
}
