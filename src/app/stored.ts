/** What rooms are given of what is stored, said once for one machine and for several. */
import type { JobQueue } from "../jobs/queue.ts"
import type { FileChanges } from "../library/changes.ts"
import type { Leadership } from "../nodes/leader.ts"
import type { Node } from "../nodes/nodes.ts"
import type { Peers } from "../nodes/peers.ts"
import type { Signatures } from "../nodes/signature.ts"
import type { OpenStore } from "../search/passage-store.ts"
import type { Blobs } from "../storage/blobs/blobs.ts"
import type { Database } from "../storage/database.ts"
import type { NodeRole } from "../storage/nodes.ts"
import type { StoreWatch } from "../storage/store-watch.ts"

export interface Stored {
  database: Database
  /** This process among those that share the database. */
  node: Node
  leader: Leadership
  blobs: Blobs
  /** Whether the engines of a cluster answer; undefined on one machine. */
  stores: StoreWatch | undefined
  queue: JobQueue
  changes: FileChanges
  /** What holds words and vectors. */
  passages: OpenStore
  /** Undefined on one machine. */
  cluster: ClusterParts | undefined
}

/** What only several machines have. */
export interface ClusterParts {
  role: NodeRole
  /** How nodes know each other, and the way to another one. */
  signatures: Signatures
  peers: Peers
  /** Gives back the place of deleted rows, and returns once nothing of those of before `time` is in a table. @returns whether that is so */
  vacuum(time: number): Promise<boolean>
  /** Gives up what nodes had under way that have ended; called each time that some have. */
  onDeaths(giveUp: () => Promise<unknown>): void
}
