/** One life of a node, for `crash.test.ts`: puts, replaces and removes files, and dies at the planned point. */

import { plannedDeath } from "../../support/killed.ts"
import { TestLibrary } from "../library.ts"
import { storeAt } from "./store.ts"

const address = JSON.parse(Bun.env.CARREL_TEST_ADDRESS!)
const { directory, reached } = plannedDeath()
const prefix = `${address.prefix}-${Bun.hash(directory).toString(36)}`
const library = await TestLibrary.open({ directory, reached, store: storeAt({ ...address, prefix }) })
await library.put("file_one", "The heron stands in the water.\nIt waits for fish.")
await library.put("file_two", "The otter swims by night.\nIt sleeps by day.")
await library.remove("file_two")
await library.index.sweep()
await library.close()
process.exit(0)
