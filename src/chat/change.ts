/** What a caller changes in its conversation without asking anything. */
import type { View } from "../access/view.ts"
import { underGuard } from "../grounding/under-guard.ts"
import { checkMetadata } from "../library/labels.ts"
import { CONVERSATION_PATCH, type ConversationPatch } from "./conversation-rows.ts"
import type { ChatDependencies } from "./dependencies.ts"
import { type ChatSettings, METADATA } from "./settings.ts"

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
