/**
 * One life of the quick lane, for `group-crash.test.ts`: indexes a group of new files, then a group in which one is
 * replaced, and dies at the planned point.
 */
import { plannedDeath } from "../support/killed.ts"
import { until } from "../support/until.ts"
import { FIRST, SECOND } from "./group-crash-files.ts"
import { SmallFiles } from "./small-files.ts"

const { directory, reached } = plannedDeath()
let committed = 0
const files = await SmallFiles.open({
  directory,
  reached: point => {
    if (point === "committed") committed++
    reached(point)
  },
})
for (const [at, texts] of [FIRST, SECOND].entries()) {
  await files.put(texts)
  if (texts === FIRST) files.start()
  await until(() => committed > at) // its jobs are gone before: a kill must not fall amid what is put next
}
await files.close()
process.exit(0)
