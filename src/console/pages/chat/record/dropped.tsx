import { plural } from "../../../format.ts"
import type { AnswerRecord } from "../../../wire.ts"

type Dropped = AnswerRecord["dropped"][number]

const REASONS: Record<Dropped["reason"], string> = {
  window: "there was no room for it in the model's window",
  summarized: "a summary stands for it",
  failed: "it could not be read",
  gone: "it was gone",
}
const REASONS_OF_MANY: Record<Dropped["reason"], string> = {
  window: "there was no room for them in the model's window",
  summarized: "a summary stands for them",
  failed: "they could not be read",
  gone: "they were gone",
}
const KINDS: Record<Dropped["kind"], string> = {
  passage: "A passage",
  messages: "The oldest messages",
  part: "A part",
  picture: "A picture",
}

/** What was found or said and did not reach the model, and why. */
export const DroppedList = ({ dropped }: { dropped: readonly Dropped[] }) =>
  dropped.length === 0 ? null : (
    <section>
      <h3>Left out</h3>
      <ul class="left-out">
        {dropped.map((each, i) => (
          <li key={i} dir="auto">
            {lineOf(each)}
          </li>
        ))}
      </ul>
    </section>
  )

function lineOf({ kind, reason, count, name, score }: Dropped): string {
  if (kind === "messages") {
    const many = count === undefined ? KINDS.messages : `The oldest ${plural(count, "message")}`
    return `${many}: ${(count === 1 ? REASONS : REASONS_OF_MANY)[reason]}`
  }
  const what = name === undefined ? KINDS[kind] : `${KINDS[kind]} of ${name}`
  return `${what}${score === undefined ? "" : ` (${Math.round(score * 100)} %)`}: ${REASONS[reason]}`
}
