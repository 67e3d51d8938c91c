/** The webhooks of a workspace as its callers see them: each sees what `ownedBy` says, as with runs. */
import { randomBytes } from "node:crypto"
import { ownedBy, ownerColumns } from "../access/owner.ts"
import type { Principal } from "../access/principal.ts"
import type { View } from "../access/view.ts"
import type { Egress } from "../egress/egress.ts"
import { AppError, invalid } from "../errors.ts"
import { newId } from "../id.ts"
import type { Database, Trx } from "../storage/database.ts"
import type { DeliveryStatus, WebhookStatus, WebhooksTable } from "../storage/events.ts"
import { type Idempotency, type IdempotentRequest, note } from "../storage/idempotency.ts"
import type { Sealer } from "../storage/sealed.ts"
import { inOrder, timeOf } from "../storage/shared.ts"
import { secretsOf } from "./dispatcher.ts"
import { lastEvent } from "./feed.ts"
import { Receiver } from "./receiver.ts"
import { eventNamed, eventsSince, MAX_AGAIN, sendAgain } from "./redeliver.ts"
import type { EventType } from "./types.ts"
import { type Delivery, toDelivery, toRecord, type WebhookRecord } from "./webhook-record.ts"

export interface WebhookChange {
  url?: string
  types?: EventType[] | null
  description?: string
  status?: WebhookStatus
}

export interface NewWebhook extends Pick<WebhookChange, "types" | "description"> {
  url: string
  secret?: string
}

/** With the secret, which is shown to who made it alone. */
export type NewlyMade = WebhookRecord & { secret: string }

/** What is sent again: one event, or all from that time on. */
export type Again = { eventId: string } | { since: string }

export interface DeliveryListRequest {
  statuses?: DeliveryStatus[] | undefined
  page: number
  pageSize: number
}

/** Of a workspace. */
const MAX_WEBHOOKS = 50
const SECRET_BYTES = 32
/** By the standard. */
const SECRET = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/

export interface WebhooksDependencies {
  database: Database
  egress: Pick<Egress, "check" | "connect">
  sealer: Sealer
  /** The node that sends looks at once. */
  wake(): void
  idempotency: Idempotency
}

export class Webhooks {
  constructor(private readonly dependencies: WebhooksDependencies) {}

  /**
   * It hears of what happens from now on, as far as its maker sees it, and ends with the maker's access. A repetition is
   * answered with the webhook that the first request made, as it stands now.
   * @throws AppError invalid_request; forbidden for an address that may not be reached; conflict where there are too many,
   *   and for a key of another request
   */
  create(principal: Principal, asked: NewWebhook, repetition?: IdempotentRequest): Promise<NewlyMade> {
    return this.dependencies.idempotency.once(
      repetition,
      () => this.createNew(principal, asked, repetition),
      id => this.madeBefore(principal.view, id),
    )
  }

  private async createNew(
    principal: Principal,
    asked: NewWebhook,
    repetition: IdempotentRequest | undefined,
  ): Promise<NewlyMade> {
    const { database, sealer, wake } = this.dependencies
    const { view } = principal
    const { workspaceId } = view
    await this.checkUrl(asked.url)
    const secret = asked.secret === undefined ? newSecret() : checkSecret(asked.secret)
    const id = newId("whk")
    const row = await database.transaction().execute(async trx => {
      await inOrder(trx, workspaceId)
      await refuseMore(trx, workspaceId)
      if (repetition) await note(trx, repetition, id)
      const now = timeOf(trx)
      return trx
        .insertInto("webhooks")
        .values({
          ...{ id, workspace_id: workspaceId, url: asked.url, types: stored(asked.types) },
          ...{ description: asked.description ?? "", secret: sealer.seal(secret, id), status: "active" },
          ...belongsTo(principal),
          ...{ cursor: await lastEvent(trx, workspaceId), created_at: now, updated_at: now },
        })
        .returningAll()
        .executeTakeFirstOrThrow()
    })
    wake()
    return { ...toRecord(row), secret }
  }

  /** @throws AppError not_found */
  private async madeBefore(view: View, id: string): Promise<NewlyMade> {
    const row = await this.row(view, id)
    return { ...toRecord(row), secret: secretsOf(row, this.dependencies.sealer)[0]! }
  }

  /** Oldest first. */
  async list(view: View): Promise<WebhookRecord[]> {
    const rows = await this.dependencies.database
      .selectFrom("webhooks")
      .selectAll()
      .where(ownedBy(view, "webhooks"))
      .orderBy("id")
      .execute()
    return rows.map(toRecord)
  }

  /** @throws AppError not_found */
  async get(view: View, id: string): Promise<WebhookRecord> {
    return toRecord(await this.row(view, id))
  }

  /**
   * One that is enabled again belongs to who enabled it, and goes on where it stopped, with events that are kept.
   * @throws AppError not_found, invalid_request, forbidden
   */
  async change(principal: Principal, id: string, { url, types, description, status }: WebhookChange) {
    const { database, wake } = this.dependencies
    const former = await this.row(principal.view, id)
    if (url !== undefined) await this.checkUrl(url)
    const isEnabled = status === "active" && former.status === "disabled"
    const row = await database.transaction().execute(async trx => {
      if (isEnabled)
        await trx
          .updateTable("webhook_deliveries")
          .set({ attempts: 0, next_at: timeOf(trx), first_at: timeOf(trx) })
          .where("webhook_id", "=", id)
          .where("status", "=", "pending")
          .execute()
      return trx
        .updateTable("webhooks")
        .set({
          ...(url === undefined ? {} : { url }),
          ...(types === undefined ? {} : { types: stored(types) }),
          ...(description === undefined ? {} : { description }),
          ...(isEnabled ? { ...belongsTo(principal), status: "active", disabled_reason: null } : {}),
          ...(status === "disabled" && former.status === "active" ? DISABLED : {}),
          updated_at: timeOf(trx),
        })
        .where("id", "=", id)
        .where(ownedBy(principal.view, "webhooks"))
        .returningAll()
        .executeTakeFirst()
    })
    if (!row) throw new AppError("not_found")
    wake()
    return toRecord(row)
  }

  /** @throws AppError not_found */
  async delete(view: View, id: string): Promise<void> {
    const { database, wake } = this.dependencies
    const { numDeletedRows } = await database
      .deleteFrom("webhooks")
      .where("id", "=", id)
      .where(ownedBy(view, "webhooks"))
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw new AppError("not_found")
    wake()
  }

  /** A new secret; the former one signs too for so long. @throws AppError not_found */
  async rotate(view: View, id: string, graceSeconds: number): Promise<{ secret: string }> {
    const { database, sealer, wake } = this.dependencies
    const secret = newSecret()
    const { numUpdatedRows } = await database
      .updateTable("webhooks")
      .set(eb => ({
        secret: sealer.seal(secret, id),
        former_secret: eb.ref("secret"),
        former_until: timeOf(database, graceSeconds * 1_000),
        updated_at: timeOf(database),
      }))
      .where("id", "=", id)
      .where(ownedBy(view, "webhooks"))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new AppError("not_found")
    wake()
    return { secret }
  }

  /** Sends one message now, of the type `webhook.test`, whatever its state; nothing of it is kept. @throws AppError not_found */
  async test(view: View, id: string, signal: AbortSignal): Promise<Delivery> {
    const { egress, sealer } = this.dependencies
    const row = await this.row(view, id)
    const receiver = new Receiver({ url: row.url, secrets: secretsOf(row, sealer), egress })
    const eventId = newId("evt")
    const timestamp = new Date().toISOString()
    try {
      const body = JSON.stringify({ type: TEST, timestamp, data: { id } })
      const { statusCode, response, error, durationMs } = await receiver.send({ id: eventId, body }, signal)
      return {
        ...{ event_id: eventId, type: TEST, status: error === null ? "succeeded" : "failed", attempts: 1 },
        ...{ status_code: statusCode, response, error, duration_ms: durationMs },
        ...{ first_attempt_at: timestamp, last_attempt_at: timestamp, next_attempt_at: null },
      }
    } finally {
      receiver.close()
    }
  }

  /** Newest event first. @throws AppError not_found */
  async deliveries(view: View, id: string, { statuses, page, pageSize }: DeliveryListRequest) {
    await this.row(view, id)
    const query = this.dependencies.database
      .selectFrom("webhook_deliveries")
      .where("webhook_id", "=", id)
      .$if(statuses !== undefined, each => each.where("status", "in", statuses!))
    const { total } = await query.select(eb => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow()
    const rows = await query
      .selectAll()
      .orderBy("seq", "desc")
      .limit(pageSize)
      .offset((page - 1) * pageSize)
      .execute()
    return { data: rows.map(toDelivery), total: Number(total) }
  }

  /**
   * What it heard of, or could have, is sent once more, with as many attempts as at first.
   * @returns how many events that are
   * @throws AppError not_found, also for an event that it may not hear of; conflict while it is disabled; invalid_request
   *   for too many events
   */
  async redeliver(view: View, id: string, again: Again): Promise<number> {
    const { database, wake } = this.dependencies
    const webhook = await this.row(view, id)
    if (webhook.status === "disabled")
      throw new AppError("conflict", { message: "the webhook is disabled: enable it first" })
    const events =
      "eventId" in again
        ? await eventNamed(database, webhook, again.eventId)
        : await eventsSince(database, webhook, again.since)
    if ("eventId" in again && events.length === 0)
      throw new AppError("not_found", { message: "there is no such event that this webhook may hear of" })
    if (events.length > MAX_AGAIN)
      throw invalid("since", `is followed by more than ${MAX_AGAIN} events: name a later time`)
    await database.transaction().execute(trx => sendAgain(trx, id, events))
    wake()
    return events.length
  }

  /** Those of a workspace that were disabled, but not by somebody. */
  async givenUp(workspaceId: string): Promise<{ id: string; url: string; reason: string }[]> {
    const rows = await webhooksGivenUp(this.dependencies.database)
    return rows.filter(row => row.workspaceId === workspaceId).map(({ id, url, reason }) => ({ id, url, reason }))
  }

  private async row(view: View, id: string): Promise<WebhooksTable> {
    const row = await this.dependencies.database
      .selectFrom("webhooks")
      .selectAll()
      .where("id", "=", id)
      .where(ownedBy(view, "webhooks"))
      .executeTakeFirst()
    if (!row) throw new AppError("not_found")
    return row
  }

  /** @throws AppError invalid_request, forbidden */
  private async checkUrl(text: string): Promise<void> {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (!url || !/^https?:$/.test(url.protocol))
      throw invalid("url", "must be an address that begins with http:// or https://")
    if (url.username || url.password) throw invalid("url", "must not hold a user name or password")
    await this.dependencies.egress.check(url.hostname, Number(url.port || (url.protocol === "https:" ? 443 : 80)))
  }
}

/** Of all workspaces: those that were disabled, but not by somebody. */
export async function webhooksGivenUp(
  database: Database,
): Promise<{ id: string; workspaceId: string; url: string; reason: string }[]> {
  const rows = await database
    .selectFrom("webhooks")
    .select(["id", "workspace_id", "url", "disabled_reason"])
    .where("status", "=", "disabled")
    .where("disabled_reason", "!=", BY_HAND)
    .orderBy("id")
    .execute()
  return rows.map(({ id, workspace_id, url, disabled_reason }) => ({
    ...{ id, url, workspaceId: workspace_id },
    reason: disabled_reason ?? "",
  }))
}

const TEST = "webhook.test"
const BY_HAND = "somebody disabled it"
const DISABLED = {
  ...{ status: "disabled", disabled_reason: BY_HAND, owner: null, lease_until: null },
} as const satisfies Partial<WebhooksTable>

const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`

/** @throws AppError invalid_request */
function checkSecret(secret: string): string {
  const bytes = Buffer.from(SECRET.exec(secret)?.[1] ?? "", "base64").length
  if (bytes < 24 || bytes > 64) throw invalid("secret", "must be whsec_ and 24 to 64 bytes in base64")
  return secret
}

const stored = (types: readonly string[] | null | undefined): string | null => (types ? JSON.stringify(types) : null)

/** Whose it is: what it may hear of, and with whom it ends. */
const belongsTo = ({ view, holderId }: Principal) => ({
  ...ownerColumns(view, view.author?.endUser ?? null),
  view: JSON.stringify(view),
  holder: holderId,
})

/** @throws AppError conflict */
async function refuseMore(trx: Trx, workspaceId: string): Promise<void> {
  const { count } = await trx
    .selectFrom("webhooks")
    .select(eb => eb.fn.countAll<number>().as("count"))
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= MAX_WEBHOOKS)
    throw new AppError("conflict", { message: `there are ${MAX_WEBHOOKS} webhooks already: delete one first` })
}
