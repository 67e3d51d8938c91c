/**
 * Writes receipts once the bytes are gone. A removal is noted with its transaction (`removals.ts`) and then is
 * - left: a row or stored bytes may be there; each store is asked for it, until none has any.
 * - gone: nothing refers to it, but the files of the stores may hold what was in them. A receipt whose removals all are gone,
 *   and to which nothing is added any more, waits until every store has shed what was removed before.
 * - told: the receipt is signed and written, in one statement.
 * For one node at a time. After a crash, and where two do it for a moment, stores are asked again, and the first receipt counts.
 */
import { sql } from "kysely"
import { timeOfId } from "../../id.ts"
import { Trouble } from "../../log.ts"
import type { Database } from "../../storage/database.ts"
import { isGivenUp } from "../../storage/owners.ts"
import type { RemovalKind, RemovalsTable, Traces } from "../../storage/receipts.ts"
import { filled, texts, words } from "../../storage/words.ts"
import { pause } from "../../threads/or-abort.ts"
import type { ReceiptSigner, UnsignedReceipt } from "./receipt.ts"
import { closeReceipt } from "./removals.ts"
import type { EmptiedStore, NotedRemoval, ReadyReceipt, ShedStore } from "./store.ts"

/** Removals that stores are asked for at a time. */
const ASKED_AT_ONCE = 200
/** Receipts looked at in one round, the oldest first. */
const WRITTEN_AT_ONCE = 200
const DAY_MS = 24 * 3_600_000
/** Between two rounds: as long as something is left, and longer as long as nothing of it changes. */
const PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000

export interface ReceiptWriterOptions {
  database: Database
  signer: ReceiptSigner
  emptied: readonly EmptiedStore[]
  /** In the order in which they are asked: the logs of a store after the store itself. */
  shed: readonly ShedStore[]
  /** Days for which the operator keeps backups; 0 where nobody said. */
  backupDays: number
}

interface Unwritten {
  id: string
  what: string
  created_at: string
}

export class ReceiptWriter {
  /** When receipts were found to be about nothing that is left. */
  private readonly clearedAt = new Map<string, number>()
  private readonly trouble = new Trouble({
    begins: "receipts of deletions cannot be written",
    ends: "receipts of deletions are written again",
  })

  constructor(private readonly options: ReceiptWriterOptions) {}

  /** Until the signal aborts. */
  async keepWriting(signal: AbortSignal): Promise<void> {
    let rest = PAUSE_MS
    for (let newest: string | undefined; !signal.aborted; await pause(rest, signal).catch(() => {})) {
      try {
        const last = await this.newestUnwritten()
        if (last === undefined || last !== newest) rest = PAUSE_MS
        newest = last
        if (last === undefined) continue
        rest = (await this.round(signal)) > 0 ? PAUSE_MS : Math.min(rest * 1.2, LONGEST_PAUSE_MS)
        this.trouble.clear()
      } catch (error) {
        if (!signal.aborted) this.trouble.note(error)
      }
    }
  }

  /** @returns how many removals were found gone and how many receipts were written */
  async round(signal?: AbortSignal): Promise<number> {
    const gone = await this.clear(signal)
    let written = 0
    for (const receipt of await this.unwritten()) {
      signal?.throwIfAborted()
      if (await this.write(receipt)) written++
    }
    return gone + written
  }

  private async newestUnwritten(): Promise<string | undefined> {
    const { last } = await this.options.database
      .selectFrom("receipts")
      .select(eb => eb.fn.max("id").as("last"))
      .where("receipt", "is", null)
      .executeTakeFirstOrThrow()
    return last ?? undefined
  }

  /** Asks every store for what may be left. */
  private async clear(signal?: AbortSignal): Promise<number> {
    const { database, emptied } = this.options
    let count = 0
    for (let after = ""; ; ) {
      signal?.throwIfAborted()
      const rows = await database
        .selectFrom("removals")
        .select(["id", "kind", "resource_id", "traces"])
        .where("gone", "=", 0)
        .where("id", ">", after)
        .orderBy("id")
        .limit(ASKED_AT_ONCE)
        .execute()
      let left: readonly NotedRemoval[] = rows.map(toNoted)
      for (const store of emptied) {
        if (left.length === 0) break
        const gone = await store.gone(left)
        left = left.filter(({ id }) => gone.has(id))
      }
      count += left.length
      if (left.length > 0) await this.noteGone(left)
      const last = rows.at(-1)
      if (!last || rows.length < ASKED_AT_ONCE) return count
      after = last.id
    }
  }

  private async noteGone(removals: readonly NotedRemoval[]): Promise<void> {
    const { database } = this.options
    const isOne = filled<boolean>(words(database).among("id", "text"), texts(removals.map(({ id }) => id)))
    await database.updateTable("removals").set({ gone: 1 }).where(isOne).execute()
  }

  /** Those whose removals all are gone. */
  private unwritten(): Promise<Unwritten[]> {
    return this.options.database
      .selectFrom("receipts")
      .select(["id", "what", "created_at"])
      .where("receipt", "is", null)
      .where(eb =>
        eb.or([
          eb("closed", "=", 1),
          // Whoever added to it has ended, and nobody goes on.
          eb.and([eb("opener", "is not", null), isGivenUp("receipts.opener")]),
        ]),
      )
      .where(sql<boolean>`not exists (select 1 from removals where receipt_id = receipts.id and gone = 0)`)
      .orderBy("id")
      .limit(WRITTEN_AT_ONCE)
      .execute()
  }

  /** @returns whether it is written now */
  private async write({ id, what, created_at }: Unwritten): Promise<boolean> {
    const { database, signer, shed, backupDays } = this.options
    const clearedAt = this.clearedAt.get(id) ?? Date.now()
    this.clearedAt.set(id, clearedAt)
    const removals = await database
      .selectFrom("removals")
      .select(["kind", "resource_id", "sha256s"])
      .where("receipt_id", "=", id)
      .orderBy("id")
      .execute()
    // Of a node that ended amid such work.
    if (removals.length === 0 && !(await closeReceipt(database, id))) return false
    const ready: ReadyReceipt = {
      id,
      createdAt: Date.parse(created_at),
      clearedAt,
      kinds: new Set(removals.map(({ kind }) => kind)),
      oldestAt: removals.reduce(
        (least, { resource_id }) => Math.min(least, timeOfId(resource_id) ?? 0),
        Date.parse(created_at),
      ),
    }
    for (const store of shed) if (!(await store.hasShed(ready))) return false
    const at = new Date()
    const receipt = signer.sign({
      id,
      what,
      ids: distinct(removals.flatMap(({ kind, resource_id }) => (kind === "end_user" ? [] : [resource_id]))),
      sha256s: distinct(removals.flatMap(({ sha256s }) => JSON.parse(sha256s) as string[])),
      removed_from: this.storesOf(),
      at: at.toISOString(),
      backups_until: backupDays === 0 ? null : new Date(at.getTime() + backupDays * DAY_MS).toISOString(),
    } satisfies UnsignedReceipt)
    const { numUpdatedRows } = await database
      .updateTable("receipts")
      .set({ receipt: JSON.stringify(receipt), written_at: receipt.at, closed: 1 })
      .where("id", "=", id)
      .where("receipt", "is", null)
      .executeTakeFirst()
    this.clearedAt.delete(id)
    return numUpdatedRows > 0n
  }

  private storesOf(): string[] {
    const { emptied, shed } = this.options
    return distinct([...emptied, ...shed].flatMap(({ names }) => names))
  }
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)]

const toNoted = (row: Pick<RemovalsTable, "kind" | "resource_id" | "traces"> & { id: string }): NotedRemoval => ({
  id: row.id,
  kind: row.kind as RemovalKind,
  resourceId: row.resource_id,
  traces: JSON.parse(row.traces) as Traces,
})
