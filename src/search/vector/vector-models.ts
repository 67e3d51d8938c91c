/** Which tables of vectors serve, one of each tier, and the models that made them. The tables are rows of the database. */
import type { Embedder } from "../../backends/backend.ts"
import type { Tier } from "../../storage/chunk-tables.ts"
import type { Database } from "../../storage/database.ts"
import { recordedVectors } from "./recorded.ts"

/** The table of a tier that serves, and the model that made it. */
export interface ServingModel {
  tier: Tier
  table: string
  embedder: Embedder
}

export interface VectorModelsOptions {
  db: Database
  /** Those in use, the one first whose vectors are made while a file is indexed. The tables of others lie untouched. */
  tiers: readonly Tier[]
  /** The configured model of a tier; undefined when there is none. Rejects when it cannot be loaded. */
  configured: (tier: Tier) => Promise<Embedder | undefined>
  /** Opens another model by the name under which its vectors are recorded, to serve while they are being replaced. */
  embedderNamed: (model: string) => Promise<Embedder | undefined>
  /** Other processes may put another table in the place of the one that serves. */
  isShared?: boolean
}

export class VectorModels {
  readonly tiers: readonly Tier[]
  readonly configured: (tier: Tier) => Promise<Embedder | undefined>
  private readonly db: Database
  private readonly serving = new Map<Tier, Promise<ServingModel | undefined>>()
  private readonly former = new Map<string, Promise<Embedder | undefined>>()

  constructor(private readonly options: VectorModelsOptions) {
    this.db = options.db
    this.tiers = options.tiers
    this.configured = options.configured
  }

  /** The tier whose vectors are made while a file is indexed. */
  get inline(): Tier {
    return this.tiers[0]!
  }

  /**
   * The model of a tier that serves queries and indexing now: the recorded one, or the configured one of a tier without
   * vectors. Undefined where the tier is not in use or has no model, or none that fits the recorded vectors. Throws when a
   * model cannot load.
   */
  async model(tier: Tier): Promise<ServingModel | undefined> {
    if (!this.tiers.includes(tier)) return undefined
    if (this.options.isShared) return this.choose(tier)
    const known = this.serving.get(tier)
    if (known) return known
    const chosen = this.choose(tier)
    this.serving.set(tier, chosen)
    chosen.catch(() => this.serving.delete(tier)) // another try at the next call
    return chosen
  }

  /** From here on `model` of its tier is this one. */
  serve(model: ServingModel): void {
    this.serving.set(model.tier, Promise.resolve(model))
  }

  /** True when the recorded vectors of a tier were made by another model than the configured one. */
  async outdated(tier: Tier): Promise<boolean> {
    const [recorded, configured] = await Promise.all([this.recorded(tier), this.configured(tier)])
    return Boolean(recorded && configured && !fits(recorded, configured))
  }

  /** The row of the table of a tier that serves. */
  recorded(tier: Tier) {
    return recordedVectors(this.db, tier)
  }

  /** Rows of all tables, also of tiers that are not in use. */
  tables() {
    return this.db.selectFrom("vector_tables").selectAll().orderBy("name").execute()
  }

  /** Dimensions of a table's vectors. */
  async dimensionsOf(table: string): Promise<number> {
    const row = (await this.tables()).find(({ name }) => name === table)
    if (!row) throw new Error(`no table of vectors is called ${table}`)
    return row.dimensions
  }

  /** The table that is filled to replace the one of a tier that serves: one begun before for the same model, or a new one. */
  async tableToFill(tier: Tier, embedder: Embedder): Promise<string> {
    const begun = await this.begun(tier, embedder)
    if (begun) return begun
    const row = newRow(tier, embedder, "building")
    await this.db.insertInto("vector_tables").values(row).execute()
    return row.name
  }

  /** Makes a table the one of its tier that serves, in the records. */
  async replaceBy(table: string): Promise<void> {
    await this.db.transaction().execute(async trx => {
      const { tier } = await trx
        .selectFrom("vector_tables")
        .select("tier")
        .where("name", "=", table)
        .executeTakeFirstOrThrow()
      await trx
        .updateTable("vector_tables")
        .set({ state: "dead" })
        .where("state", "=", "live")
        .where("tier", "=", tier)
        .execute()
      await trx.updateTable("vector_tables").set({ state: "live" }).where("name", "=", table).execute()
    })
  }

  async forget(table: string): Promise<void> {
    await this.db.deleteFrom("vector_tables").where("name", "=", table).execute()
  }

  private async choose(tier: Tier): Promise<ServingModel | undefined> {
    const recorded = await this.recorded(tier)
    const configured = await this.configured(tier)
    if (recorded && configured && fits(recorded, configured))
      return { tier, table: recorded.name, embedder: configured }
    if (!recorded) return configured && this.beginWith(tier, configured)
    const former = await this.formerModel(recorded.model)
    return former && fits(recorded, former) ? { tier, table: recorded.name, embedder: former } : undefined
  }

  /** Records the model of a tier's first vectors. Of nodes that do so at once one is heard. */
  private async beginWith(tier: Tier, embedder: Embedder): Promise<ServingModel | undefined> {
    const begun = await this.begun(tier, embedder)
    if (begun) await this.replaceBy(begun)
    else
      await this.db
        .insertInto("vector_tables")
        .values(newRow(tier, embedder, "live"))
        .onConflict(conflict => conflict.doNothing())
        .execute()
    return (await this.recorded(tier)) && this.choose(tier)
  }

  /** A table that is being filled with vectors of the model; those begun for others are given up. */
  private async begun(tier: Tier, embedder: Embedder): Promise<string | undefined> {
    const building = (await this.tables()).filter(row => row.tier === tier && row.state === "building")
    const others = building.filter(row => !fits(row, embedder)).map(({ name }) => name)
    if (others.length > 0)
      await this.db.updateTable("vector_tables").set({ state: "dead" }).where("name", "in", others).execute()
    return building.find(row => fits(row, embedder))?.name
  }

  /** Opened once; tried again when that failed. */
  private formerModel(name: string): Promise<Embedder | undefined> {
    const known = this.former.get(name)
    if (known) return known
    const opened = this.options.embedderNamed(name).catch(() => undefined)
    this.former.set(name, opened)
    void opened.then(embedder => embedder ?? this.former.delete(name))
    return opened
  }
}

const newRow = (tier: Tier, { model, dimensions }: Embedder, state: "live" | "building") => ({
  name: `vectors_${Date.now().toString(36)}_${tier}`,
  tier,
  model,
  dimensions,
  state,
})

const fits = (table: { model: string; dimensions: number }, embedder: Embedder): boolean =>
  table.model === embedder.model && table.dimensions === embedder.dimensions
