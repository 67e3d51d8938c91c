import { type Text, t } from "../../text.ts"
import { Icon } from "../../ui/icons.tsx"
import type { Warning, WarningCode } from "../../wire.ts"

/** In place of the daemon's own words, which are for people who write programs. */
const WORDS: Partial<Record<WarningCode, Text>> = {
  keyword_only_search:
    "The embedding model does not answer: passages were found by their words alone, not by what they mean.",
  library_unavailable: "The library could not be searched, so this reply does not rest on your files.",
}

/** What follows from it, behind the daemon's words. */
const HINTS: Partial<Record<WarningCode, Text>> = {
  context_truncated: "Ask about less at a time, or choose a model with a larger window.",
  partial_reading: "What is missing may change the answer.",
  foreign_link: "They are shown as text: a document or the model may have made them up.",
  invalid_citation: "Check these statements yourself.",
}

export const Warnings = ({ warnings }: { warnings: readonly Warning[] }) => (
  <>
    {warnings.map(({ code, message }) => (
      <p key={code + message} class="notice">
        <Icon name="warning" />
        <span dir="auto">{[wordsOf(code, message), hintOf(code)].filter(Boolean).join(" ")}</span>
      </p>
    ))}
  </>
)

function hintOf(code: string): string | undefined {
  const hint = HINTS[code as WarningCode]
  return hint && t(hint)
}

/** A sentence, which messages of the API are not always. */
function wordsOf(code: string, message: string): string {
  const known = WORDS[code as WarningCode]
  const words = known ? t(known) : message
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${/[.!?…。]$/.test(words) ? "" : "."}`
}
