/** Files of a source that a hold keeps as they are, though their entries have changed or are gone. */
import { heldAmong } from "../governance/holds/refuse.ts"
import type { Database } from "../storage/database.ts"
import { filled, texts, words } from "../storage/words.ts"
import type { SourceRow } from "./source.ts"

/** What a held entry is refused with. */
export const KEPT = "it has changed at its source; a hold keeps the version that is here"

type Of = Pick<SourceRow, "id" | "workspace_id">

/** Of the keys those whose files may not be deleted. */
export const heldKeys = async (database: Database, source: Of, keys: readonly string[]): Promise<Set<string>> =>
  heldOf(database, source, await filesOf(database, source, keys))

/** Of the entries, with the sha256 of what is brought, those whose files may not be replaced. */
export async function heldEntries(
  database: Database,
  source: Of,
  brought: ReadonlyMap<string, string>,
): Promise<Set<string>> {
  const files = await filesOf(database, source, [...brought.keys()])
  const changed = files.filter(({ source_key, sha256 }) => brought.get(source_key!) !== sha256)
  return heldOf(database, source, changed)
}

interface EntryFile {
  id: string
  source_key: string | null
  sha256: string
}

const filesOf = (database: Database, { id }: Of, keys: readonly string[]): Promise<EntryFile[]> =>
  keys.length === 0
    ? Promise.resolve([])
    : database
        .selectFrom("files")
        .select(["id", "source_key", "sha256"])
        .where("source_id", "=", id)
        .where(filled<boolean>(words(database).among("source_key", "text"), texts(keys)))
        .execute()

async function heldOf(database: Database, { workspace_id }: Of, files: readonly EntryFile[]): Promise<Set<string>> {
  const ids = files.map(({ id }) => id)
  const held = await heldAmong(database, workspace_id, "files", ids)
  return new Set(files.flatMap(({ id, source_key }) => (held.has(id) ? source_key! : [])))
}
