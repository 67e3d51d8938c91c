/** Which table of vectors serves, and the model that made it. The tables are rows of the database. */
import type { Embedder } from "../../backends/backend.ts"
import type { Database } from "../../storage/database.ts"
import { recordedVectors } from "./recorded.ts"

/** The table that serves, and the model that made it. */
export interface ServingModel {
  table: string
  embedder: Embedder
}

export interface VectorModelsOptions {
  db: Database
  /** The configured model; undefined when there is none. Rejects when it cannot be loaded. */
  configured: () => Promise<Embedder | undefined>
  /** Opens another model by the name under which its vectors are recorded, to serve while they are being replaced. */
  embedderNamed: (model: string) => Promise<Embedder | undefined>
  /** Other processes may put another table in the place of the one that serves. */
  isShared?: boolean
}

export class VectorModels {
  readonly configured: () => Promise<Embedder | undefined>
  private readonly db: Database
  private serving: Promise<ServingModel | undefined> | undefined
  private readonly former = new Map<string, Promise<Embedder | undefined>>()

  constructor(private readonly options: VectorModelsOptions) {
    this.db = options.db
    this.configured = options.configured
  }

  /**
   * The model that serves queries and indexing now: the recorded one, or the configured one of a library without
   * vectors. Undefined when there is no model, or none that fits the recorded vectors. Throws when a model cannot load.
   */
  model(): Promise<ServingModel | undefined> {
    if (this.options.isShared) return this.choose()
    this.serving ??= this.choose()
    this.serving.catch(() => {
      this.serving = undefined // another try at the next call
    })
    return this.serving
  }

  /** From here on `model` is this one. */
  serve(model: ServingModel): void {
    this.serving = Promise.resolve(model)
  }

  /** True when the recorded vectors were made by another model than the configured one. */
  async outdated(): Promise<boolean> {
    const [recorded, configured] = await Promise.all([recordedVectors(this.db), this.configured()])
    return Boolean(recorded && configured && !fits(recorded, configured))
  }

  /** The row of the table that serves. */
  recorded() {
    return recordedVectors(this.db)
  }

  tables() {
    return this.db.selectFrom("vector_tables").selectAll().orderBy("name").execute()
  }

  /** Dimensions of a table's vectors. */
  async dimensionsOf(table: string): Promise<number> {
    const row = (await this.tables()).find(({ name }) => name === table)
    if (!row) throw new Error(`no table of vectors is called ${table}`)
    return row.dimensions
  }

  /** Records the vectors that shall replace others. */
  async newTable(embedder: Embedder): Promise<string> {
    const row = newRow(embedder, "building")
    await this.db.insertInto("vector_tables").values(row).execute()
    return row.name
  }

  /** Makes a table the one that serves, in the records. */
  async replaceBy(table: string): Promise<void> {
    await this.db.transaction().execute(async trx => {
      await trx.updateTable("vector_tables").set({ state: "dead" }).where("state", "=", "live").execute()
      await trx.updateTable("vector_tables").set({ state: "live" }).where("name", "=", table).execute()
    })
  }

  async forget(table: string): Promise<void> {
    await this.db.deleteFrom("vector_tables").where("name", "=", table).execute()
  }

  private async choose(): Promise<ServingModel | undefined> {
    const recorded = await recordedVectors(this.db)
    const configured = await this.configured()
    if (recorded && configured && fits(recorded, configured)) return { table: recorded.name, embedder: configured }
    if (!recorded) return configured && this.beginWith(configured)
    const former = await this.formerModel(recorded.model)
    return former && fits(recorded, former) ? { table: recorded.name, embedder: former } : undefined
  }

  /** Records the model of an installation's first vectors. Of nodes that do so at once one is heard. */
  private async beginWith(embedder: Embedder): Promise<ServingModel | undefined> {
    await this.db
      .insertInto("vector_tables")
      .values(newRow(embedder, "live"))
      .onConflict(conflict => conflict.doNothing())
      .execute()
    return (await this.recorded()) && this.choose()
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

const newRow = ({ model, dimensions }: Embedder, state: "live" | "building") => ({
  name: `vectors_${Date.now().toString(36)}`,
  model,
  dimensions,
  state,
})

const fits = (table: { model: string; dimensions: number }, embedder: Embedder): boolean =>
  table.model === embedder.model && table.dimensions === embedder.dimensions
