import manifest from "../../package.json" with { type: "json" }
import { commit } from "./embedded.ts"

/** Version of the product; an executable also names the commit it was built from: `0.1.0+1a2b3c4`. */
export const VERSION: string = commit ? `${manifest.version}+${commit}` : manifest.version
