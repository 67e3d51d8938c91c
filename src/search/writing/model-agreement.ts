/** Says where a node is configured with another embedding model than the others: whichever leads changes the library to its own. */
import { log } from "../../log.ts"
import type { VectorModels } from "../vector/vector-models.ts"
import type { Membership } from "./membership.ts"

type Models = Pick<VectorModels, "tiers" | "recorded" | "configured" | "outdated">

/** To be asked at the start of a node of a cluster. A node that starts alone has been given another model on purpose. */
export async function warnOfOtherModel(models: Models, members: Membership): Promise<void> {
  if ((await members.living()).size < 2) return
  for (const tier of models.tiers) {
    if (!(await models.outdated(tier))) continue
    const [recorded, configured] = [await models.recorded(tier), await models.configured(tier)]
    log.warn(
      "this node has another embedding model than the library: whichever node leads changes the library to its own. Give every node the same --embedding-model",
      { tier, library: recorded?.model, node: configured?.model },
    )
  }
}
