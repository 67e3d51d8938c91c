/** What was thought of an answer, and those that it took the place of, as its row holds them. */
import type { Selectable } from "kysely"
import type { MessagesTable } from "../storage/conversations.ts"
import type { Feedback, Variant } from "./types.ts"

type MessageColumns = Selectable<MessagesTable>

/** With what only the row of a message knows. */
export interface StoredVariant extends Variant {
  redaction: string | null
  prompt_tokens: number
  completion_tokens: number
}

export const storedVariants = ({ variants }: Pick<MessageColumns, "variants">): StoredVariant[] => JSON.parse(variants)

/** As they are shown, oldest first. */
export const toVariants = (row: Pick<MessageColumns, "variants">): Variant[] =>
  storedVariants(row).map(({ redaction, prompt_tokens, completion_tokens, ...variant }) => variant)

export const toFeedback = ({ feedback }: Pick<MessageColumns, "feedback">): Feedback | null =>
  feedback === null ? null : JSON.parse(feedback)
