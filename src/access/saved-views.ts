/** Views of the library that users keep under a name: each sees their own, in the workspace in which it was kept. */
import type { Selectable } from "kysely"
import { AppError, invalid } from "../errors.ts"
import { newId } from "../id.ts"
import type { Database, Trx } from "../storage/database.ts"
import type { SavedViewsTable } from "../storage/users.ts"
import { type Keeper, keptBy } from "./keeper.ts"
import { checkName } from "./name.ts"

/** Of one user in one workspace. */
const MAX_VIEWS = 100
const MAX_FILTERS = 20
/** Characters of a filter's value. */
const MAX_LENGTH = 1_000

/** Spelled as on the wire. */
export interface SavedView {
  id: string
  name: string
  /** As the address of the page holds them: filters, order and columns. */
  filters: Record<string, string>
  created_at: string
  updated_at: string
}

type Change = Partial<Pick<SavedView, "name" | "filters">>

export class SavedViews {
  constructor(private readonly database: Database) {}

  /** By name. */
  async list(keeper: Keeper): Promise<SavedView[]> {
    const rows = await of(this.database, keeper).selectAll().execute()
    return rows.map(toView).sort((one, other) => one.name.localeCompare(other.name))
  }

  /** @throws AppError invalid_request; conflict where the name is taken or there are too many */
  async create(keeper: Keeper, { name, filters }: Required<Change>): Promise<SavedView> {
    const at = new Date().toISOString()
    const row = {
      id: newId("view"),
      workspace_id: keeper.workspaceId,
      user_id: keeper.userId,
      ...columnsOf({ name, filters }),
      created_at: at,
      updated_at: at,
    }
    await this.database.transaction().execute(async trx => {
      const known = await of(trx, keeper).select("id").execute()
      if (known.length >= MAX_VIEWS)
        throw new AppError("conflict", { message: `there are ${MAX_VIEWS} views already: delete one first` })
      await trx
        .insertInto("saved_views")
        .values(row as Selectable<SavedViewsTable>)
        .onConflict(conflict => conflict.doNothing())
        .returning("id")
        .executeTakeFirst()
        .then(refuseTaken)
    })
    return toView(row as Selectable<SavedViewsTable>)
  }

  /** @throws AppError not_found, also for a view of somebody else; as `create` */
  async change(keeper: Keeper, id: string, change: Change): Promise<SavedView> {
    const columns = columnsOf(change)
    return this.database.transaction().execute(async trx => {
      const before = await of(trx, keeper).selectAll().where("id", "=", id).executeTakeFirst()
      if (!before) throw missing()
      if (columns.name !== undefined) {
        const others = of(trx, keeper).select("id").where("name", "=", columns.name).where("id", "!=", id)
        refuseTaken((await others.executeTakeFirst()) === undefined)
      }
      const after = { ...before, ...columns, updated_at: new Date().toISOString() }
      await trx.updateTable("saved_views").set(after).where("id", "=", id).execute()
      return toView(after)
    })
  }

  /** @throws AppError not_found, also for a view of somebody else */
  async delete(keeper: Keeper, id: string): Promise<void> {
    const { numDeletedRows } = await this.database
      .deleteFrom("saved_views")
      .where("id", "=", id)
      .where(keptBy(keeper))
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw missing()
  }
}

const of = (database: Database | Trx, keeper: Keeper) => database.selectFrom("saved_views").where(keptBy(keeper))

const missing = () => new AppError("not_found", { message: "there is no such view" })

function refuseTaken(isFree: unknown): void {
  if (!isFree) throw new AppError("conflict", { message: "there is a view of that name already" })
}

/** @throws AppError invalid_request */
function columnsOf({ name, filters }: Change): Partial<Pick<SavedViewsTable, "name" | "filters">> {
  const given = Object.entries(filters ?? {})
  if (given.length > MAX_FILTERS) throw invalid("filters", `must be at most ${MAX_FILTERS}`)
  if (given.some(([key, value]) => key.length + value.length > MAX_LENGTH))
    throw invalid("filters", `each must have at most ${MAX_LENGTH} characters`)
  return {
    ...(name === undefined ? {} : { name: checkName(name) }),
    ...(filters === undefined ? {} : { filters: JSON.stringify(filters) }),
  }
}

const toView = ({ id, name, filters, created_at, updated_at }: Selectable<SavedViewsTable>): SavedView => ({
  id,
  name,
  filters: JSON.parse(filters),
  created_at,
  updated_at,
})
