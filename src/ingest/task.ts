import type { NewJob } from "../jobs/queue.ts"
import type { FilesTable } from "../storage/files.ts"

/** The job that turns a file's bytes into something searchable; its subject is the file's id. */
export const INDEX_FILE = "index_file"

/** Formats that take milliseconds when they are small. Not among them: whatever may hold scans, old binary formats, archives. */
const QUICK_TYPES = new Set("txt md json csv html sql yml yaml docx xlsx pptx odt ods odp rtf".split(" "))
/** Some hundred passages at most, so that a group of such files is done within a second. */
export const QUICK_BYTES = 64 * 1024

/** The job of a file that waits to be indexed. */
export const indexJob = (file: Pick<FilesTable, "id" | "workspace_id" | "type" | "size">): NewJob => ({
  task: INDEX_FILE,
  subject: file.id,
  workspaceId: file.workspace_id,
  lane: QUICK_TYPES.has(file.type) && file.size <= QUICK_BYTES ? "quick" : "ordinary",
})
