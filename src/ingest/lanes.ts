/** How many files are indexed at the same time, in each lane. */
import type { JobWorkerOptions } from "../jobs/worker.ts"
import { type IndexFileDependencies, indexAlone } from "./index-file.ts"
import { indexGroup } from "./index-group.ts"

/** Small files that are written together: beyond this, a group gains little, and its first file waits longer. */
const GROUP = 64
/** One group is read while another one is written. */
const GROUPS = 2
/** A small file that takes longer, on a machine that is busy as well, is not quick. */
export const QUICK_READ_MS = 5_000
/** Parsers leak; what small files leave is little, and a reader takes as long to start as a hundred of them to read. */
export const QUICK_FILES_PER_READER = 2_000

export const indexingLanes = (workers: number, dependencies: IndexFileDependencies): JobWorkerOptions["lanes"] => ({
  quick: { concurrency: GROUPS, group: GROUP, handle: indexGroup(dependencies) },
  ordinary: { concurrency: workers, group: 1, handle: indexAlone(dependencies) },
})
