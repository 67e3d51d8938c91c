/**
 * What a caller sees. Made once per request from its credentials; whoever reads files, conversations or runs takes it in the
 * place of a workspace, so that no reader can forget it. What lies outside does not exist for the caller.
 */
import type { RawBuilder } from "kysely"
import type { Executor, Value } from "../storage/database.ts"
import { filled, type Words, words } from "../storage/words.ts"
import type { Filter } from "./filter/filter.ts"

export interface View {
  readonly workspaceId: string
  /** Contexts whose files are seen; null: all files, those without a context too. */
  readonly contexts: readonly string[] | null
  /** All of them must hold. */
  readonly filters: readonly Filter[]
  /** Files are seen whose acl is null or names one of them; null: whatever the acl. */
  readonly principals: readonly string[] | null
}

/** All of a workspace: what the system itself, administrators and keys without limits see. */
export const wholeOf = (workspaceId: string): View => ({ workspaceId, contexts: null, filters: [], principals: null })

/** The condition on rows of `files`, with a `?` for each value. */
export const seenBy = ({ workspaceId }: View, _words: Words): { text: string; values: Value[] } => ({
  text: "files.workspace_id = ?",
  values: [workspaceId],
})

/** The same for Kysely. */
export function seen(executor: Executor, view: View): RawBuilder<boolean> {
  const { text, values } = seenBy(view, words(executor))
  return filled<boolean>(text, ...values)
}
