/** Gives rows their places in the chains, commits them, and anchors the ends; and removes what retention lets go of. */
import { sql } from "kysely"
import { log } from "../../log.ts"
import type { AuditRow } from "../../storage/audit.ts"
import type { Database, Executor, Trx } from "../../storage/database.ts"
import { inOrder } from "../../storage/shared.ts"
import { type Anchors, spelled } from "./anchors.ts"
import { chained } from "./chain.ts"
import { type Chains, findCheckpoint, type Head, headOf, lastBefore, setCheckpoint } from "./ends.ts"
import type { Told, Unplaced } from "./entry.ts"
import { isTold, takeTold } from "./pending.ts"

/** What is written together. */
export interface Together {
  rows: readonly Told[]
  /** Refusals that name nobody. */
  strangers: number
}

/** Rows of one statement. */
const BATCH = 400

export class ChainWriter implements Chains {
  /** The end of the work under way: what is written to the chains takes turns. */
  private turn: Promise<unknown> = Promise.resolve()
  /** Workspaces whose missing rows stand in the log of the daemon. */
  private readonly told = new Set<string>()

  constructor(
    readonly database: Database,
    readonly anchors: Anchors,
    readonly key: Buffer,
  ) {}

  /** Returns when all of them are committed. @param again some of the rows may be there: each is written once */
  append({ rows, strangers }: Together, again = false): Promise<void> {
    return this.alone(async () => {
      const missing = again ? await this.missingOf(rows) : rows
      await this.commit(async trx => {
        if (strangers > 0) await countStrangers(trx, strangers)
        return missing
      })
    })
  }

  /** Returns when what was told with changes (`pending.ts`) has its place. */
  async takePending(): Promise<void> {
    while (await isTold(this.database))
      await this.alone(() =>
        this.commit(async trx => {
          await inOrder(trx, PENDING)
          return takeTold(trx, BATCH)
        }),
      )
  }

  private alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work)
    this.turn = done.catch(() => {})
    return done
  }

  private async missingOf(rows: readonly Told[]): Promise<readonly Told[]> {
    const there = new Set<string>()
    for (let at = 0; at < rows.length; at += BATCH) {
      const ids = rows.slice(at, at + BATCH).map(({ id }) => id)
      for (const { id } of await this.database.selectFrom("audit_log").select("id").where("id", "in", ids).execute())
        there.add(id)
    }
    return rows.filter(({ id }) => !there.has(id))
  }

  private async commit(take: (trx: Trx) => Promise<readonly Told[]>): Promise<void> {
    const ends = await this.database.transaction().execute(async trx => {
      const rows = await take(trx)
      await inOrder(trx, ...rows.map(row => chainOf(row.workspace_id)))
      const heads = await this.place(trx, await named(trx, rows))
      if (this.anchors.withRows) for (const [id, head] of heads) await this.anchor(trx, id, head)
      return heads
    })
    if (!this.anchors.withRows) for (const [id, head] of ends) await this.anchor(this.database, id, head)
  }

  /** @returns where the chains of their workspaces end then */
  private async place(trx: Executor, rows: readonly Unplaced[]): Promise<Map<string, Head>> {
    const heads = new Map<string, Head>()
    const placed: AuditRow[] = []
    for (const row of rows) {
      const head = heads.get(row.workspace_id) ?? (await this.headOf(trx, row.workspace_id))
      const next = chained(row, head, this.key)
      placed.push(next)
      heads.set(row.workspace_id, { ...head, seq: next.seq, hash: next.hash, id: next.id })
    }
    for (let at = 0; at < placed.length; at += BATCH)
      await trx
        .insertInto("audit_log")
        .values(placed.slice(at, at + BATCH))
        .execute()
    return heads
  }

  /** Anchors a chain where it ends now, whatever its anchor said. */
  async anchorAnew(workspaceId: string): Promise<void> {
    const { seq, forgotten, ...end } = await headOf(this, this.database, workspaceId)
    const checkpoint = await findCheckpoint(this, this.database, workspaceId)
    await this.anchors.remove(this.database, workspaceId)
    await this.anchor(this.database, workspaceId, {
      ...end,
      seq,
      forgotten: checkpoint?.seq ?? forgotten,
      isSound: true,
    })
  }

  /** A chain that has lost rows keeps its anchor, which goes on telling so. */
  private async anchor(executor: Executor, workspaceId: string, { isSound, ...anchor }: Head): Promise<void> {
    if (isSound) await this.anchors.write(executor, workspaceId, spelled(this.key, workspaceId, anchor), anchor.seq)
  }

  private async headOf(trx: Executor, workspaceId: string): Promise<Head> {
    const head = await headOf(this, trx, workspaceId)
    // Before the first row: a chain without an anchor is one whose anchor was removed.
    if (head.seq === 0) await this.anchor(trx, workspaceId, head)
    if (!head.isSound && !this.told.has(workspaceId)) {
      this.told.add(workspaceId)
      log.error("rows of the audit log are missing; `carrel doctor --check` says more", { workspace: workspaceId })
    }
    return head
  }

  /** How many rows `forget` would remove. */
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
   * Removes the rows of a workspace that are older than `before`, but never the newest; the rest can be verified as before.
   * @param before ISO-8601
   * @returns how many were removed
   */
  forget(workspaceId: string, before: string): Promise<number> {
    return this.alone(() =>
      this.database.transaction().execute(async trx => {
        await inOrder(trx, chainOf(workspaceId))
        const head = await this.headOf(trx, workspaceId)
        const last = await lastBefore(trx, workspaceId, before, head)
        if (!last || !head.isSound) return 0
        // Announced first: a kill between the two leaves rows that might have gone.
        await this.anchor(trx, workspaceId, { ...head, forgotten: last.seq })
        await setCheckpoint(trx, this.key, workspaceId, last)
        const { numDeletedRows } = await trx
          .deleteFrom("audit_log")
          .where("workspace_id", "=", workspaceId)
          .where("seq", "<=", last.seq)
          .executeTakeFirstOrThrow()
        return Number(numDeletedRows)
      }),
    )
  }
}

/** Key of the turns at what was told with changes; taken before those at the chains. */
const PENDING = "audit-pending"
/** Key of the turns of those who append to it. */
const chainOf = (workspaceId: string): string => `audit:${workspaceId}`

/** With the names of keys, tokens and users, as they are now; a token has that of its key. */
async function named(trx: Trx, rows: readonly Told[]): Promise<Unplaced[]> {
  const ids = [...new Set(rows.flatMap(row => (row.actor_name === null ? (row.actor_id ?? []) : [])))]
  const names = new Map<string, string>()
  if (ids.length > 0) {
    const found = await sql<{ id: string; name: string }>`
      select id, name from api_keys where id in (${sql.join(ids)})
      union all select id, name from users where id in (${sql.join(ids)})
      union all select scoped_tokens.id, api_keys.name from scoped_tokens
        join api_keys on api_keys.id = scoped_tokens.key_id where scoped_tokens.id in (${sql.join(ids)})
    `.execute(trx)
    for (const { id, name } of found.rows) names.set(id, name)
  }
  return rows.map(row => ({ ...row, actor_name: row.actor_name ?? names.get(row.actor_id ?? "") ?? "" }))
}

const countStrangers = (executor: Executor, refusals: number) =>
  executor
    .insertInto("audit_strangers")
    .values({ day: new Date().toISOString().slice(0, 10), refusals })
    .onConflict(conflict =>
      conflict.column("day").doUpdateSet(eb => ({ refusals: eb("audit_strangers.refusals", "+", refusals) })),
    )
    .execute()
