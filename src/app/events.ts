import type { Config } from "../config.ts"
import { EventFeed } from "../events/feed.ts"
import { Pulse } from "../events/pulse.ts"
import { sweepEvents } from "../events/sweep.ts"
import type { Storage } from "./storage.ts"

export type EventParts = ReturnType<typeof openEvents>

/** What happened, for those who want to hear of it. */
export function openEvents(config: Config, { database, leader }: Pick<Storage, "database" | "leader">) {
  const keptDays = config.events_kept_days
  leader.whileLeader(signal => sweepEvents(database, keptDays, signal))
  return { feed: new EventFeed({ database, pulse: new Pulse(database), keptDays }) }
}
