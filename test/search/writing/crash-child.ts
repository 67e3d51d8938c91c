/** One life of the index, for `crash.test.ts`: puts, replaces and removes files, and dies at the planned point. */
import { plannedDeath } from "../../support/killed.ts"
import { TestLibrary } from "../library.ts"

const library = await TestLibrary.open(plannedDeath())
await library.put("file_one", "The heron stands in the water.\nIt waits for fish.")
await library.put("file_two", "The otter swims by night.\nIt sleeps by day.")
await library.put("file_one", "The heron flew away at noon.\nThe pond is empty.\nNothing moves.")
await library.index.sweep()
await library.remove("file_two")
await library.index.sweep()
await library.put("file_three", "The kingfisher dives.")
await library.close()
process.exit(0)
