/**
 * What a hold covers, as conditions on rows. Its filter is about files, its end user about conversations and runs, its context
 * about both, and each that is given narrows. With a filter and no end user it covers no conversations and runs, with an end
 * user and no filter no files of its own choice; with none of the three it covers the whole workspace.
 *
 * The files of covered work are covered too: those that a conversation was given, and those that its answers, or the steps of a
 * run, quote: the quoted texts would go with them. What was covered once stays covered: `keepHeld` in `refuse.ts` notes it before it changes.
 */
import { conditionOf } from "../../access/filter/condition.ts"
import type { Filter } from "../../access/filter/filter.ts"
import type { HeldTable } from "../../storage/holds.ts"
import { type Condition, plain, scalarsOf } from "../../storage/json-words.ts"
import type { Words } from "../../storage/words.ts"

export type HeldKind = HeldTable["kind"]

export interface Cover {
  /** Of the hold. */
  id: string
  workspaceId: string
  filter: Filter | null
  endUser: string | null
  contextId: string | null
}

/** Where each kind stands: its table, and the column of JSON with the context that it was asked in. */
export const HELD_TABLES = {
  files: { table: "files", asked: null },
  conversations: { table: "conversations", asked: "settings" },
  runs: { table: "agent_runs", asked: "request" },
} as const satisfies Record<HeldKind, { table: string; asked: string | null }>

/** Whether the hold covers all of its workspace. */
export const coversAll = ({ filter, endUser, contextId }: Cover): boolean =>
  filter === null && endUser === null && contextId === null

/** The condition on rows of the kind's table, those of the hold's workspace: true or false, never null, so that it can be denied. */
export function coveredBy(cover: Cover, kind: HeldKind, words: Words): Condition {
  const { table } = HELD_TABLES[kind]
  const within: Condition = { text: `${table}.workspace_id = ?`, values: [cover.workspaceId] }
  if (coversAll(cover)) return within
  const parts = [
    ...(kind === "files" ? [...ownFiles(cover, words), ...filesOfWork(cover, words)] : ownWork(cover, kind, words)),
    {
      text: `exists (select 1 from held where hold_id = ? and kind = ? and held.id = ${table}.id)`,
      values: [cover.id, kind],
    },
  ]
  return allOf([within, anyOf(parts)])
}

/** Balanced, because databases take only so many levels; false where there are none. */
export function anyOf(parts: readonly Condition[]): Condition {
  if (parts.length < 2) return parts[0] ?? plain("false")
  const half = parts.length >> 1
  const left = anyOf(parts.slice(0, half))
  const right = anyOf(parts.slice(half))
  return { text: `(${left.text} or ${right.text})`, values: [...left.values, ...right.values] }
}

export const allOf = (parts: readonly Condition[]): Condition => ({
  text: parts.map(({ text }) => `(${text})`).join(" and "),
  values: parts.flatMap(({ values }) => values),
})

/** None or one. */
function ownFiles({ filter, endUser, contextId }: Cover, words: Words): Condition[] {
  if (endUser !== null && filter === null) return []
  return [
    allOf([
      ...(filter ? [conditionOf(filter, words)] : []),
      ...(contextId === null ? [] : [{ text: "(files.context_id = ?) is true", values: [contextId] }]),
    ]),
  ]
}

function ownWork({ filter, endUser, contextId }: Cover, kind: "conversations" | "runs", words: Words): Condition[] {
  if (filter !== null && endUser === null) return []
  const { table, asked } = HELD_TABLES[kind]
  const context = { column: `${table}.${asked}`, path: ["context_id"] }
  return [
    allOf([
      ...(endUser === null ? [] : [{ text: `(${table}.end_user = ?) is true`, values: [endUser] }]),
      ...(contextId === null ? [] : [words.json.equalsOne(context, scalarsOf([contextId]))]),
    ]),
  ]
}

function filesOfWork(cover: Cover, words: Words): Condition[] {
  if (ownWork(cover, "conversations", words).length === 0) return []
  const { text, values } = coveredBy(cover, "conversations", words)
  const runs = coveredBy(cover, "runs", words)
  return [
    { text: `exists (select 1 from conversations where conversations.id = files.context_id and ${text})`, values },
    {
      text: `exists (select 1 from message_files join messages on messages.id = message_files.message_id
        join conversations on conversations.id = messages.conversation_id
        where message_files.file_id = files.id and ${text})`,
      values,
    },
    {
      text: `exists (select 1 from step_files join agent_runs on agent_runs.id = step_files.run_id
        where step_files.file_id = files.id and ${runs.text})`,
      values: runs.values,
    },
  ]
}
