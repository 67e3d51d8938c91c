/** The files that a turn or a run may see. */
import type { Guard } from "./guard.ts"

/** Null does not narrow. */
export interface Scope {
  fileIds: string[] | null
  contextId: string | null
}

/** Files and a context together narrow to what is in both; a `conv_…` context is the files given to that conversation. */
export async function scopeOf(
  asked: { fileIds: readonly string[]; contextId: string | null },
  filesOfConversation: (conversationId: string) => Promise<string[]>,
): Promise<Scope> {
  const given = asked.fileIds.length > 0 ? [...new Set(asked.fileIds)] : null
  if (!asked.contextId?.startsWith("conv_")) return { fileIds: given, contextId: asked.contextId }
  const named = await filesOfConversation(asked.contextId)
  return { fileIds: given ? given.filter(id => named.includes(id)) : named, contextId: null }
}

/**
 * A scope is stored by its name, which therefore must not be private, unless files are stored under it already.
 * @throws AppError invalid_request
 */
export async function refusePrivateContext(
  guard: Guard,
  contextId: string | null,
  isKnown: (contextId: string) => Promise<boolean>,
): Promise<void> {
  if (guard.redacts && contextId !== null && !(await isKnown(contextId)))
    await guard.refusePrivate("context_id", contextId)
}
