/** Asks the database whether rows of what was removed are left; what answers to uploads tell of it is taken out of them. */
import type { Database } from "../../storage/database.ts"
import { forgetAnswersOf } from "../../storage/idempotency.ts"
import type { RemovalKind } from "../../storage/receipts.ts"
import { isPostgres } from "../../storage/words.ts"
import type { EmptiedStore, NotedRemoval } from "./store.ts"

/** Where each kind has its row. */
const TABLES = {
  conversation: "conversations",
  run: "agent_runs",
  response: "kept_answers",
  batch: "batches",
  batch_file: "batch_files",
} as const satisfies Partial<Record<RemovalKind, string>>

export class RemovedRows implements EmptiedStore {
  readonly names: readonly string[]

  constructor(private readonly database: Database) {
    this.names = [isPostgres(database) ? "database_rows" : "database"]
  }

  async gone(removals: readonly NotedRemoval[]): Promise<ReadonlySet<string>> {
    const gone = new Set<string>()
    const files = removals.filter(({ kind }) => kind === "file").map(({ resourceId }) => resourceId)
    await forgetAnswersOf(this.database, files)
    for (const [kind, some] of Map.groupBy(removals, ({ kind }) => kind)) {
      const left = await this.leftOf(kind, some)
      for (const { id } of some) if (!left.has(id)) gone.add(id)
    }
    return gone
  }

  private async leftOf(kind: RemovalKind, removals: readonly NotedRemoval[]): Promise<Set<string>> {
    if (kind === "end_user") return new Set() // what stood under the name is noted beside it
    return kind === "file" || kind === "version" ? this.filesLeft(removals) : this.rowsLeft(kind, removals)
  }

  private async rowsLeft(kind: keyof typeof TABLES, removals: readonly NotedRemoval[]): Promise<Set<string>> {
    const ids = removals.map(({ resourceId }) => resourceId)
    const rows = await this.database.selectFrom(TABLES[kind]).select("id").where("id", "in", ids).execute()
    const there = new Set(rows.map(({ id }) => id))
    return new Set(removals.filter(({ resourceId }) => there.has(resourceId)).map(({ id }) => id))
  }

  /** A generation has its row until no store holds passages of it. */
  private async filesLeft(removals: readonly NotedRemoval[]): Promise<Set<string>> {
    const ids = removals.map(({ resourceId }) => resourceId)
    const generations = await this.database
      .selectFrom("generations")
      .select(["file_id", "generation"])
      .where("file_id", "in", ids)
      .execute()
    const quoted = await this.database
      .selectFrom("message_files")
      .select("file_id")
      .where("file_id", "in", ids)
      .where(eb => eb.not(eb.exists(eb.selectFrom("files").select("id").whereRef("files.id", "=", "file_id"))))
      .execute()
    const isQuoted = new Set(quoted.map(({ file_id }) => file_id))
    const left = removals.filter(
      ({ kind, resourceId, traces }) =>
        (kind === "file" && isQuoted.has(resourceId)) ||
        generations.some(
          ({ file_id, generation }) =>
            file_id === resourceId && (kind === "file" || generation <= (traces.generation ?? 0)),
        ),
    )
    return new Set(left.map(({ id }) => id))
  }
}
