/** What a reply remembers of its conversation, read when it begins. */
import type { Guard } from "../../grounding/guard.ts"
import type { ChatDependencies } from "../dependencies.ts"
import type { ChatSettings } from "../settings.ts"
import { type Memory, type Place, SUMMARY, type Summary, summaryOf } from "./summary.ts"

interface Remembering {
  conversationId: string
  replyId: string
  settings: Pick<ChatSettings, "history">
  guard: Guard
}

/** @param places of the turns of the history; see Memory */
export async function memoryOf(
  { summaries, replyStore }: ChatDependencies,
  { conversationId, replyId, settings, guard }: Remembering,
  places: Memory["places"],
): Promise<Memory | null> {
  if (settings.history === "truncate" || places.length === 0) return null
  let stored = await summaries.find(conversationId)
  const known = summaryOf(stored)
  const last = known ? places.findLastIndex(place => place?.id === known.up_to_message_id) : -1
  if (known && known.redaction === guard.key) guard.trust(known.text)
  return {
    places,
    summary: known && last >= 0 ? { text: await guard.silently(known.text), turns: last + 1 } : null,
    async keep(text, { id, position }: Place) {
      const summary: Summary = { text, up_to_message_id: id, redaction: guard.key }
      const reply = { messageId: replyId, owner: replyStore.ownerId }
      const replaced = await summaries.replace(conversationId, stored, await guard.pass(summary, SUMMARY), {
        position,
        reply,
      })
      stored = replaced ?? stored
    },
  }
}
