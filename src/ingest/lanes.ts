/** How many files are indexed at the same time, in each lane. */
import type { JobWorkerOptions } from "../jobs/worker.ts"
import { type IndexFileDependencies, indexAlone } from "./index-file.ts"
import { indexGroup } from "./index-group.ts"

/** Small files that are written together: beyond this, a group gains little, and its first file waits longer. */
const GROUP = 64
/** One group is read while another one is written. */
const GROUPS = 2

export const indexingLanes = (workers: number, dependencies: IndexFileDependencies): JobWorkerOptions["lanes"] => ({
  quick: { concurrency: GROUPS, group: GROUP, handle: indexGroup(dependencies) },
  ordinary: { concurrency: workers, group: 1, handle: indexAlone(dependencies) },
})
