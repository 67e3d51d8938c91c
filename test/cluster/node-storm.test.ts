/**
 * Three nodes under load while nodes fail: whatever was acknowledged holds afterwards, on every node alike. A failing run
 * prints its seed; `STORM_SEED` repeats it.
 */

import { NODE_FAULTS } from "./faults.ts"
import { stormWith } from "./storm-suite.ts"

await stormWith("nodes", NODE_FAULTS)
