/** One life of a library with two tiers, for `upgrade-crash.test.ts`: it dies at the planned point of an upgrade. */
import { plannedDeath } from "../../support/killed.ts"
import { until } from "../../support/until.ts"
import { TestLibrary, wordEmbedder } from "../library.ts"

const library = await TestLibrary.open({ quality: wordEmbedder("test/quality", 32), ...plannedDeath() })
const upgraded = (passages: number) =>
  until(async () => (await library.index.stats()).vectors.quality?.count === passages, { everyMs: 20 })
await library.put("file_one", "The heron stands in the water.\nIt waits for fish.")
await upgraded(2)
await library.put("file_two", "The otter swims by night.\nIt sleeps by day.")
await library.remove("file_one")
await library.index.sweep()
await upgraded(2)
await library.close()
process.exit(0)
