/** What is said of models, wherever they are named. */
import { type Text, t } from "./text.ts"
import type { Model } from "./wire.ts"

/** The one that comes with Carrel, and is called so in English alone. */
const QUOTES = "builtin/extractive"

export const nameOfModel = ({ value, label }: Pick<Model, "value" | "label">): string =>
  value === QUOTES ? t("Quotes from the library") : label

export const MODEL_STATES = {
  loaded: "loaded",
  ready: "ready",
  unavailable: "unavailable",
} as const satisfies Record<Model["status"], Text>

export const CAPABILITIES = {
  chat: "answers",
  tools: "tools",
  vision: "pictures",
  thinking: "thinking",
} as const satisfies Record<Model["capabilities"][number], Text>
