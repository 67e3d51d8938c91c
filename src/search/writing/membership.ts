/** Who writes the same index: this process alone, or the nodes of a cluster. */
import { newId } from "../../id.ts"

export interface Membership {
  /** Id of this process, which no other ever has; another one where it was taken for dead and joined anew. */
  readonly node: string
  /** Of several nodes one at a time sweeps the index and completes it. */
  isLeader(): boolean
  /** Ids of nodes that live, this one included. */
  living(): Promise<ReadonlySet<string>>
}

/** Looks at the stores and changes nothing in them. */
export const onlooker = (): Membership => ({ node: "", isLeader: () => false, living: async () => new Set() })

/** At the start every other is dead. */
export function alone(): Membership {
  const node = newId("node")
  const living = new Set([node])
  return { node, isLeader: () => true, living: async () => living }
}
