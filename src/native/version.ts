/** Which Carrel this is. */
import { version } from "../../package.json" with { type: "json" }
import { commit } from "./embedded.ts"

export const VERSION = version

/** `0.1.0 (a1b2c3d4e5f6)` for a built executable, `0.1.0 (source)` otherwise. */
export const VERSION_LINE = `${version} (${commit ?? "source"})`
