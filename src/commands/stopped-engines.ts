/** The engines of a cluster whose nodes are stopped. */
import { type EngineStores, openEngineStores } from "../app/engines.ts"
import type { Config } from "../config.ts"
import type { EngineAddresses } from "../config-engines.ts"
import { OperatorError } from "../errors.ts"
import { livingNodes } from "../nodes/registry.ts"
import type { Database } from "../storage/database.ts"

/** @throws OperatorError while nodes use them */
export async function openStoppedEngines(
  engines: EngineAddresses,
  { data, disk_floor_mb }: Pick<Config, "data" | "disk_floor_mb">,
  stack: AsyncDisposableStack,
): Promise<EngineStores> {
  const scratch = { dataDirectory: data, floorBytes: disk_floor_mb * 2 ** 20 }
  const stores = await openEngineStores({ engines, scratch, isPatient: false }, stack)
  await refuseNodes(stores.database)
  return stores
}

/** @throws OperatorError naming the nodes that run */
export async function refuseNodes(database: Database): Promise<void> {
  const living = await livingNodes(database)
  if (living.length > 0)
    throw new OperatorError(`nodes of the cluster are running: ${living.map(({ name }) => name).join(", ")}`, {
      hint: "stop them first; one that was killed is forgotten after 15 seconds",
    })
}
