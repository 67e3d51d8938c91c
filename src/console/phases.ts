/** What a reply is at while no text flows, in words. */
import type { ChatEventData, PartsDone, Phase } from "./wire.ts"

export interface Doing {
  /** Empty once text flows. */
  words: string
  /** Of work in parts; null for what cannot be counted. */
  parts: PartsDone | null
}

export const doing = (words: string): Doing => ({ words, parts: null })

/** Of a tool that is being used. */
const TOOLS: Record<string, string> = {
  query_table: "Querying a table …",
  calculate: "Calculating …",
  read_file: "Reading in a file …",
}

const PHASES: Record<Phase | "queued", (detail: string) => string> = {
  queued: () => "Waiting for a free model …",
  retrieving: () => "Searching the library …",
  reading: () => "Reading the whole text …",
  summarizing: () => "Summing up earlier messages …",
  loading_model: () => "Loading the model …",
  thinking: () => "Thinking …",
  calling_tool: tool => (Object.hasOwn(TOOLS, tool) ? TOOLS[tool]! : "Using a tool …"),
  generating: () => "Writing …",
}

const isPhase = (phase: string): phase is keyof typeof PHASES => Object.hasOwn(PHASES, phase)

/** @param status of a version that may know more phases than this page */
export function doingOf({ phase, detail }: ChatEventData["status"]): Doing {
  if (!isPhase(phase)) return doing("Working …")
  if (typeof detail !== "object") return doing(PHASES[phase](detail ?? ""))
  const words =
    phase === "reading"
      ? partOf("Reading part", detail)
      : phase === "summarizing"
        ? partOf("Summing up earlier messages: part", detail)
        : PHASES[phase]("")
  return { words, parts: detail }
}

/** The part that is at work, which is the one after those that are done. */
const partOf = (words: string, { done, total }: PartsDone): string =>
  `${words} ${Math.min(done + 1, total)} of ${total} …`
