/** Texts that users keep under a name, to ask with them again: each sees their own, in the workspace in which it was kept. */
import { type Keeper, keptBy } from "../access/keeper.ts"
import { AppError } from "../errors.ts"
import { type RedactionRules, underGuard } from "../grounding/under-guard.ts"
import type { Fields } from "../guarded.ts"
import type { Database, Trx } from "../storage/database.ts"

/** Of one user in one workspace. */
const MAX_PROMPTS = 200

/** Spelled as on the wire. */
export interface SavedPrompt {
  name: string
  text: string
  updated_at: string
}

const PROMPT: Fields<Pick<SavedPrompt, "name" | "text">> = { name: "text", text: "text" }

export class SavedPrompts {
  constructor(
    private readonly database: Database,
    private readonly redaction: RedactionRules,
  ) {}

  /** By name. */
  async list(keeper: Keeper): Promise<SavedPrompt[]> {
    const rows = await of(this.database, keeper).select(["name", "text", "updated_at"]).execute()
    return rows.sort((one, other) => one.name.localeCompare(other.name))
  }

  /**
   * In the place of the one that the name has.
   * @returns as it is kept: redacted where the workspace insists on it
   * @throws AppError conflict where there are too many
   */
  async keep(keeper: Keeper, prompt: Pick<SavedPrompt, "name" | "text">): Promise<SavedPrompt> {
    const kept = await underGuard(this.redaction, keeper.workspaceId, undefined, guard => guard.pass(prompt, PROMPT))
    const row = {
      workspace_id: keeper.workspaceId,
      user_id: keeper.userId,
      name: kept.name,
      text: kept.text,
      updated_at: new Date().toISOString(),
    }
    await this.database.transaction().execute(async trx => {
      await trx
        .insertInto("saved_prompts")
        .values(row)
        .onConflict(conflict => conflict.columns(["user_id", "workspace_id", "name"]).doUpdateSet(row))
        .execute()
      const { length } = await of(trx, keeper).select("name").execute()
      if (length > MAX_PROMPTS)
        throw new AppError("conflict", { message: `there are ${MAX_PROMPTS} prompts already: delete one first` })
    })
    return { name: row.name, text: row.text, updated_at: row.updated_at }
  }

  /** @throws AppError not_found, also for one of somebody else */
  async delete(keeper: Keeper, name: string): Promise<void> {
    const { numDeletedRows } = await this.database
      .deleteFrom("saved_prompts")
      .where(keptBy(keeper))
      .where("name", "=", name)
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw new AppError("not_found", { message: "there is no such prompt" })
  }
}

const of = (database: Database | Trx, keeper: Keeper) => database.selectFrom("saved_prompts").where(keptBy(keeper))
