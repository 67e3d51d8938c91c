/**
 * Three nodes under load while engines fail: whatever was acknowledged holds afterwards, on every node alike. A failing run
 * prints its seed; `STORM_SEED` repeats it.
 */

import { ENGINE_FAULTS } from "./faults.ts"
import { stormWith } from "./storm-suite.ts"

await stormWith("engines", ENGINE_FAULTS)
