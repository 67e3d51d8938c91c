/**
 * What a caller sees. Made once per request from its credentials; whoever reads files, conversations or runs takes it in the
 * place of a workspace, so that no reader can forget it. What lies outside does not exist for the caller.
 */
import type { RawBuilder } from "kysely"
import { canonicalJson } from "../canonical-json.ts"
import type { Executor } from "../storage/database.ts"
import type { Condition } from "../storage/json-words.ts"
import type { OwnerType } from "../storage/owned.ts"
import { filled, texts, type Words, words } from "../storage/words.ts"
import { conditionOf } from "./filter/condition.ts"
import type { Filter } from "./filter/filter.ts"
import { hashToken } from "./token.ts"

export interface View {
  readonly workspaceId: string
  /** Contexts whose files are seen; null: all files, those without a context too. */
  readonly contexts: readonly string[] | null
  /** All of them must hold. */
  readonly filters: readonly Filter[]
  /** Files are seen whose acl is null or names one of them; null: whatever the acl. */
  readonly principals: readonly string[] | null
  /** Values of chat models, and globs; null: all. */
  readonly models: readonly string[] | null
  /** Which conversations and runs; null: all of the workspace. */
  readonly own: Own | null
  /** Whose conversations and runs are that it makes; null: nobody's. */
  readonly author: Author | null
  /** May let somebody see a file who did not. */
  readonly mayWiden: boolean
}

export interface Author {
  readonly type: OwnerType
  /** Of the key or the user. */
  readonly id: string
  /** See `OwnedColumns`. */
  readonly maker: string | null
  /** The one whom a scoped token fixes; null where a request may name one. */
  readonly endUser: string | null
}

/** All must hold; null does not narrow. */
export interface Own {
  /** The key or console user that they belong to. */
  readonly ownerId: string | null
  /** What narrowed their maker: see `OwnedColumns`. */
  readonly maker: string | null
  readonly endUser: string | null
}

/** All of a workspace: what the system itself, administrators and keys without limits see. */
export const wholeOf = (workspaceId: string): View => ({
  workspaceId,
  contexts: null,
  filters: [],
  principals: null,
  models: null,
  own: null,
  author: null,
  mayWiden: true,
})

/** The files that both see, for the rest as the first. Of the second one without principals. */
export const withinBoth = (view: View, { contexts, filters }: Pick<View, "contexts" | "filters">): View => ({
  ...view,
  contexts:
    view.contexts && contexts ? view.contexts.filter(each => contexts.includes(each)) : (view.contexts ?? contexts),
  filters: [...view.filters, ...filters],
})

/** The view without the files that a filter does not let pass. */
export const filteredBy = (view: View, filter: Filter | null | undefined): View =>
  filter ? { ...view, filters: [...view.filters, filter] } : view

/** Whether some files of the workspace may be out of sight. */
export const isNarrow = ({ contexts, filters, principals }: View): boolean =>
  contexts !== null || filters.length > 0 || principals !== null

/** Whether nothing but acls hides files: of members of the console and their keys, and of who sees all. */
export const seesAllContexts = ({ contexts, filters, mayWiden }: View): boolean =>
  contexts === null && filters.length === 0 && mayWiden

/** Names the files that are seen: equal for views that see the same. */
export const filesSeen = ({ workspaceId, contexts, filters, principals }: View): string =>
  JSON.stringify([workspaceId, contexts, filters, principals])

/**
 * The condition on rows of `files`; for who sees the whole workspace that of the workspace alone.
 * @param inTurn whether rows are to be read as they lie, where that is quicker
 */
export function seenBy(view: View, words: Words, inTurn = false): Condition {
  const parts = [placedIn(view, words, inTurn)]
  if (view.principals) parts.push({ text: letThroughBy("files.acl", words), values: [JSON.stringify(view.principals)] })
  return allOf(parts)
}

/** Whether an acl is null or names one of the principals that are its value. */
export const letThroughBy = (acl: string, { overlaps }: Words): string => `(${acl} is null or ${overlaps(acl)})`

/** The same whatever the acl: where a caller may put files. */
function placedIn({ workspaceId, contexts, filters }: View, words: Words, inTurn = false): Condition {
  const column = inTurn ? words.unindexed("files.workspace_id") : "files.workspace_id"
  const parts: Condition[] = [{ text: `${column} = ?`, values: [workspaceId] }]
  if (contexts) parts.push({ text: words.among("files.context_id", "text"), values: [texts(contexts)] })
  for (const filter of filters) parts.push(conditionOf(filter, words))
  return allOf(parts)
}

const allOf = (parts: Condition[]): Condition => ({
  text: parts.map(({ text }) => text).join(" and "),
  values: parts.flatMap(({ values }) => values),
})

/** `seenBy` for Kysely. */
export const seen = (executor: Executor, view: View): RawBuilder<boolean> => asSql(seenBy(view, words(executor)))

/** `placedIn` for Kysely. */
export const placed = (executor: Executor, view: View): RawBuilder<boolean> => asSql(placedIn(view, words(executor)))

const asSql = ({ text, values }: Condition): RawBuilder<boolean> => filled<boolean>(text, ...values)

/** An Idempotency-Key as it is kept: those of callers who do not see each other's work do not meet. */
export const repetitionKey = (view: View, key: string): string =>
  view.own === null && !isNarrow(view)
    ? key
    : `${hashToken(canonicalJson([view.own, filesSeen(view)])).slice(0, 32)} ${key}`
