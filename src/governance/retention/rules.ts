/** Rules of retention: how they are given and kept, and what one finds due. */
import { checkContext } from "../../access/context-id.ts"
import { conditionOf } from "../../access/filter/condition.ts"
import { checkFilter, type Filter } from "../../access/filter/filter.ts"
import { invalid } from "../../errors.ts"
import { type Condition, scalarsOf } from "../../storage/json-words.ts"
import type { Words } from "../../storage/words.ts"
import { allOf, HELD_TABLES } from "../holds/covers.ts"

export const KINDS = ["conversations", "runs", "files", "events", "audit"] as const
export type Kind = (typeof KINDS)[number]
/** Those that are removed one by one. */
export type Resource = "conversations" | "runs" | "files"

/** Spelled as on the wire. */
export interface Rule {
  kind: Kind
  /** Whole days since the time that counts: see `TIMES`. */
  after_days: number
  /** Null: all. */
  context_id: string | null
  /** Of files. */
  filter: Filter | null
}

export interface GivenRule {
  kind: Kind
  after_days: number
  context_id?: string | null
  filter?: unknown
}

export const MAX_RULES = 50
/** A hundred years. */
export const MAX_DAYS = 36_500
const DAY_MS = 24 * 3_600_000

/** The last activity of each; of a run that goes on there is none. */
const TIMES = {
  conversations: "conversations.updated_at",
  runs: "agent_runs.finished_at",
  files: "files.updated_at",
} as const satisfies Record<Resource, string>

export const isResource = (kind: Kind): kind is Resource => kind in TIMES

/** @throws AppError invalid_request naming the field, invalid_filter */
export const checkRules = (given: readonly GivenRule[]): Rule[] => given.map(checkRule)

function checkRule({ kind, after_days, context_id, filter }: GivenRule, at: number): Rule {
  const field = (name: string) => `rules.${at}.${name}`
  if (!Number.isSafeInteger(after_days) || after_days < 1 || after_days > MAX_DAYS)
    throw invalid(field("after_days"), `must be a whole number from 1 to ${MAX_DAYS}`)
  if (given(filter) && kind !== "files") throw invalid(field("filter"), `goes with files, not with ${kind}`)
  if (given(context_id) && !isResource(kind)) throw invalid(field("context_id"), `does not go with ${kind}`)
  return {
    kind,
    after_days,
    context_id: given(context_id) ? checkContext(context_id, field("context_id")) : null,
    filter: given(filter) ? checkFilter(filter, { place: field("filter") }) : null,
  }
}

const given = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined

/** What has its last activity before it is due. */
export const cutoffOf = ({ after_days }: Rule, now: number): string => new Date(now - after_days * DAY_MS).toISOString()

/** The condition on rows of the resource's table: those of the workspace that a rule finds due. */
export function dueBy(rule: Rule & { kind: Resource }, workspaceId: string, cutoff: string, words: Words): Condition {
  const { kind, context_id, filter } = rule
  const { table, asked } = HELD_TABLES[kind]
  const inContext = (id: string): Condition =>
    asked === null
      ? { text: "files.context_id = ?", values: [id] }
      : words.json.equalsOne({ column: `${table}.${asked}`, path: ["context_id"] }, scalarsOf([id]))
  return allOf([
    { text: `${table}.workspace_id = ?`, values: [workspaceId] },
    { text: `${TIMES[kind]} < ?`, values: [cutoff] },
    ...(context_id === null ? [] : [inContext(context_id)]),
    ...(filter ? [conditionOf(filter, words)] : []),
  ])
}

/** The same of one file, for whoever removes it. */
export const dueFiles = ({ context_id, filter }: Rule, cutoff: string): Filter => ({
  type: "and",
  filters: [
    { type: "lt", key: "file.updated_at", value: cutoff },
    ...(context_id === null ? [] : [{ type: "eq", key: "file.context_id", value: context_id } as const]),
    ...(filter ? [filter] : []),
  ],
})
