/**
 * Who hears of an event: whoever sees what it is about. Of a file that is there, whoever sees it now; of one that is gone,
 * whoever saw its context and its acl. Nobody can tell any more whether a filter would let it pass, so that who sees files
 * through one does not hear of it. Of work, whoever sees the run, job, batch or schedule. Of the workspace (sources, keys,
 * storage, webhooks), whoever is narrowed by nothing, and members of the console.
 */
import { type RawBuilder, sql } from "kysely"
import { ownedBy } from "../access/owner.ts"
import { isNarrow, letThroughBy, seen, seesAllContexts, type View } from "../access/view.ts"
import type { Executor } from "../storage/database.ts"
import { filled, texts, words } from "../storage/words.ts"
import { FILE_EVENTS, WORK_EVENTS } from "./types.ts"

/** The condition on rows of `events`. */
export function heardBy(executor: Executor, view: View): RawBuilder<boolean> {
  const { own } = view
  const ofWorkspace = sql<boolean>`events.workspace_id = ${view.workspaceId}`
  if (!isNarrow(view) && own === null) return ofWorkspace
  const isFile = sql`events.type in (${sql.join([...FILE_EVENTS])})`
  const isWork = sql`events.type in (${sql.join([...WORK_EVENTS])})`
  // A member of the console, narrowed by nothing but acls and that his own work is his.
  const seesWorkspace = (!isNarrow(view) || seesAllContexts(view)) && own?.maker === null && own.endUser === null
  return sql<boolean>`${ofWorkspace} and (
    (${isFile} and ${isNarrow(view) ? fileIsSeen(executor, view) : sql`1 = 1`})
    or (${isWork} and ${ownedBy(view, "events")})
    or (not ${isFile} and not ${isWork} and ${seesWorkspace ? sql`1 = 1` : sql`1 = 0`}))`
}

function fileIsSeen(executor: Executor, view: View): RawBuilder<boolean> {
  const { contexts, filters, principals } = view
  const dialect = words(executor)
  const saw = [sql`not exists (select 1 from files where files.id = events.subject)`]
  if (contexts) saw.push(filled(dialect.among("events.context_id", "text"), texts(contexts)))
  if (principals) saw.push(filled(letThroughBy("events.acl", dialect), JSON.stringify(principals)))
  if (filters.length > 0) saw.push(sql`1 = 0`)
  return sql<boolean>`(exists (select 1 from files where files.id = events.subject and ${seen(executor, view)})
    or (${sql.join(saw, sql` and `)}))`
}
