/** The three engines of a cluster, each on a host of its own, that tests kill, start again, and whose disks they fill. */
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ClusterUrls, Engine } from "../../scripts/cluster/engine.ts"
import { ENGINES, lacks, missingPackages, start, startAgain, stop } from "../../scripts/cluster/index.ts"
import { isAlive } from "../../scripts/cluster/processes.ts"
import { StateFile } from "../../scripts/cluster/state.ts"
import { runTool } from "../../scripts/cluster/tools.ts"
import type { NetworkHost } from "./network.ts"
import { until } from "./until.ts"

export type EngineName = keyof typeof ENGINES
export const ENGINE_NAMES = Object.keys(ENGINES) as EngineName[]

/** Enough to begin with, so little that a test fills it at once. */
const DISK_MB = 512

export interface HostedEngines {
  urls: ClusterUrls
  /** SIGKILL to each of its processes, at once. */
  kill(name: EngineName): Promise<void>
  /** On what the killed one left behind. Resolves when its process lives, not yet when it answers. */
  startAgain(name: EngineName): Promise<void>
  isAlive(name: EngineName): boolean
  /** Leaves no byte free on its disk, and returns what gives them back. */
  fillDisk(name: EngineName): () => void
  remove(): Promise<void>
}

export type Engines = Readonly<Record<EngineName, Engine>>

/** Why they cannot run here, in words for a person; empty where they can. */
export const lacksEngines = (engines: Engines = ENGINES): string[] => [
  ...lacks(Object.values(engines)),
  ...missingPackages(Object.values(engines)).map(({ package: name }) => `${name} has not been fetched`),
]

export async function hostEngines(
  hosts: Readonly<Record<EngineName, NetworkHost>>,
  engines: Engines = ENGINES,
): Promise<HostedEngines> {
  const folder = mkdtempSync(join(tmpdir(), "carrel-hosted-"))
  const file = new StateFile(join(folder, "up.json"))
  const disk = (name: EngineName) => join(file.read()!.folder, name)
  const mounted = new Map<EngineName, string>()
  const withDisk = (name: EngineName) => ({
    ...hosts[name],
    prepare: async (path: string) => {
      await runTool(["mount", "-t", "tmpfs", "-o", `size=${DISK_MB}m,mode=755`, "tmpfs", path])
      mounted.set(name, path)
    },
  })
  const unmount = async () => {
    for (const path of mounted.values()) await runTool(["umount", "--lazy", path])
    mounted.clear()
  }
  const placed = { postgres: withDisk("postgres"), storage: withDisk("storage"), opensearch: hosts.opensearch }
  const urls = await start(file, { nodes: 1, engines, hosts: placed }).catch(async error => {
    await unmount()
    rmSync(folder, { recursive: true, force: true })
    throw error
  })
  const processes = (name: EngineName) => file.read()!.processes.filter(({ log }) => log.startsWith(disk(name)))
  return {
    urls,
    async kill(name) {
      for (const each of processes(name)) if (isAlive(each)) process.kill(each.pid, "SIGKILL")
      await until(() => !processes(name).some(isAlive))
    },
    async startAgain(name) {
      // What PostgreSQL's own children still hold keeps the next one from starting.
      await until(
        async () => {
          startAgain(file)
          await Bun.sleep(500)
          return processes(name).every(isAlive)
        },
        { everyMs: 500 },
      )
    },
    isAlive: name => processes(name).every(isAlive),
    fillDisk(name) {
      const ballast = join(disk(name), "ballast")
      const { bavail, bsize } = statfsSync(disk(name))
      writeUntilFull(ballast, bavail * bsize)
      return () => rmSync(ballast, { force: true })
    },
    async remove() {
      await unmount()
      await stop(file)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function writeUntilFull(path: string, bytes: number): void {
  const [block, file] = [Buffer.alloc(1 << 20), openSync(path, "w")]
  try {
    for (let left = bytes + block.length; left > 0; left -= block.length) writeSync(file, block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
  } finally {
    closeSync(file)
  }
}
