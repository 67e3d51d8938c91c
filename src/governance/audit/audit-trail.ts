/** The audit log as those read it who answer for a workspace: page by page, as a whole, and whether it is whole. */
import type { View } from "../../access/view.ts"
import { invalid } from "../../errors.ts"
import { isId } from "../../id.ts"
import type { AuditRow } from "../../storage/audit.ts"
import { needWhole } from "../whole.ts"
import type { Outcome } from "./actions.ts"
import type { AuditLog } from "./audit-log.ts"
import { type AuditRecord, toRecord } from "./chain.ts"
import { type Verification, verify } from "./verify.ts"

/** All must hold. */
export interface AuditFilter {
  /** ISO-8601: not before it, and before it. */
  from?: string | undefined
  to?: string | undefined
  /** An id, or a type. */
  actor?: string | undefined
  /** `file.delete`, or `file` for all about files. */
  action?: string | undefined
  outcome?: Outcome | undefined
  /** An id, or a type. */
  resource?: string | undefined
}

export interface AuditPage extends AuditFilter {
  after?: string | undefined
  order: "asc" | "desc"
  limit: number
}

const EXPORT_PAGE = 500

export class AuditTrail {
  constructor(private readonly audit: Pick<AuditLog, "chains" | "settled">) {}

  /**
   * `next` goes as `after` into the next request; null where there is no more.
   * @throws AppError forbidden for who is narrowed; invalid_request for an `after` that is not there
   */
  async page(view: View, { after, order, limit, ...filter }: AuditPage) {
    needWhole(view)
    await this.audit.settled()
    const place = after === undefined ? undefined : await this.placeOf(view, after)
    const rows = await this.read(view, filter, { place, order, limit: limit + 1 })
    const data = rows.slice(0, limit).map(toRecord)
    return { data, next: rows.length > limit ? data.at(-1)!.id : null }
  }

  /** Every row that the filter lets pass, oldest first. @throws AppError forbidden for who is narrowed */
  all(view: View, filter: AuditFilter): AsyncGenerator<AuditRecord[]> {
    needWhole(view)
    return this.pages(view, filter)
  }

  /** @throws AppError forbidden for who is narrowed */
  async verify(view: View): Promise<Verification> {
    needWhole(view)
    await this.audit.settled()
    return verify(this.audit.chains, view.workspaceId)
  }

  private async *pages(view: View, filter: AuditFilter): AsyncGenerator<AuditRecord[]> {
    await this.audit.settled()
    for (let place: number | undefined; ; ) {
      const rows = await this.read(view, filter, { place, order: "asc", limit: EXPORT_PAGE })
      if (rows.length > 0) yield rows.map(toRecord)
      if (rows.length < EXPORT_PAGE) return
      place = rows.at(-1)!.seq
    }
  }

  private async placeOf({ workspaceId }: View, id: string): Promise<number> {
    const row = await this.audit.chains.database
      .selectFrom("audit_log")
      .select("seq")
      .where("workspace_id", "=", workspaceId)
      .where("id", "=", id)
      .executeTakeFirst()
    if (!row) throw invalid("after", "is no row of this audit log, or one that retention removed")
    return row.seq
  }

  private read(
    { workspaceId }: View,
    { from, to, actor, action, outcome, resource }: AuditFilter,
    { place, order, limit }: { place: number | undefined; order: "asc" | "desc"; limit: number },
  ): Promise<AuditRow[]> {
    let query = this.audit.chains.database.selectFrom("audit_log").selectAll().where("workspace_id", "=", workspaceId)
    if (place !== undefined) query = query.where("seq", order === "asc" ? ">" : "<", place)
    if (from !== undefined) query = query.where("ts", ">=", from)
    if (to !== undefined) query = query.where("ts", "<", to)
    if (outcome !== undefined) query = query.where("outcome", "=", outcome)
    if (actor !== undefined) query = query.where(isNamed(actor) ? "actor_id" : "actor_type", "=", actor)
    if (resource !== undefined) query = query.where(isNamed(resource) ? "resource_id" : "resource_type", "=", resource)
    if (action?.includes(".")) query = query.where("action", "=", action)
    else if (action !== undefined) query = query.where("action", ">=", `${action}.`).where("action", "<", `${action}/`)
    return query.orderBy("seq", order).limit(limit).execute()
  }
}

/** Ids of our own making, and what looks like one; types have no digits. */
const isNamed = (text: string): boolean => isId(text) || /\d/.test(text)
