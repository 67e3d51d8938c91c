/** Gives the files of a source the context, the tags and the acl that it has now, some hundred at a time. */
import { sql } from "kysely"
import { keepHeldIds } from "../governance/holds/refuse.ts"
import type { Database } from "../storage/database.ts"
import { inOrder } from "../storage/shared.ts"

const PAGE = 500

/** Does nothing where nothing was changed. A second call goes on with the first one. */
export async function relabel(database: Database, sourceId: string, signal?: AbortSignal): Promise<void> {
  for (let after = ""; ; ) {
    signal?.throwIfAborted()
    const last = await database.transaction().execute(async trx => {
      const source = await trx.selectFrom("sources").selectAll().where("id", "=", sourceId).executeTakeFirst()
      if (!source?.relabel) return undefined
      await inOrder(trx, source.workspace_id)
      const files = await trx
        .selectFrom("files")
        .select(["id", "source_key"])
        .where("source_id", "=", sourceId)
        .where("source_key", ">", after)
        .orderBy("source_key")
        .limit(PAGE)
        .execute()
      const ids = files.map(({ id }) => id)
      const { context_id, tags, acl } = source
      await keepHeldIds(trx, source.workspace_id, "files", ids)
      if (ids.length > 0)
        await trx
          .updateTable("files")
          .set({ context_id, tags, acl, updated_at: new Date().toISOString() })
          .where("id", "in", ids)
          .where(
            sql<boolean>`(context_id is distinct from ${context_id} or tags <> ${tags} or acl is distinct from ${acl})`,
          )
          .execute()
      if (files.length === PAGE) return files.at(-1)!.source_key!
      await trx.updateTable("sources").set({ relabel: 0 }).where("id", "=", sourceId).execute()
      return undefined
    })
    if (last === undefined) return
    after = last
  }
}
