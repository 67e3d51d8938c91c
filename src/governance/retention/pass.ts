/**
 * Applies the rules of a workspace: goes over what is due, rule by rule and in the order of ids, and removes one thing at a
 * time, so that requests come between. Each removal moves the pass's cursor and its counts in its own transaction: after a
 * crash the pass goes on behind the last one, and tells of each once. A removal whose rule was changed meanwhile is not made:
 * the pass ends, and the next goes by the new rules.
 */
import { sql } from "kysely"
import { wholeOf } from "../../access/view.ts"
import { AppError } from "../../errors.ts"
import { emit } from "../../events/outbox.ts"
import { newId } from "../../id.ts"
import { type Database, readApart, type Trx } from "../../storage/database.ts"
import type { RetentionPassesTable } from "../../storage/holds.ts"
import { beyondNewest } from "../../storage/newest.ts"
import type { Owner } from "../../storage/owners.ts"
import { inOrder } from "../../storage/shared.ts"
import { filled, words } from "../../storage/words.ts"
import type { AuditLog } from "../audit/audit-log.ts"
import { HELD_TABLES } from "../holds/covers.ts"
import { heldAmong, holdOnAll } from "../holds/refuse.ts"
import { closeReceipt, openReceipt } from "../receipts/removals.ts"
import { type AuditToForget, forgetEvents } from "./logs.ts"
import { type Counts, countsOf } from "./retention.ts"
import { cutoffOf, dueBy, dueFiles, isResource, type Kind, type Resource, type Rule } from "./rules.ts"

export interface Step {
  workspaceId: string
  id: string
  /** An open one. */
  receipt: string
  /** First in the transaction that removes, which it ends by throwing: whether it is due still, and what is noted of it. */
  check(trx: Trx): Promise<void>
}

/** How each resource is removed. @throws AppError where it may not be, or is gone */
export interface Removing {
  conversations(step: Step): Promise<unknown>
  runs(step: Step): Promise<unknown>
  /** @param only what it must pass still */
  files(step: Step & { only: ReturnType<typeof dueFiles> }): Promise<unknown>
}

export interface PassDependencies {
  database: Database
  node: Owner
  removing: Removing
  audit: AuditToForget & Pick<AuditLog, "append">
}

interface Cursor {
  /** Place of the rule. */
  rule: number
  /** Id behind which it goes on. */
  after: string
}

const isSome = (counts: Counts): boolean => Object.values(counts).some(count => count > 0)

/** Ids read at a time. */
const PAGE = 200
/** Removals that share a receipt. */
const PER_RECEIPT = 1_000
/** Events of one transaction. */
const EVENTS = 1_000
/** Passes of a workspace that are kept to be read. */
const KEPT = 100

/** Ends a pass whose rules are no more. */
class Changed extends Error {}

export class Pass {
  private receipt: { id: string; removals: number } | undefined
  private readonly rules: readonly Rule[]
  private readonly cursor: Cursor
  private readonly startedAt: number

  constructor(
    private readonly dependencies: PassDependencies,
    private readonly row: RetentionPassesTable,
  ) {
    this.rules = JSON.parse(row.rules)
    this.cursor = JSON.parse(row.cursor)
    this.startedAt = Date.parse(row.started_at)
  }

  /** The one that a crash left, or a new one. @param rules JSON */
  static async begin(dependencies: PassDependencies, workspaceId: string, rules: string): Promise<Pass> {
    const row = await dependencies.database.transaction().execute(async trx => {
      await inOrder(trx, workspaceId)
      const left = await trx
        .selectFrom("retention_passes")
        .selectAll()
        .where("workspace_id", "=", workspaceId)
        .where("finished_at", "is", null)
        .executeTakeFirst()
      if (left) return left
      const begun: RetentionPassesTable = {
        ...{ id: newId("rpass"), workspace_id: workspaceId, rules },
        ...{ started_at: new Date().toISOString(), finished_at: null },
        ...{ cursor: JSON.stringify({ rule: 0, after: "" } satisfies Cursor), counts: "{}" },
      }
      await trx.insertInto("retention_passes").values(begun).execute()
      return begun
    })
    return new Pass(dependencies, row)
  }

  /** @throws the signal's reason */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (; this.cursor.rule < this.rules.length; this.cursor.rule++, this.cursor.after = "") {
        const rule = this.rules[this.cursor.rule]!
        if (isResource(rule.kind)) await this.removeDue({ ...rule, kind: rule.kind }, signal)
        else await this.forgetOld(rule, signal)
      }
    } catch (error) {
      if (!(error instanceof Changed)) throw error
    } finally {
      await this.closeReceipt()
    }
    await this.finish()
  }

  private async removeDue(rule: Rule & { kind: Resource }, signal: AbortSignal): Promise<void> {
    const { database } = this.dependencies
    const { workspace_id: workspaceId } = this.row
    const cutoff = cutoffOf(rule, this.startedAt)
    const { table } = HELD_TABLES[rule.kind]
    const { text, values } = dueBy(rule, workspaceId, cutoff, words(database))
    for (;;) {
      const found = await readApart<{ id: string }>(
        database,
        `select ${table}.id from ${table} where ${text} and ${table}.id > ? order by ${table}.id limit ?`,
        [...values, this.cursor.after, PAGE],
      )
      const ids = found.map(({ id }) => id)
      const held = await heldAmong(database, workspaceId, rule.kind, ids)
      for (const id of ids) {
        signal.throwIfAborted()
        if (!held.has(id)) await this.remove(rule, id, cutoff)
        this.cursor.after = id
      }
      if (ids.length < PAGE) return
    }
  }

  private async remove(rule: Rule & { kind: Resource }, id: string, cutoff: string): Promise<void> {
    const { removing, database } = this.dependencies
    const { workspace_id: workspaceId } = this.row
    const { table } = HELD_TABLES[rule.kind]
    const { text, values } = dueBy(rule, workspaceId, cutoff, words(database))
    const receipt = await this.openReceipt()
    const note = (trx: Trx) => this.note(trx, rule.kind, 1, id)
    const check = async (trx: Trx) => {
      const due = await trx
        .selectFrom(table)
        .select("id")
        .where("id", "=", id)
        .where(filled<boolean>(text, ...values))
        .executeTakeFirst()
      if (!due) throw new AppError("not_found")
      await note(trx)
    }
    try {
      const step = { workspaceId, id, receipt }
      if (rule.kind === "files") await removing.files({ ...step, check: note, only: dueFiles(rule, cutoff) })
      else await removing[rule.kind]({ ...step, check })
    } catch (error) {
      // Somebody was quicker, or uses it again, or it is held since.
      if (!(error instanceof AppError) || error.status >= 500) throw error
    }
  }

  private async forgetOld(rule: Rule, signal: AbortSignal): Promise<void> {
    const { database, audit } = this.dependencies
    const { workspace_id: workspaceId } = this.row
    const before = cutoffOf(rule, this.startedAt)
    for (let count = EVENTS; count === EVENTS && !signal.aborted; )
      count = await database.transaction().execute(async trx => {
        await inOrder(trx, workspaceId)
        if (rule.kind === "audit" || (await holdOnAll(trx, workspaceId))) return 0
        const gone = await forgetEvents(trx, workspaceId, before, EVENTS)
        await this.note(trx, rule.kind, gone, "")
        return gone
      })
    if (rule.kind !== "audit" || (await holdOnAll(database, workspaceId))) return
    const gone = await audit.forgetBefore(workspaceId, before)
    await database.transaction().execute(async trx => {
      await inOrder(trx, workspaceId)
      await this.note(trx, rule.kind, gone, "")
    })
  }

  /** @throws Changed */
  private async note(trx: Trx, kind: Kind, count: number, after: string): Promise<void> {
    const { id, workspace_id, rules } = this.row
    const present = await trx
      .selectFrom("retention")
      .select("rules")
      .where("workspace_id", "=", workspace_id)
      .executeTakeFirst()
    if (present?.rules !== rules) throw new Changed("the rules were changed")
    const row = await trx
      .selectFrom("retention_passes")
      .select("counts")
      .where("id", "=", id)
      .where("finished_at", "is", null)
      .executeTakeFirst()
    if (!row) throw new Changed("another node has finished it")
    const counts = countsOf(row.counts)
    counts[kind] += count
    await trx
      .updateTable("retention_passes")
      .set({ counts: JSON.stringify(counts), cursor: JSON.stringify({ ...this.cursor, after } satisfies Cursor) })
      .where("id", "=", id)
      .execute()
  }

  private async openReceipt(): Promise<string> {
    if (this.receipt && this.receipt.removals >= PER_RECEIPT) await this.closeReceipt()
    const { database, node } = this.dependencies
    this.receipt ??= {
      id: await openReceipt(database, wholeOf(this.row.workspace_id), "retention", node),
      removals: 0,
    }
    this.receipt.removals++
    return this.receipt.id
  }

  private async closeReceipt(): Promise<void> {
    const { receipt } = this
    this.receipt = undefined
    if (receipt) await closeReceipt(this.dependencies.database, receipt.id)
  }

  /** The audit is told first: after a crash between the two it is told twice, and not never. */
  private async tellAudit(): Promise<void> {
    const { database, audit } = this.dependencies
    const { id, workspace_id: workspaceId } = this.row
    const row = await database
      .selectFrom("retention_passes")
      .select("counts")
      .where("id", "=", id)
      .where("finished_at", "is", null)
      .executeTakeFirst()
    const counts = countsOf(row?.counts ?? "{}")
    if (!isSome(counts)) return
    await audit.append({
      ...{ workspaceId, action: "retention.apply", outcome: "success", actor: { type: "system", id: null } },
      ...{ resourceType: "retention", resourceId: id, details: { ...counts } },
    })
  }

  private async finish(): Promise<void> {
    const { id, workspace_id: workspaceId } = this.row
    await this.tellAudit()
    await this.dependencies.database.transaction().execute(async trx => {
      await inOrder(trx, workspaceId)
      const finished = await trx
        .updateTable("retention_passes")
        .set({ finished_at: new Date().toISOString() })
        .where("id", "=", id)
        .where("finished_at", "is", null)
        .returning("counts")
        .executeTakeFirst()
      if (!finished) return
      const counts = countsOf(finished.counts)
      if (isSome(counts)) await emit(trx, workspaceId, [{ type: "retention.applied", data: { id, counts } }])
      const of = sql<boolean>`workspace_id = ${workspaceId}`
      const last = await beyondNewest(trx, "retention_passes", { of, kept: KEPT })
      if (last !== undefined) await trx.deleteFrom("retention_passes").where(of).where("id", "<=", last).execute()
    })
  }
}
