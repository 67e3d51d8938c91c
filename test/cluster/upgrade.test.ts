/**
 * A rolling upgrade under load: the executable of this version is replaced by a later one, node after node, while clients go
 * on. What was acknowledged holds with both versions side by side and afterwards.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { CLUSTER_TIMEOUT_MS, type Cluster, lacksCluster, openCluster } from "../support/cluster.ts"
import { onServer } from "../support/engines.ts"
import { BUILD_TIMEOUT_MS, executableCommand } from "../support/executable.ts"
import { NEXT_VERSION, type NextVersion, nextVersion } from "../support/next-version.ts"
import { ClusterStorm } from "./cluster-storm.ts"

const reason = await lacksCluster()
const SEED = Number(Bun.env.STORM_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
const CALM_MS = 2_000
const STEP_TIMEOUT_MS = 400_000

describe.skipIf(reason !== undefined)("a rolling upgrade", () => {
  let cluster: Cluster
  let storm: ClusterStorm
  let next: NextVersion
  let old: string[]

  beforeAll(
    async () => {
      console.log(`storm seed ${SEED}`)
      old = await executableCommand()
      next = await nextVersion()
      cluster = await openCluster()
      storm = await ClusterStorm.open(cluster, old, SEED)
    },
    CLUSTER_TIMEOUT_MS + 2 * BUILD_TIMEOUT_MS,
  )
  afterAll(async () => {
    storm?.close()
    await cluster?.remove()
    if (next) rmSync(next.folder, { recursive: true, force: true })
  }, CLUSTER_TIMEOUT_MS)

  test(
    "begins with the tables, which the owner brings forward while the old nodes go on",
    async () => {
      storm.begin()
      await Bun.sleep(CALM_MS)
      const owner = { ...cluster.urls, database_url: cluster.ownerUrl }
      const command = cluster.node("n1", { command: next.command, urls: owner })
      const { code, err } = await command.run("keys", "list")
      expect(code, err).toBe(0)
      await Bun.sleep(CALM_MS)
      await storm.endAndVerify()
    },
    STEP_TIMEOUT_MS,
  )

  for (const [at, name] of ["first", "second", "third"].entries())
    test(
      `goes on with the ${name} node of the later version`,
      async () => {
        storm.begin()
        await Bun.sleep(CALM_MS)
        expect(await storm.nodes[at]!.stop()).toBe(0)
        await storm.replace(at, next.command)
        await Bun.sleep(CALM_MS)
        await storm.endAndVerify()
      },
      STEP_TIMEOUT_MS,
    )

  test(
    "lets an older node come back, until the later version raises what nodes agree on",
    async () => {
      const versions = await Promise.all(storm.nodes.map(node => node.run("version")))
      for (const { out } of versions) expect(out).toContain(NEXT_VERSION)
      await storm.nodes[0]!.stop()
      const older = cluster.node("n1", { command: old })
      await older.start()
      expect(await older.stop()).toBe(0)
      await onServer(cluster.ownerUrl, "update cluster set contract = contract + 1")
      older.launch()
      expect(await older.ended()).toBe(1)
      expect(await older.logEnd()).toContain("newer version")
    },
    STEP_TIMEOUT_MS,
  )
})
