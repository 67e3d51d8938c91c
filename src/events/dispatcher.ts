/**
 * Sends events to the receivers of all webhooks that this node holds: one lane each, so that a slow receiver holds up no
 * other. A webhook is held by one node at a time, by a lease and the database's clock; what a former holder still sends is
 * at worst sent twice. Nothing of it is in memory alone: after a `kill -9` whoever takes the webhook goes on.
 */
import { sql } from "kysely"
import { canonicalJson } from "../canonical-json.ts"
import type { Egress } from "../egress/egress.ts"
import { log, Trouble } from "../log.ts"
import type { Node } from "../nodes/nodes.ts"
import type { Database } from "../storage/database.ts"
import type { WebhooksTable } from "../storage/events.ts"
import { isGivenUp } from "../storage/owners.ts"
import type { Sealer } from "../storage/sealed.ts"
import { timeOf } from "../storage/shared.ts"
import { pause } from "../threads/or-abort.ts"
import { type HolderViews, Lane } from "./lane.ts"
import type { Pulse } from "./pulse.ts"
import { Receiver } from "./receiver.ts"

/** Others may take a webhook so long after its last renewal. */
const LEASE_MS = 30_000
const RENEW_MS = 10_000
/** How often new, changed and free webhooks are looked for. */
const LOOK_MS = 1_000

export interface DispatcherOptions {
  database: Database
  node: Pick<Node, "id" | "isMember">
  egress: Pick<Egress, "connect">
  sealer: Sealer
  holders: HolderViews
  pulse: Pulse
}

interface Running {
  /** What of the webhook the lane goes by. */
  settings: string
  stop: AbortController
  ended: Promise<void>
}

export class Dispatcher {
  private readonly lanes = new Map<string, Running>()
  private readonly stopping = new AbortController()
  private readonly trouble = new Trouble({ begins: "webhooks cannot be looked for", ends: "webhooks are found again" })
  private running: Promise<void> | undefined
  private renewedAt = 0
  private woken = Promise.withResolvers<void>()

  constructor(private readonly options: DispatcherOptions) {}

  start(): void {
    this.running ??= this.run()
  }

  /** A webhook was made or changed here: it is looked at now. Other nodes notice a second later. */
  wake(): void {
    this.woken.resolve()
  }

  /** Lets go of what is under way: attempts that are cut off do not count. What was sent is noted. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error("the daemon stops"))
    await this.running
    const ids = [...this.lanes.keys()]
    await this.end(ids)
    const { database, node } = this.options
    if (ids.length > 0)
      await database
        .updateTable("webhooks")
        .set({ owner: null, lease_until: null })
        .where("owner", "=", node.id)
        .execute()
        .catch(() => {}) // it ends by itself
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      try {
        await this.look()
        this.trouble.clear()
      } catch (error) {
        this.trouble.note(error)
      }
      await Promise.race([pause(LOOK_MS, signal), this.woken.promise]).catch(() => {})
      this.woken = Promise.withResolvers()
    }
  }

  /** Takes what nobody holds, and has a lane for each webhook that is held, as it is now. */
  private async look(): Promise<void> {
    const { database, node } = this.options
    if (!node.isMember) return this.end([...this.lanes.keys()])
    await this.take()
    const held = await database
      .selectFrom("webhooks")
      .selectAll()
      .where("status", "=", "active")
      .where("owner", "=", node.id)
      .execute()
    const settings = new Map(held.map(webhook => [webhook.id, settingsOf(webhook, node.id)]))
    await this.end([...this.lanes].filter(([id, lane]) => settings.get(id) !== lane.settings).map(([id]) => id))
    for (const webhook of held) if (!this.lanes.has(webhook.id)) this.begin(webhook, node.id, settings.get(webhook.id)!)
  }

  /** Writes only where there is something to take, or the leases are to be renewed. */
  private async take(): Promise<void> {
    const { database, node } = this.options
    const free = await database.selectFrom("webhooks").select("id").where(isFree(database)).limit(1).executeTakeFirst()
    const isTime = this.lanes.size > 0 && performance.now() - this.renewedAt > RENEW_MS
    if (!free && !isTime) return
    this.renewedAt = performance.now()
    await database
      .updateTable("webhooks")
      .set({ owner: node.id, lease_until: timeOf(database, LEASE_MS) })
      .where(isFree(database, node.id))
      .execute()
  }

  private begin(webhook: WebhooksTable, owner: string, settings: string): void {
    const { database, egress, sealer, holders, pulse } = this.options
    const stop = new AbortController()
    let receiver: Receiver
    try {
      receiver = new Receiver({ url: webhook.url, secrets: secretsOf(webhook, sealer), egress })
    } catch (error) {
      log.error("a webhook cannot be sent to", { webhook_id: webhook.id, error })
      // Held all the same, and tried again when it is changed: each look would find and say the same.
      this.lanes.set(webhook.id, { settings, stop, ended: Promise.resolve() })
      return
    }
    const lane = new Lane({ database, webhook, owner, receiver, pulse, holders })
    const ended = lane.run(stop.signal).finally(() => {
      if (this.lanes.get(webhook.id)?.stop === stop) this.lanes.delete(webhook.id)
    })
    this.lanes.set(webhook.id, { settings, stop, ended })
  }

  private async end(ids: readonly string[]): Promise<void> {
    const ending = ids.flatMap(id => this.lanes.get(id) ?? [])
    for (const id of ids) this.lanes.delete(id)
    for (const { stop } of ending) stop.abort(new Error("this node no longer sends to it so"))
    await Promise.all(ending.map(({ ended }) => ended))
  }
}

/** Held by nobody; with the id of a node, or by it. */
const isFree = (database: Database, own?: string) =>
  sql<boolean>`status = 'active' and (${own === undefined ? sql`1 = 0` : sql`owner = ${own}`} or owner is null
    or lease_until < ${timeOf(database)} or ${isGivenUp("webhooks.owner")})`

/** What a lane goes by; it begins anew where that changes. A former secret signs no longer than it may. */
const settingsOf = ({ url, types, secret, former_secret, former_until, view, holder }: WebhooksTable, owner: string) =>
  canonicalJson([url, types, secret, isCurrent(former_until) ? former_secret : null, view, holder, owner])

const isCurrent = (until: string | null): boolean => until !== null && Date.parse(until) > Date.now()

export function secretsOf(webhook: WebhooksTable, sealer: Sealer): string[] {
  const { id, secret, former_secret: former, former_until: until } = webhook
  return [secret, ...(former && isCurrent(until) ? [former] : [])].map(sealed => sealer.open(sealed, id))
}
