/** Files whose content came back under another key: they stay what they are, under that key and its name. */
import { basename } from "node:path/posix"
import { sql } from "kysely"
import { keepHeld } from "../governance/holds/refuse.ts"
import { foldName } from "../library/labels.ts"
import type { Database, Trx } from "../storage/database.ts"
import type { Entry } from "./connector.ts"
import type { SourceRow } from "./source.ts"

export interface Move {
  from: string
  to: Entry
}

const AT_ONCE = 250

/**
 * The entries that they move to were noted before; those that they leave are forgotten by whoever notes what is gone.
 * @param note in each transaction, with the number of files that it moves; it ends the transaction by throwing
 */
export async function moveFiles(
  database: Database,
  { id: sourceId, workspace_id: workspaceId }: Pick<SourceRow, "id" | "workspace_id">,
  moves: readonly Move[],
  note: (trx: Trx, files: number) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < moves.length; at += AT_ONCE)
    await database.transaction().execute(async trx => {
      const together = moves.slice(at, at + AT_ONCE)
      await note(trx, together.length)
      const keys = together.map(({ from }) => from)
      const moving = sql<boolean>`files.source_id = ${sourceId} and files.source_key in (${sql.join(keys)})`
      await keepHeld(trx, workspaceId, "files", moving)
      for (const move of together) await moveFile(trx, sourceId, move)
    })
}

async function moveFile(trx: Trx, sourceId: string, { from, to }: Move): Promise<void> {
  const name = to.name ?? basename(to.key)
  await trx
    .updateTable("files")
    .set({ source_key: to.key, name, name_folded: foldName(name), updated_at: new Date().toISOString() })
    .$if(to.url !== undefined, query => query.set({ url: to.url! }))
    .where("source_id", "=", sourceId)
    .where("source_key", "=", from)
    .execute()
  await trx
    .updateTable("source_entries")
    .set({ status: "taken", error_code: null, error_message: null })
    .where("source_id", "=", sourceId)
    .where("key", "=", to.key)
    .execute()
}
