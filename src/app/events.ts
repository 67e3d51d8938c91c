import { hostname } from "node:os"
import type { Config } from "../config.ts"
import { Dispatcher } from "../events/dispatcher.ts"
import { EventFeed } from "../events/feed.ts"
import { Pulse } from "../events/pulse.ts"
import { sweepEvents } from "../events/sweep.ts"
import { everyMinute, tellOfKeys, tellOfStorage } from "../events/watch.ts"
import { Webhooks } from "../events/webhooks.ts"
import { Sealer } from "../storage/sealed.ts"
import type { Access } from "./access.ts"
import type { Network } from "./network.ts"
import type { Storage } from "./storage.ts"

export type EventParts = Awaited<ReturnType<typeof openEvents>>

interface Needed {
  network: Pick<Network, "egress">
  storage: Pick<Storage, "database" | "leader" | "node" | "cluster" | "idempotency">
  access: Pick<Access, "holders">
}

/** What happened, for those who want to hear of it. The dispatcher is yet to be started. */
export async function openEvents(config: Config, { network, storage, access }: Needed, stack: AsyncDisposableStack) {
  const { database, leader, node, cluster, idempotency } = storage
  const { holders } = access
  const keptDays = config.events_kept_days
  const egress = network.egress.webhooks
  const sealer = await Sealer.of(database)
  const pulse = new Pulse(database)
  const dispatcher = new Dispatcher({ database, node, egress, sealer, holders, pulse })
  leader.whileLeader(signal => sweepEvents(database, keptDays, signal))
  leader.whileLeader(signal => everyMinute(() => tellOfKeys(database), signal))
  const disk = {
    id: cluster ? config.node_name || hostname() : "storage",
    directory: config.data,
    lowBytes: config.storage_low_mb * 2 ** 20,
  }
  const stopping = new AbortController()
  const watching = everyMinute(() => tellOfStorage(database, disk), stopping.signal)
  stack.defer(async () => {
    stopping.abort(new Error("the daemon stops"))
    await watching
  })
  return {
    feed: new EventFeed({ database, pulse, keptDays }),
    webhooks: new Webhooks({ database, egress, sealer, idempotency, wake: () => dispatcher.wake() }),
    dispatcher,
  }
}
