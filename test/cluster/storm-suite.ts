/** One cluster, one storm, one fault after the other, and after each every promise. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { CLUSTER_TIMEOUT_MS, type Cluster, lacksCluster, openCluster } from "../support/cluster.ts"
import { FAKETIME } from "../support/cluster-node.ts"
import { BUILD_TIMEOUT_MS, executableCommand } from "../support/executable.ts"
import { ClusterStorm } from "./cluster-storm.ts"
import type { Fault } from "./faults.ts"

const SEED = Number(Bun.env.STORM_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
/** Of undisturbed work before a fault, and after it. */
const CALM_MS = 2_000
const FAULT_TIMEOUT_MS = 400_000

export async function stormWith(what: string, faults: readonly Fault[]): Promise<void> {
  const reason = await lacksCluster()
  describe(`storm over ${what}`, () => suite(faults, reason))
}

function suite(faults: readonly Fault[], reason: string | undefined): void {
  let cluster: Cluster
  let storm: ClusterStorm

  beforeAll(async () => {
    if (reason !== undefined) return
    console.log(`storm seed ${SEED}`)
    const command = await executableCommand()
    cluster = await openCluster()
    storm = await ClusterStorm.open(cluster, command, SEED)
  }, CLUSTER_TIMEOUT_MS + BUILD_TIMEOUT_MS)
  afterAll(async () => {
    storm?.close()
    await cluster?.remove()
  }, CLUSTER_TIMEOUT_MS)

  for (const fault of faults)
    test.skipIf(reason !== undefined || (fault.clock === true && !FAKETIME))(
      `what was acknowledged holds when ${fault.name}`,
      async () => {
        storm.begin()
        await Bun.sleep(CALM_MS)
        await fault.begin(storm)
        await Bun.sleep(fault.lastsMs)
        await fault.end?.(storm)
        await Bun.sleep(CALM_MS)
        await storm.endAndVerify()
      },
      FAULT_TIMEOUT_MS,
    )

  test.skipIf(reason !== undefined)(
    "the stores agree at the end",
    async () => {
      const { out, err } = await storm.nodes[0]!.run("doctor", "--check", "--json")
      const { findings } = JSON.parse(out || `{"findings": [${JSON.stringify({ state: "problem", what: err })}]}`)
      const problems = findings.filter(
        ({ state, what: found }: { state: string; what: string }) =>
          state === "problem" && !["disk", "entity model"].includes(found),
      )
      expect(problems).toEqual([])
    },
    FAULT_TIMEOUT_MS,
  )
}
