/** What the rooms say of their stores, so that a receipt can say it of all of them. */
import type { RemovalKind, Traces } from "../../storage/receipts.ts"

/** Something removed, as it was noted. */
export interface NotedRemoval {
  /** Of the note. */
  id: string
  kind: RemovalKind
  resourceId: string
  traces: Traces
}

/** A receipt that is to be written: of what it is about no row and no stored bytes are left. */
export interface ReadyReceipt {
  id: string
  createdAt: number
  /** When that was seen, in milliseconds since 1970. */
  clearedAt: number
  kinds: ReadonlySet<RemovalKind>
  /** Time of the oldest thing that was removed, as its id tells it. */
  oldestAt: number
}

/** Stores that are asked for each thing. */
export interface EmptiedStore {
  /** As receipts name what it is made of. */
  readonly names: readonly string[]
  /** Removes what is left. @returns notes of which nothing was left before */
  gone(removals: readonly NotedRemoval[]): Promise<ReadonlySet<string>>
}

/** Stores whose files hold what was removed until they are written anew. */
export interface ShedStore {
  readonly names: readonly string[]
  /** Sees to it that what was removed leaves. @returns whether it has */
  hasShed(receipt: ReadyReceipt): Promise<boolean>
}
