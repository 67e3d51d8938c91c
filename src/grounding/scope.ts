/** The files that a turn or a run may see, and the check that its caller may name them. */
import { chosenTexts, type Filter } from "../access/filter/filter.ts"
import { AppError } from "../errors.ts"
import type { SearchFilters } from "../search/types.ts"
import type { Guard } from "./guard.ts"

/** Null does not narrow. */
export interface Scope {
  /** Of these all pass the filter. */
  fileIds: string[] | null
  contextId: string | null
  filter: Filter | null
}

/** What the check asks of one workspace. */
export interface KnownFiles {
  /** Which of the ids are files that the caller sees and the filter lets pass, in any order. */
  existing(fileIds: readonly string[], filter: Filter | null): Promise<string[]>
  /** Whether a file was uploaded with this context. */
  hasContext(contextId: string): Promise<boolean>
  /** Every file that was given to a conversation. @throws AppError not_found */
  filesOfConversation(conversationId: string): Promise<string[]>
}

export interface AskedScope {
  fileIds: readonly string[]
  contextId: string | null
  filter: Filter | null
  /**
   * What this very request names is checked; what it inherits from earlier ones was, and files of it may be gone since.
   */
  named: { files: boolean; context: boolean; filter: boolean }
}

/**
 * Files, a context and a filter together narrow to what is in all of them; a `conv_…` context is the files given to that
 * conversation.
 * @throws AppError not_found for a named file or a conversation that the workspace lacks; invalid_request for a private name
 */
export async function scopeOf(asked: AskedScope, files: KnownFiles, guard: Guard): Promise<Scope> {
  const given = [...new Set(asked.fileIds)]
  const { contextId, filter, named } = asked
  const there = async (ids: readonly string[], passing: Filter | null) =>
    new Set(ids.length > 0 ? await files.existing(ids, passing) : [])
  const existing = await there(given, null)
  const missing = named.files ? given.find(id => !existing.has(id)) : undefined
  if (missing !== undefined) throw new AppError("not_found", { message: `there is no file ${missing}` })
  const passing = filter ? await there(given, filter) : existing
  const fileIds = given.length > 0 ? given.filter(id => passing.has(id)) : null
  if (named.filter && filter) await refusePrivateFilter(filter, guard)
  if (contextId?.startsWith("conv_")) {
    const ofConversation = await files.filesOfConversation(contextId)
    const ofBoth = await there(ofConversation, filter)
    return { fileIds: (fileIds ?? ofConversation).filter(id => ofBoth.has(id)), contextId: null, filter }
  }
  // A scope is stored by its name, which therefore must not be private, unless files are stored under it already.
  if (named.context && guard.redacts && contextId !== null && !(await files.hasContext(contextId)))
    await guard.refusePrivate("context_id", contextId)
  return { fileIds, contextId, filter }
}

/** A filter is stored as it is: what is private can be neither kept in it nor replaced. @throws AppError invalid_request */
async function refusePrivateFilter(filter: Filter, guard: Guard): Promise<void> {
  if (!guard.redacts) return
  for (const text of new Set(chosenTexts(filter))) await guard.refusePrivate("filter", text)
}

/** To search, an empty list of files means all of them; to a scope that has none it means none. */
const NO_FILE = ["file_none"]

/** What a search of the scope is narrowed by. */
export function filtersOf({ fileIds, contextId, filter }: Scope): SearchFilters {
  const files = fileIds?.length === 0 ? NO_FILE : fileIds
  return {
    ...(files ? { file_ids: files } : {}),
    ...(contextId ? { context_id: contextId } : {}),
    ...(filter ? { filter } : {}),
  }
}
