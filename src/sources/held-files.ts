/** Files of a source that a hold keeps as they are, though their entries have changed. */
import { heldAmong } from "../governance/holds/refuse.ts"
import type { Database } from "../storage/database.ts"
import type { SourceRow } from "./source.ts"

/** What a held entry is refused with. */
export const KEPT = "it has changed at its source; a hold keeps the version that is here"

/** Of the entries, with the sha256 of what is brought, those whose files may not be replaced. */
export async function heldEntries(
  database: Database,
  { id, workspace_id }: Pick<SourceRow, "id" | "workspace_id">,
  brought: ReadonlyMap<string, string>,
): Promise<Set<string>> {
  const files = await database
    .selectFrom("files")
    .select(["id", "source_key", "sha256"])
    .where("source_id", "=", id)
    .where("source_key", "in", [...brought.keys()])
    .execute()
  const changed = files.filter(({ source_key, sha256 }) => brought.get(source_key!) !== sha256)
  const ids = changed.map(file => file.id)
  const held = await heldAmong(database, workspace_id, "files", ids)
  return new Set(changed.flatMap(file => (held.has(file.id) ? file.source_key! : [])))
}
