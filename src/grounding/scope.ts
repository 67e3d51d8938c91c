/** The files that a turn or a run may see, and the check that its caller may name them. */
import { AppError } from "../errors.ts"
import type { Guard } from "./guard.ts"

/** Null does not narrow. */
export interface Scope {
  fileIds: string[] | null
  contextId: string | null
}

/** What the check asks of one workspace. */
export interface KnownFiles {
  /** Which of the ids are files of the workspace, in any order. */
  existing(fileIds: readonly string[]): Promise<string[]>
  /** Whether a file was uploaded with this context. */
  hasContext(contextId: string): Promise<boolean>
  /** Every file that was given to a conversation. @throws AppError not_found */
  filesOfConversation(conversationId: string): Promise<string[]>
}

export interface AskedScope {
  fileIds: readonly string[]
  contextId: string | null
  /**
   * What this very request names is checked; what it inherits from earlier ones was, and files of it may be gone since.
   */
  named: { files: boolean; context: boolean }
}

/**
 * Files and a context together narrow to what is in both; a `conv_…` context is the files given to that conversation.
 * @throws AppError not_found for a named file or a conversation that the workspace lacks; invalid_request for a private name
 */
export async function scopeOf(asked: AskedScope, files: KnownFiles, guard: Guard): Promise<Scope> {
  const given = [...new Set(asked.fileIds)]
  const existing = new Set(given.length > 0 ? await files.existing(given) : [])
  const missing = asked.named.files ? given.find(id => !existing.has(id)) : undefined
  if (missing !== undefined) throw new AppError("not_found", { message: `there is no file ${missing}` })
  const fileIds = given.length > 0 ? given.filter(id => existing.has(id)) : null
  const { contextId } = asked
  if (contextId?.startsWith("conv_")) {
    const ofConversation = await files.filesOfConversation(contextId)
    const there = new Set(ofConversation.length > 0 ? await files.existing(ofConversation) : [])
    return { fileIds: (fileIds ?? ofConversation).filter(id => there.has(id)), contextId: null }
  }
  // A scope is stored by its name, which therefore must not be private, unless files are stored under it already.
  if (asked.named.context && guard.redacts && contextId !== null && !(await files.hasContext(contextId)))
    await guard.refusePrivate("context_id", contextId)
  return { fileIds, contextId }
}
