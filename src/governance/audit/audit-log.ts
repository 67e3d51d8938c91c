/**
 * Writes the audit log. Rows that come while others are being written share the next transaction. Whoever appends may answer
 * once it has returned: the rows are committed then, and the anchor knows of them.
 */
import { sql } from "kysely"
import { newId } from "../../id.ts"
import { log } from "../../log.ts"
import type { AuditRow } from "../../storage/audit.ts"
import type { Database, Executor } from "../../storage/database.ts"
import { secretNamed } from "../../storage/secrets.ts"
import { inOrder } from "../../storage/shared.ts"
import type { ActorType, AuditAction, Outcome } from "./actions.ts"
import { type Anchors, spelled } from "./anchors.ts"
import { chained } from "./chain.ts"
import { findCheckpoint, type Head, headOf, lastBefore, setCheckpoint } from "./ends.ts"

export interface AuditEntry {
  workspaceId: string
  action: AuditAction
  outcome: Outcome
  actor: { type: ActorType; id: string | null; name?: string }
  resourceType?: string | null
  resourceId?: string | null
  requestId?: string | null
  endpoint?: string | null
  sourceIp?: string | null
  /** Names of fields, counts, codes: nothing that a caller wrote. */
  details?: Record<string, unknown>
}

interface Waiting {
  entries: readonly AuditEntry[]
  strangers: number
  resolve(): void
  reject(error: unknown): void
}

/** Rows of one statement. */
const BATCH = 400
/** Another process may append at the same time: a command beside the daemon. */
const ATTEMPTS = 8

export class AuditLog {
  private waiting: Waiting[] = []
  private isWriting = false
  /** The end of the work under way: what is written to the chains takes turns. */
  private turn: Promise<unknown> = Promise.resolve()
  /** Where the chains end; on one machine, whose commands alone write beside it. */
  private readonly heads = new Map<string, Head>()
  private readonly told = new Set<string>()

  private constructor(
    readonly database: Database,
    readonly anchors: Anchors,
    readonly key: Buffer,
  ) {}

  static async open(database: Database, anchors: Anchors): Promise<AuditLog> {
    return new AuditLog(database, anchors, await secretNamed(database, "audit"))
  }

  /**
   * The log with what is to be told of its arrival: records that were restored or moved are anchored anew, where they end,
   * and a row of each workspace says so.
   */
  static async openArrived(database: Database, anchors: Anchors): Promise<AuditLog> {
    const audit = await AuditLog.open(database, anchors)
    const action = await anchors.arrival(database)
    if (!action) return audit
    const workspaces = await database.selectFrom("workspaces").select("id").execute()
    for (const { id } of workspaces) {
      const { seq, forgotten, ...end } = await headOf(audit, database, id)
      const checkpoint = await findCheckpoint(audit, database, id)
      await anchors.remove(database, id)
      await audit.anchor(database, id, { ...end, seq, forgotten: checkpoint?.seq ?? forgotten, isSound: true })
    }
    const actor = { type: "command", id: null, name: `carrel ${action.split(".")[1]}` } as const
    await audit.append(...workspaces.map(({ id }) => ({ workspaceId: id, action, outcome: "success" as const, actor })))
    await anchors.forgetArrival(database)
    return audit
  }

  /** Returns when all of them are committed. */
  append(...entries: AuditEntry[]): Promise<void> {
    return entries.length === 0 ? Promise.resolve() : this.enqueue(entries, 0)
  }

  /** One more refusal that names nobody; takes as long as `append`, so that nobody can tell names that exist by the time. */
  countStranger(): Promise<void> {
    return this.enqueue([], 1)
  }

  private enqueue(entries: readonly AuditEntry[], strangers: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ entries, strangers, resolve, reject })
      if (!this.isWriting) void this.write()
    })
  }

  private async write(): Promise<void> {
    this.isWriting = true
    while (this.waiting.length > 0) {
      const some = this.take()
      try {
        await this.alone(() => this.commit(some))
        for (const { resolve } of some) resolve()
      } catch (error) {
        for (const { reject } of some) reject(error)
      }
    }
    this.isWriting = false // at once with the last look: who comes next begins anew
  }

  private alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work)
    this.turn = done.catch(() => {})
    return done
  }

  private take(): Waiting[] {
    let rows = 0
    const end = this.waiting.findIndex(({ entries }, i) => {
      rows += entries.length
      return rows > BATCH && i > 0
    })
    return this.waiting.splice(0, end < 0 ? this.waiting.length : end)
  }

  private async commit(some: readonly Waiting[]): Promise<void> {
    const entries = some.flatMap(each => each.entries)
    const strangers = some.reduce((sum, each) => sum + each.strangers, 0)
    const names = await namesOf(this.database, entries)
    const ts = new Date().toISOString()
    const rows = entries.map(entry => rowOf(entry, ts, names))
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.insert(rows, strangers)
      } catch (error) {
        this.heads.clear()
        if (attempt === ATTEMPTS || !isTaken(error)) throw error
      }
    }
  }

  private async insert(rows: readonly Unplaced[], strangers: number): Promise<void> {
    if (!this.anchors.withRows) return this.place(this.database, rows, strangers)
    const workspaces = new Set(rows.map(({ workspace_id }) => workspace_id))
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, ...[...workspaces].map(chainOf))
      this.heads.clear() // others may have appended
      await this.place(trx, rows, strangers)
    })
  }

  private async place(executor: Executor, rows: readonly Unplaced[], strangers: number): Promise<void> {
    const heads = new Map<string, Head>()
    const placed: AuditRow[] = []
    for (const row of rows) {
      const head = heads.get(row.workspace_id) ?? (await this.headOf(executor, row.workspace_id))
      const next = chained(row, head, this.key)
      placed.push(next)
      heads.set(row.workspace_id, { ...head, seq: next.seq, hash: next.hash, id: next.id })
    }
    for (let at = 0; at < placed.length; at += BATCH)
      await executor
        .insertInto("audit_log")
        .values(placed.slice(at, at + BATCH))
        .execute()
    if (strangers > 0) await countStrangers(executor, strangers)
    for (const [workspaceId, head] of heads) {
      await this.anchor(executor, workspaceId, head)
      this.heads.set(workspaceId, head)
    }
  }

  /** A chain that has lost rows keeps its anchor, which goes on telling so. */
  private async anchor(executor: Executor, workspaceId: string, { isSound, ...anchor }: Head): Promise<void> {
    if (isSound) await this.anchors.write(executor, workspaceId, spelled(this.key, workspaceId, anchor), anchor.seq)
  }

  private async headOf(executor: Executor, workspaceId: string): Promise<Head> {
    const known = this.heads.get(workspaceId)
    if (known) return known
    const head = await headOf(this, executor, workspaceId)
    // Before the first row: a chain without an anchor is one whose anchor was removed.
    if (head.seq === 0) await this.anchor(executor, workspaceId, head)
    if (!head.isSound && !this.told.has(workspaceId)) {
      this.told.add(workspaceId)
      log.error("rows of the audit log are missing; `carrel doctor --check` says more", { workspace: workspaceId })
    }
    this.heads.set(workspaceId, head)
    return head
  }

  /** How many rows `forgetBefore` would remove. */
  async countBefore(workspaceId: string, before: string): Promise<number> {
    const head = await headOf(this, this.database, workspaceId)
    const last = await lastBefore(this.database, workspaceId, before, head)
    if (!last || !head.isSound) return 0
    const { rows } = await this.database
      .selectFrom("audit_log")
      .select(eb => eb.fn.countAll<number>().as("rows"))
      .where("workspace_id", "=", workspaceId)
      .where("seq", "<=", last.seq)
      .executeTakeFirstOrThrow()
    return Number(rows)
  }

  /**
   * Removes the rows of a workspace that are older than `before`, but never the newest; a row of the log says so, and the rest
   * can be verified as before.
   * @param before ISO-8601
   * @returns how many were removed
   */
  async forgetBefore(workspaceId: string, before: string): Promise<number> {
    const removed = await this.alone(() =>
      this.database.transaction().execute(async trx => {
        await inOrder(trx, chainOf(workspaceId))
        this.heads.delete(workspaceId)
        const head = await this.headOf(trx, workspaceId)
        const last = await lastBefore(trx, workspaceId, before, head)
        if (!last || !head.isSound) return 0
        // Announced first: a kill between the two leaves rows that might have gone.
        const announced = { ...head, forgotten: last.seq }
        await this.anchor(trx, workspaceId, announced)
        this.heads.set(workspaceId, announced)
        await setCheckpoint(trx, this.key, workspaceId, last)
        const { numDeletedRows } = await trx
          .deleteFrom("audit_log")
          .where("workspace_id", "=", workspaceId)
          .where("seq", "<=", last.seq)
          .executeTakeFirstOrThrow()
        return Number(numDeletedRows)
      }),
    )
    if (removed > 0)
      await this.append({
        workspaceId,
        action: "audit.forget",
        outcome: "success",
        actor: { type: "system", id: null },
        details: { rows: removed, before },
      })
    return removed
  }
}

/** Key of the turns of those who append to it. */
const chainOf = (workspaceId: string): string => `audit:${workspaceId}`

type Unplaced = Parameters<typeof chained>[0]

const rowOf = (entry: AuditEntry, ts: string, names: ReadonlyMap<string, string>): Unplaced => ({
  workspace_id: entry.workspaceId,
  id: newId("aud"),
  ts,
  action: entry.action,
  outcome: entry.outcome,
  actor_type: entry.actor.type,
  actor_id: entry.actor.id,
  actor_name: entry.actor.name ?? names.get(entry.actor.id ?? "") ?? "",
  resource_type: entry.resourceType ?? null,
  resource_id: entry.resourceId ?? null,
  request_id: entry.requestId ?? null,
  endpoint: entry.endpoint ?? null,
  source_ip: entry.sourceIp ?? null,
  details: JSON.stringify(entry.details ?? {}),
})

/** Of keys, tokens and users, as they are now; a token has that of its key. */
async function namesOf(database: Database, entries: readonly AuditEntry[]): Promise<ReadonlyMap<string, string>> {
  const ids = entries.flatMap(({ actor }) => (actor.id === null || actor.name !== undefined ? [] : [actor.id]))
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from api_keys where id in (${sql.join([...new Set(ids)])})
    union all select id, name from users where id in (${sql.join([...new Set(ids)])})
    union all select scoped_tokens.id, api_keys.name from scoped_tokens
      join api_keys on api_keys.id = scoped_tokens.key_id where scoped_tokens.id in (${sql.join([...new Set(ids)])})
  `.execute(database)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const countStrangers = (executor: Executor, refusals: number) =>
  executor
    .insertInto("audit_strangers")
    .values({ day: new Date().toISOString().slice(0, 10), refusals })
    .onConflict(conflict =>
      conflict.column("day").doUpdateSet(eb => ({ refusals: eb("audit_strangers.refusals", "+", refusals) })),
    )
    .execute()

/** The number that a row was to have is another's. */
const isTaken = (error: unknown): boolean => /UNIQUE constraint failed: audit_log/.test(String(error))
