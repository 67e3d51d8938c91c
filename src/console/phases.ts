/** What a reply is at while no text flows, in words. */

import { count } from "./format.ts"
import { type Text, t } from "./text.ts"
import type { ChatEventData, PartsDone, Phase } from "./wire.ts"

export interface Doing {
  /** Empty once text flows. */
  words: string
  /** Of work in parts; null for what cannot be counted. */
  parts: PartsDone | null
}

export const doing = (words: string): Doing => ({ words, parts: null })

/** Of a tool that is being used. */
const TOOLS: Record<string, Text> = {
  query_table: "Querying a table …",
  calculate: "Calculating …",
  read_file: "Reading in a file …",
}

const PHASES: Record<Phase | "queued", (detail: string) => string> = {
  queued: () => t("Waiting for a free model …"),
  retrieving: () => t("Searching the library …"),
  reading: () => t("Reading the whole text …"),
  summarizing: () => t("Summing up earlier messages …"),
  loading_model: () => t("Loading the model …"),
  thinking: () => t("Thinking …"),
  calling_tool: tool => (Object.hasOwn(TOOLS, tool) ? t(TOOLS[tool]!) : t("Using a tool …")),
  generating: () => t("Writing …"),
}

const isPhase = (phase: string): phase is keyof typeof PHASES => Object.hasOwn(PHASES, phase)

/** @param status of a version that may know more phases than this page */
export function doingOf({ phase, detail }: ChatEventData["status"]): Doing {
  if (!isPhase(phase)) return doing(t("Working …"))
  if (typeof detail !== "object") return doing(PHASES[phase](detail ?? ""))
  const words =
    phase === "reading"
      ? t("Reading part {part} of {total} …", partOf(detail))
      : phase === "summarizing"
        ? t("Summing up earlier messages: part {part} of {total} …", partOf(detail))
        : PHASES[phase]("")
  return { words, parts: detail }
}

/** The part that is at work, which is the one after those that are done. */
const partOf = ({ done, total }: PartsDone) => ({ part: count(Math.min(done + 1, total)), total: count(total) })
