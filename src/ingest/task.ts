import type { NewJob } from "../jobs/queue.ts"
import type { FilesTable } from "../storage/files.ts"
import { isQuick } from "./formats/formats.ts"

/** The job that turns a file's bytes into something searchable; its subject is the file's id. */
export const INDEX_FILE = "index_file"

/** Some hundred passages at most, so that a group of such files is done within a second. */
export const QUICK_BYTES = 64 * 1024

/** The job of a file that waits to be indexed. */
export const indexJob = (file: Pick<FilesTable, "id" | "workspace_id" | "type" | "size">): NewJob => ({
  task: INDEX_FILE,
  subject: file.id,
  workspaceId: file.workspace_id,
  lane: isQuick(file.type) && file.size <= QUICK_BYTES ? "quick" : "ordinary",
})
