/** Events of files. They name the file alone: its name and its metadata go with it when it is deleted. */
import type { Trx } from "../storage/database.ts"
import type { FilesTable } from "../storage/files.ts"
import { emit } from "./outbox.ts"
import type { FILE_EVENTS } from "./types.ts"

/** Columns that an event is made of. */
export const FILE_TO_TELL = ["id", "workspace_id", "context_id", "external_id", "acl"] as const
export type FileToTell = Pick<FilesTable, (typeof FILE_TO_TELL)[number]>

/** @param more of the data, such as why it failed */
export async function tellOfFiles(
  trx: Trx,
  type: (typeof FILE_EVENTS)[number],
  files: readonly FileToTell[],
  more: Record<string, unknown> = {},
): Promise<void> {
  for (const [workspaceId, its] of Map.groupBy(files, file => file.workspace_id))
    await emit(
      trx,
      workspaceId,
      its.map(({ id, context_id, external_id, acl }) => ({
        type,
        data: { id, context_id, external_id, ...more },
        seenBy: { context_id, acl },
      })),
    )
}
