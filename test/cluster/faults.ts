/** What goes wrong with a cluster: begun, and ended again, while clients go on. */
import type { EngineName } from "../support/cluster-engines.ts"
import type { ClusterStorm } from "./cluster-storm.ts"

export interface Fault {
  name: string
  begin(storm: ClusterStorm): Promise<void> | void
  /** What nobody but an operator mends; nodes that ended are started without it. */
  end?(storm: ClusterStorm): Promise<void> | void
  /** Before it ends. */
  lastsMs: number
  /** Takes libfaketime. */
  clock?: boolean
}

/** Long enough for a node to be declared dead (15 s) and for one that is cut off to end its work (10 s). */
const LONG_MS = 20_000
const SHORT_MS = 4_000

const nodeKilled: Fault = {
  name: "a node is killed",
  begin: ({ nodes }) => nodes[0]!.kill(),
  lastsMs: SHORT_MS,
}

const allKilled: Fault = {
  name: "all nodes are killed at once",
  async begin({ nodes }) {
    await Promise.all(nodes.map(node => node.kill()))
  },
  lastsMs: 0,
}

const nodeHangs: Fault = {
  name: "a node hangs until it is declared dead, and goes on then",
  begin: ({ nodes }) => nodes[1]!.signal("SIGSTOP"),
  end: ({ nodes }) => nodes[1]!.signal("SIGCONT"),
  lastsMs: LONG_MS,
}

const cut = (from: "n1" | "n2", to: EngineName | "n3", lastsMs: number): Fault => ({
  name: `the link between ${from} and ${to} is cut for ${lastsMs / 1000} s`,
  begin: ({ cluster }) => cluster.network.cut(from, to),
  end: ({ cluster }) => cluster.network.mend(from, to),
  lastsMs,
})

const engineKilled = (name: EngineName): Fault => ({
  name: `${name} is killed`,
  begin: ({ cluster }) => cluster.engines.kill(name),
  end: ({ cluster }) => cluster.engines.startAgain(name),
  lastsMs: SHORT_MS,
})

/**
 * SeaweedFS's index of names keeps the error of a write that found the disk full, and refuses all further ones, long after
 * there is room again (seen for three minutes): an operator starts it anew.
 */
const diskFull = (name: "postgres" | "storage"): Fault => {
  let empty = () => {}
  return {
    name: `the disk of ${name} is full`,
    begin: ({ cluster }) => {
      empty = cluster.engines.fillDisk(name)
    },
    async end({ cluster }) {
      empty()
      if (name === "storage") await cluster.engines.kill(name)
      if (!cluster.engines.isAlive(name)) await cluster.engines.startAgain(name)
    },
    lastsMs: SHORT_MS,
  }
}

const clockSteps = (seconds: number): Fault => ({
  name: `the clock of a node steps by ${seconds} s`,
  begin: ({ nodes }) => nodes[2]!.stepClock(seconds),
  end: ({ nodes }) => nodes[2]!.stepClock(0),
  lastsMs: SHORT_MS,
  clock: true,
})

export const NODE_FAULTS: Fault[] = [
  nodeKilled,
  nodeHangs,
  cut("n1", "n3", SHORT_MS),
  cut("n2", "postgres", LONG_MS),
  cut("n1", "storage", SHORT_MS),
  cut("n1", "opensearch", SHORT_MS),
  clockSteps(3_600),
  clockSteps(-3_600),
  allKilled,
]

export const ENGINE_FAULTS: Fault[] = [
  engineKilled("postgres"),
  engineKilled("storage"),
  engineKilled("opensearch"),
  diskFull("postgres"),
  diskFull("storage"),
]
