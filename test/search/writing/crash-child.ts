/**
 * One life of the index, for `crash.test.ts`: puts, replaces and removes files, and dies by SIGKILL when the planned
 * point is passed for the n-th time. Arguments: data directory, point, n.
 */
import { TestLibrary } from "../library.ts"

const [directory = "", point = "", nth = "1"] = process.argv.slice(2)
let passed = 0
const library = await TestLibrary.open({
  directory,
  reached: name => {
    if (name === point && ++passed === Number(nth)) process.kill(process.pid, "SIGKILL")
  },
})
await library.put("file_one", "The heron stands in the water.\nIt waits for fish.")
await library.put("file_two", "The otter swims by night.\nIt sleeps by day.")
await library.put("file_one", "The heron flew away at noon.\nThe pond is empty.\nNothing moves.")
await library.index.sweep()
await library.remove("file_two")
await library.index.sweep()
await library.put("file_three", "The kingfisher dives.")
await library.close()
process.exit(0)
