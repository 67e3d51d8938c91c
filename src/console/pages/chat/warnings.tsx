import { inRow, listed } from "../../format.ts"
import { leftToRight, type Text, t } from "../../text.ts"
import { Icon } from "../../ui/icons.tsx"
import type { Warning, WarningCode } from "../../wire.ts"

/** In place of the daemon's own words, which are for people who write programs. */
const WORDS: Partial<Record<WarningCode, Text>> = {
  keyword_only_search:
    "The embedding model does not answer: passages were found by their words alone, not by what they mean.",
  context_truncated:
    "Not everything fits into the model’s context window: older messages, passages or results were shortened or left out.",
  redaction_partial:
    "Names and addresses in some of these scripts may not have been recognized. E-mail addresses, numbers and credentials in them are hidden all the same.",
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
    {warnings.map(warning => (
      <p key={warning.code + warning.message} class="notice">
        <Icon name="warning" />
        <span dir="auto">{[wordsOf(warning), hintOf(warning.code)].filter(Boolean).join(" ")}</span>
      </p>
    ))}
  </>
)

function hintOf(code: string): string | undefined {
  const hint = HINTS[code as WarningCode]
  return hint && t(hint)
}

/** With what the daemon names: numbers of citations, addresses, files. */
const NAMING: Partial<Record<WarningCode, (warning: Warning) => string | undefined>> = {
  invalid_citation({ message }) {
    const numbers = message.match(/\[\d+\]/g)
    return numbers
      ? t("The reply cites {numbers}, which the model was not given.", { numbers: listed(numbers) })
      : undefined
  },
  foreign_link: ({ addresses, more = 0 }) =>
    addresses && addresses.length > 0
      ? t("The answer leads to addresses that stand in nothing the model was given: {addresses}", {
          addresses: inRow([...addresses.map(leftToRight), more > 0 && t("and more")]),
        })
      : undefined,
  partial_reading({ message }) {
    const [, what] = /^not everything was read: (.+)$/s.exec(message) ?? []
    return what ? t("Not everything was read: {what}", { what }) : undefined
  },
}

/** A sentence, which messages of the API are not always. */
function wordsOf(warning: Warning): string {
  const code = warning.code as WarningCode
  const known = WORDS[code]
  const words = NAMING[code]?.(warning) ?? (known ? t(known) : warning.message)
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${/[.!?…。]$/.test(words) ? "" : "."}`
}
