import { count } from "../../../format.ts"
import { type Text, t } from "../../../text.ts"
import type { AnswerRecord } from "../../../wire.ts"

type Dropped = AnswerRecord["dropped"][number]

const REASONS: Record<Dropped["reason"], Text> = {
  window: "there was no room for it in the model's window",
  summarized: "a summary stands for it",
  failed: "it could not be read",
  gone: "it was gone",
}
const REASONS_OF_MANY: Record<Dropped["reason"], Text> = {
  window: "there was no room for them in the model's window",
  summarized: "a summary stands for them",
  failed: "they could not be read",
  gone: "they were gone",
}
const KINDS = {
  passage: "A passage",
  messages: "The oldest messages",
  part: "A part",
  picture: "A picture",
} as const satisfies Record<Dropped["kind"], Text>
const KINDS_OF = {
  passage: "A passage of {name}",
  part: "A part of {name}",
  picture: "A picture of {name}",
} as const satisfies Partial<Record<Dropped["kind"], Text>>

/** What was found or said and did not reach the model, and why. */
export const DroppedList = ({ dropped }: { dropped: readonly Dropped[] }) =>
  dropped.length === 0 ? null : (
    <section>
      <h3>{t("Left out")}</h3>
      <ul class="left-out">
        {dropped.map((each, i) => (
          <li key={i} dir="auto">
            {lineOf(each)}
          </li>
        ))}
      </ul>
    </section>
  )

function lineOf({ kind, reason, count: messages, name, score }: Dropped): string {
  if (kind === "messages") {
    const many =
      messages === undefined
        ? t(KINDS.messages)
        : t("The {messages, plural, one {oldest message} other {oldest # messages}}", { messages })
    return `${many}: ${t((messages === 1 ? REASONS : REASONS_OF_MANY)[reason])}`
  }
  const what = name === undefined ? t(KINDS[kind]) : t(KINDS_OF[kind], { name })
  return `${what}${score === undefined ? "" : ` (${t("{value} %", { value: count(Math.round(score * 100)) })})`}: ${t(REASONS[reason])}`
}
