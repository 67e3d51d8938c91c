/**
 * Following work that another node does: its own stream while it can be reached, what it has stored while it cannot. Events
 * have the same numbers in both, so that a reader never sees one twice nor misses one, whichever it gets.
 */
import { log } from "../log.ts"
import { pause } from "../threads/or-abort.ts"
import type { Peer, Peers } from "./peers.ts"

/** How often the rows of a node that is not reached are looked at: as often as it stores what it has written. */
const LOOK_MS = 350

/** What the rows of some work say. */
export interface StoredWork<Event> {
  /** Those after the number that was asked for. */
  events: Event[]
  /** The last event is among those, or the reader has it. */
  isOver: boolean
  /** Who goes on with it, where it is alive and says how it is reached. */
  owner: Peer | undefined
}

export interface FollowedWork<Event extends { id: number }> {
  /** Where its owner streams the events after a number. */
  target(after: number): string
  /** An event as it came over the wire. */
  read(value: unknown): Event
  /** No event comes after this one. */
  isLast(event: Event): boolean
  /** What is stored; ends work that was given up. */
  stored(after: number): Promise<StoredWork<Event>>
}

/** @param owner who does the work, if it is known already */
export async function* followOverNodes<Event extends { id: number }>(
  work: FollowedWork<Event>,
  owner: Peer | undefined,
  peers: Peers,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Event, void> {
  let last = after
  let peer = owner
  while (!signal.aborted) {
    if (peer && peers.isReached(peer)) {
      try {
        for await (const value of peers.stream(peer, work.target(last), signal)) {
          const event = work.read(value)
          last = event.id
          yield event
          if (work.isLast(event)) return
        }
      } catch (error) {
        log.debug("a node that does what is followed is not reached", { node: peer.id, error: String(error) })
      }
    }
    if (signal.aborted) return
    const stored = await work.stored(last)
    for (const event of stored.events) {
      last = event.id
      yield event
    }
    if (stored.isOver) return
    peer = stored.owner
    await pause(LOOK_MS, signal).catch(() => {})
  }
}
