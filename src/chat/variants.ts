/** Answers that others took the place of when they were written anew: kept with the one that stands, to be put back. */
import { AppError } from "../errors.ts"
import type { Trx } from "../storage/database.ts"
import { isBeingWritten, type MessageRow } from "./conversation-rows.ts"
import type { FinishReason } from "./types.ts"
import { type StoredVariant, storedVariants, toFeedback } from "./variant-rows.ts"

/** The oldest goes first. */
export const MAX_VARIANTS = 20

/** What the reply keeps that takes the place of this one. One that says nothing is not kept. */
export function withFormer(former: MessageRow | null): string {
  if (!former) return "[]"
  const kept = [...storedVariants(former), ...(former.content.trim() ? [variantOf(former)] : [])]
  return JSON.stringify(kept.slice(-MAX_VARIANTS))
}

const variantOf = (row: MessageRow): StoredVariant => ({
  id: row.id,
  content: row.content,
  citations: JSON.parse(row.citations),
  finish_reason: row.finish_reason as FinishReason | null,
  model: row.model,
  ner_count: row.ner_count,
  warnings: JSON.parse(row.warnings),
  feedback: toFeedback(row),
  created_at: row.created_at,
  redaction: row.redaction,
  prompt_tokens: row.prompt_tokens,
  completion_tokens: row.completion_tokens,
})

/**
 * Puts a former answer in the place of the one that stands, which is kept in its turn. How it was made is not known any
 * more: its record went when it was written anew.
 * @throws AppError not_found; conflict where it is not the last message; conversation_busy while it is written
 */
export async function chooseVariant(
  trx: Trx,
  conversationId: string,
  { messageId, variantId }: { messageId: string; variantId: string },
): Promise<void> {
  const now = new Date().toISOString()
  // The conversation first, so that whoever changes it at the same time waits.
  await trx.updateTable("conversations").set({ updated_at: now }).where("id", "=", conversationId).execute()
  const rows = await trx
    .selectFrom("messages")
    .selectAll()
    .where("conversation_id", "=", conversationId)
    .orderBy("position", "desc")
    .limit(1)
    .execute()
  const [last] = rows
  const variants = last?.id === messageId ? storedVariants(last) : []
  const chosen = variants.find(({ id }) => id === variantId)
  if (!last || !chosen) throw new AppError("not_found", { message: "the last answer has no such variant" })
  if (isBeingWritten(last)) throw new AppError("conversation_busy")
  const others = variants.map(each => (each === chosen ? variantOf({ ...last, id: chosen.id }) : each))
  await trx
    .updateTable("messages")
    .set({
      content: chosen.content,
      citations: JSON.stringify(chosen.citations),
      sources: "[]",
      finish_reason: chosen.finish_reason,
      error: null,
      warnings: JSON.stringify(chosen.warnings),
      tool_calls: 0,
      model: chosen.model,
      ner_count: chosen.ner_count,
      redaction: chosen.redaction,
      prompt_tokens: chosen.prompt_tokens,
      completion_tokens: chosen.completion_tokens,
      feedback: chosen.feedback && JSON.stringify(chosen.feedback),
      created_at: chosen.created_at,
      variants: JSON.stringify(others),
    })
    .where("id", "=", messageId)
    .execute()
  for (const table of ["record_texts", "answer_records"] as const)
    await trx.deleteFrom(table).where("message_id", "=", messageId).execute()
}
