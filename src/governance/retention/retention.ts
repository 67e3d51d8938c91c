/** Retention as those see it who decide for a workspace: its rules, what they would remove, what they removed last. */
import type { View } from "../../access/view.ts"
import { type Database, readApart } from "../../storage/database.ts"
import { words } from "../../storage/words.ts"
import { allOf, anyOf, coveredBy, HELD_TABLES } from "../holds/covers.ts"
import { coversOf, holdOnAll } from "../holds/refuse.ts"
import { needWhole } from "../whole.ts"
import { type AuditToForget, oldEvents } from "./logs.ts"
import {
  checkRules,
  cutoffOf,
  dueBy,
  type GivenRule,
  isResource,
  KINDS,
  type Kind,
  type Resource,
  type Rule,
} from "./rules.ts"

export type Counts = Record<Kind, number>

/** Spelled as on the wire. */
export interface RetentionRecord {
  rules: Rule[]
  /** Null where none were ever set. */
  updated_at: string | null
  /** The last time that they were applied to the end. */
  last_applied: { started_at: string; finished_at: string; counts: Counts } | null
}

export const countsOf = (stored: string): Counts => ({
  ...(Object.fromEntries(KINDS.map(kind => [kind, 0])) as Counts),
  ...JSON.parse(stored),
})

export class Retention {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditToForget,
  ) {}

  /** @throws AppError forbidden */
  async get(view: View): Promise<RetentionRecord> {
    needWhole(view)
    const { database } = this
    const kept = await database
      .selectFrom("retention")
      .selectAll()
      .where("workspace_id", "=", view.workspaceId)
      .executeTakeFirst()
    const last = await database
      .selectFrom("retention_passes")
      .select(["started_at", "finished_at", "counts"])
      .where("workspace_id", "=", view.workspaceId)
      .where("finished_at", "is not", null)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst()
    return {
      rules: kept ? JSON.parse(kept.rules) : [],
      updated_at: kept?.updated_at ?? null,
      last_applied: last
        ? { started_at: last.started_at, finished_at: last.finished_at!, counts: countsOf(last.counts) }
        : null,
    }
  }

  /** In the place of those that there were. @throws AppError forbidden, invalid_request, invalid_filter */
  async set(view: View, given: readonly GivenRule[]): Promise<RetentionRecord> {
    needWhole(view)
    const set = { rules: JSON.stringify(checkRules(given)), updated_at: new Date().toISOString() }
    await this.database
      .insertInto("retention")
      .values({ workspace_id: view.workspaceId, ...set })
      .onConflict(conflict => conflict.column("workspace_id").doUpdateSet(set))
      .execute()
    return this.get(view)
  }

  /**
   * What the rules, those that are kept by default, would remove now: each thing once, without what is held.
   * @throws AppError as `set`
   */
  async preview(view: View, given?: readonly GivenRule[]): Promise<{ counts: Counts }> {
    const rules = given ? checkRules(given) : (await this.get(view)).rules
    needWhole(view)
    const counts = countsOf("{}")
    for (const kind of KINDS) {
      const its = rules.filter(rule => rule.kind === kind)
      if (its.length > 0)
        counts[kind] = await (isResource(kind)
          ? this.countDue(view.workspaceId, its as (Rule & { kind: Resource })[])
          : this.countOld(view.workspaceId, kind, its))
    }
    return { counts }
  }

  private async countDue(workspaceId: string, rules: readonly (Rule & { kind: Resource })[]): Promise<number> {
    const { database } = this
    const [{ kind }] = rules as [Rule & { kind: Resource }]
    const [now, its] = [Date.now(), words(database)]
    const due = anyOf(rules.map(rule => dueBy(rule, workspaceId, cutoffOf(rule, now), its)))
    const held = anyOf((await coversOf(database, workspaceId)).map(cover => coveredBy(cover, kind, its)))
    const { text, values } = allOf([due, { text: `not (${held.text})`, values: held.values }])
    const asked = `select count(*) as count from ${HELD_TABLES[kind].table} where ${text}`
    const [found] = await readApart<{ count: number }>(database, asked, values)
    return Number(found!.count)
  }

  private async countOld(workspaceId: string, kind: "events" | "audit", rules: readonly Rule[]): Promise<number> {
    if (await holdOnAll(this.database, workspaceId)) return 0
    const now = Date.now()
    const before = rules
      .map(rule => cutoffOf(rule, now))
      .sort()
      .at(-1)!
    if (kind === "audit") return this.audit.countBefore(workspaceId, before)
    const { text, values } = oldEvents(workspaceId, before)
    const [found] = await readApart<{ count: number }>(this.database, `select count(*) as count ${text}`, values)
    return Number(found!.count)
  }
}
