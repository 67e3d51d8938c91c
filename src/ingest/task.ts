/** The job that turns a file's bytes into something searchable: who makes it, in which lane it goes, who does it. */
import type { NewJob } from "../jobs/queue.ts"
import type { JobWorkerOptions } from "../jobs/worker.ts"
import type { FilesTable } from "../storage/files.ts"
import { isQuick } from "./formats/formats.ts"
import { type IndexFileDependencies, indexAlone } from "./index-file.ts"
import { indexGroup } from "./index-group.ts"

/** Its subject is the file's id. */
export const INDEX_FILE = "index_file"

/** Some hundred passages at most, so that a group of such files is done within a second. */
const QUICK_BYTES = 64 * 1024
/** Small files that are written together: beyond this, a group gains little, and its first file waits longer. */
const GROUP = 64
/** One group is read while another one is written. */
const GROUPS = 2

/** Readers beyond one a worker: scans of one workspace may keep all of those for minutes, and another has one letter. */
export const GUESTS = 1

/** The job of a file that waits to be indexed. */
export const indexJob = (file: Pick<FilesTable, "id" | "workspace_id" | "type" | "size">): NewJob => ({
  task: INDEX_FILE,
  subject: file.id,
  workspaceId: file.workspace_id,
  lane: isQuickJob(file) ? "quick" : "ordinary",
})

/** Whether the file is read together with others, in no time. */
export const isQuickJob = ({ type, size }: Pick<FilesTable, "type" | "size">): boolean =>
  isQuick(type) && size <= QUICK_BYTES

/** How many files are indexed at the same time, in each lane. */
export const indexingLanes = (workers: number, dependencies: IndexFileDependencies): JobWorkerOptions["lanes"] => ({
  quick: { concurrency: GROUPS, group: GROUP, handle: indexGroup(dependencies) },
  ordinary: { concurrency: workers, guests: GUESTS, group: 1, handle: indexAlone(dependencies) },
})
