/** What a caller changes in its conversation without asking anything. */
import type { View } from "../access/view.ts"
import { underGuard } from "../grounding/under-guard.ts"
import { checkMetadata } from "../library/labels.ts"
import { CONVERSATION_PATCH, type ConversationPatch, FEEDBACK } from "./conversation-rows.ts"
import type { ChatDependencies } from "./dependencies.ts"
import { type ChatSettings, METADATA } from "./settings.ts"
import type { Feedback } from "./types.ts"

/** What its reader thought of an answer; null takes it back. @throws AppError not_found */
export async function rateAnswer(
  dependencies: ChatDependencies,
  view: View,
  { conversationId, messageId }: { conversationId: string; messageId: string },
  feedback: Feedback | null,
): Promise<void> {
  const { store } = dependencies
  const { settings } = await store.getOwn(view, conversationId)
  const { redaction } = JSON.parse(settings) as ChatSettings
  await underGuard(dependencies, view.workspaceId, redaction, async guard =>
    store.setFeedback(conversationId, messageId, feedback && (await guard.pass(feedback, FEEDBACK))),
  )
}

/** @throws AppError not_found; invalid_request for metadata that is too large, or a summary where there is none */
export async function changeConversation(
  dependencies: ChatDependencies,
  view: View,
  conversationId: string,
  change: ConversationPatch,
): Promise<void> {
  const { store } = dependencies
  const { settings } = await store.getOwn(view, conversationId)
  if (change.additional_metadata) checkMetadata(change.additional_metadata, METADATA)
  const { redaction } = JSON.parse(settings) as ChatSettings
  await underGuard(dependencies, view.workspaceId, redaction, async guard =>
    store.patch(conversationId, await guard.pass(change, CONVERSATION_PATCH), guard.key),
  )
}
