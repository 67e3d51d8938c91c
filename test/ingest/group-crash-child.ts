/**
 * One life of the quick lane, for `group-crash.test.ts`: indexes a group of new files, then a group in which one is
 * replaced, and dies by SIGKILL when the planned point is passed for the n-th time. Arguments: data directory, point, n.
 */

import { until } from "../support/until.ts"
import { FIRST, SECOND } from "./group-crash-files.ts"
import { SmallFiles } from "./small-files.ts"

const [directory = "", point = "", nth = "1"] = process.argv.slice(2)
let passed = 0
let committed = 0
const files = await SmallFiles.open({
  directory,
  reached: name => {
    if (name === "committed") committed++
    if (name === point && ++passed === Number(nth)) process.kill(process.pid, "SIGKILL")
  },
})
for (const [at, texts] of [FIRST, SECOND].entries()) {
  await files.put(texts)
  if (texts === FIRST) files.start()
  await until(() => committed > at) // its jobs are gone before: a kill must not fall amid what is put next
}
await files.close()
process.exit(0)
