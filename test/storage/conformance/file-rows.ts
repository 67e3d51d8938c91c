/** Rows of files for tests that need no more of them. */
import { ensureWorkspace } from "../../../src/access/keys.ts"
import { foldName } from "../../../src/library/labels.ts"
import type { Database } from "../../../src/storage/database.ts"
import type { FilesTable } from "../../../src/storage/files.ts"

/** A searchable one of the default workspace. */
export async function addFile(database: Database, id: string, more: Partial<FilesTable> = {}): Promise<void> {
  const workspaceId = await ensureWorkspace(database)
  const [name, at] = [`${id}.txt`, new Date().toISOString()]
  await database
    .insertInto("files")
    .values({
      ...{ id, workspace_id: workspaceId, name, name_folded: foldName(name), type: "txt", mime_type: "text/plain" },
      ...{ size: 1, sha256: "", status: "searchable", stage: null, progress: 1, error_code: null, error_message: null },
      ...{ warnings: "[]", attempts: 1, page_count: null, ocr_page_count: 0, chunk_count: 1, character_count: 1 },
      ...{ context_id: null, tags: "[]", metadata: "{}", created_at: at, updated_at: at, indexed_at: at, blob: id },
      ...{ generation: 1, live_generation: 1, live_blob: id },
      ...more,
    })
    .execute()
}
