/** Holds as those see them who decide for a workspace: made, listed, lifted. `covers.ts` says what one covers. */
import { sql } from "kysely"
import { checkContext } from "../../access/context-id.ts"
import { type Filter, filterOf } from "../../access/filter/filter.ts"
import { checkEndUser, stored, toStore } from "../../access/limits.ts"
import { checkName } from "../../access/name.ts"
import type { View } from "../../access/view.ts"
import { AppError } from "../../errors.ts"
import { newId } from "../../id.ts"
import { type Database, readApart } from "../../storage/database.ts"
import type { HoldsTable } from "../../storage/holds.ts"
import { type Idempotency, type IdempotentRequest, note as noteAnswer } from "../../storage/idempotency.ts"
import { inOrder } from "../../storage/shared.ts"
import { words } from "../../storage/words.ts"
import { both } from "../../threads/both.ts"
import { needWhole, seesWhole } from "../whole.ts"
import { coveredBy, HELD_TABLES, type HeldKind } from "./covers.ts"
import { note, toCover } from "./refuse.ts"

/** Spelled as on the wire. */
export interface HoldRecord {
  id: string
  name: string
  filter: Filter | null
  end_user: string | null
  context_id: string | null
  created_at: string
}

/** How many of each a hold covers now. */
export type Covered = Record<HeldKind, number>

export interface NewHold {
  name: string
  filter?: unknown
  end_user?: string
  context_id?: string
}

/** Each is asked about at every deletion. */
const MAX_HOLDS = 100
const MAX_NAME_LENGTH = 200

export class Holds {
  constructor(
    private readonly database: Database,
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * A repetition is answered with the hold that the first request made, and what it covers now.
   * @throws AppError forbidden, invalid_request, invalid_filter; conflict where there are too many, and for a key of another
   *   request
   */
  create(view: View, given: NewHold, repetition?: IdempotentRequest): Promise<HoldRecord & { covered: Covered }> {
    return this.idempotency.once(
      repetition,
      () => this.createNew(view, given, repetition),
      id => this.get(view, id),
    )
  }

  private async createNew(view: View, given: NewHold, repetition: IdempotentRequest | undefined) {
    needWhole(view)
    const { workspaceId } = view
    const filter = filterOf(given.filter)
    const row: HoldsTable = {
      id: newId("hold"),
      workspace_id: workspaceId,
      name: checkName(given.name, MAX_NAME_LENGTH),
      filter: toStore(filter),
      end_user: given.end_user === undefined ? null : checkEndUser(given.end_user),
      context_id: given.context_id === undefined ? null : checkContext(given.context_id),
      created_at: new Date().toISOString(),
    }
    await this.database.transaction().execute(async trx => {
      await inOrder(trx, workspaceId)
      const { count } = await trx
        .selectFrom("holds")
        .select(eb => eb.fn.countAll<number>().as("count"))
        .where("workspace_id", "=", workspaceId)
        .executeTakeFirstOrThrow()
      if (Number(count) >= MAX_HOLDS)
        throw new AppError("conflict", {
          message: `a workspace has at most ${MAX_HOLDS} holds: lift one that is not needed`,
        })
      await trx.insertInto("holds").values(row).execute()
      if (repetition) await noteAnswer(trx, repetition, row.id)
      if (filter && changesByItself(filter)) await note(trx, toCover(row), "files", sql<boolean>`true`)
    })
    return this.withCounts(row)
  }

  /** Newest first; none for who does not see the whole workspace. */
  async list(view: View): Promise<HoldRecord[]> {
    if (!seesWhole(view)) return []
    const rows = await this.database
      .selectFrom("holds")
      .selectAll()
      .where("workspace_id", "=", view.workspaceId)
      .orderBy("id", "desc")
      .execute()
    return rows.map(toRecord)
  }

  /** @throws AppError not_found */
  async get(view: View, holdId: string): Promise<HoldRecord & { covered: Covered }> {
    if (!seesWhole(view)) throw noSuchHold()
    const row = await this.database
      .selectFrom("holds")
      .selectAll()
      .where("id", "=", holdId)
      .where("workspace_id", "=", view.workspaceId)
      .executeTakeFirst()
    if (!row) throw noSuchHold()
    return this.withCounts(row)
  }

  /** What it alone has kept may be deleted from then on. @throws AppError not_found */
  async lift(view: View, holdId: string): Promise<void> {
    if (!seesWhole(view)) throw noSuchHold()
    const { numDeletedRows } = await this.database
      .deleteFrom("holds")
      .where("id", "=", holdId)
      .where("workspace_id", "=", view.workspaceId)
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw noSuchHold()
  }

  private async withCounts(row: HoldsTable): Promise<HoldRecord & { covered: Covered }> {
    const count = async (kind: HeldKind) => {
      const { text, values } = coveredBy(toCover(row), kind, words(this.database))
      const asked = `select count(*) as count from ${HELD_TABLES[kind].table} where ${text}`
      const [found] = await readApart<{ count: number }>(this.database, asked, values)
      return Number(found!.count)
    }
    const [files, [conversations, runs]] = await both(count("files"), both(count("conversations"), count("runs")))
    return { ...toRecord(row), covered: { files, conversations, runs } }
  }
}

const toRecord = ({ id, name, filter, end_user, context_id, created_at }: HoldsTable): HoldRecord => ({
  ...{ id, name, filter: stored<Filter>(filter), end_user, context_id, created_at },
})

/** What no caller changes: nobody notes then that a file was covered. */
const BY_ITSELF = new Set(["file.status", "file.updated_at"])

const changesByItself = (filter: Filter): boolean =>
  "filters" in filter ? filter.filters.some(changesByItself) : BY_ITSELF.has(filter.key)

const noSuchHold = (): AppError => new AppError("not_found", { message: "there is no such hold" })
