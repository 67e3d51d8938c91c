/** Sending with several nodes: one of them at a time, and another when it is gone. */

import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test"
import { ensureWorkspace } from "../../src/access/keys.ts"
import type { Principal } from "../../src/access/principal.ts"
import { wholeOf } from "../../src/access/view.ts"
import { allowListOf } from "../../src/egress/allow-list.ts"
import { Egress } from "../../src/egress/egress.ts"
import { webhookPolicy } from "../../src/egress/policy.ts"
import { Dispatcher } from "../../src/events/dispatcher.ts"
import { emit } from "../../src/events/outbox.ts"
import { Pulse } from "../../src/events/pulse.ts"
import { Webhooks } from "../../src/events/webhooks.ts"
import { setLogSink } from "../../src/log.ts"
import type { Database } from "../../src/storage/database.ts"
import { Idempotency } from "../../src/storage/idempotency.ts"
import { Sealer } from "../../src/storage/sealed.ts"
import { databases } from "../support/databases.ts"
import { startReceiver, type TestReceiver } from "../support/receiver.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)
const egress = new Egress({ policy: webhookPolicy(allowListOf([]), false) })
let isRevoked = false
const holders = {
  find: async (_: string, workspaceId?: string) => (isRevoked ? undefined : { view: wholeOf(workspaceId!) }),
}

let receiver: TestReceiver
afterEach(() => {
  receiver.stop()
  isRevoked = false
})

describe.each(await databases())("the dispatcher on $name", ({ open }) => {
  /** A webhook, and nodes that could send for it. */
  async function cluster(stack: AsyncDisposableStack) {
    const database = await open(stack)
    const workspaceId = await ensureWorkspace(database)
    const sealer = await Sealer.of(database)
    receiver = startReceiver()
    const webhooks = new Webhooks({ database, egress, sealer, idempotency: new Idempotency(database), wake: () => {} })
    const principal = { view: wholeOf(workspaceId), holderId: "key_1" } as Principal
    const { id, secret } = await webhooks.create(principal, { url: receiver.url })
    receiver.secret = secret
    const node = async (name: string) => {
      await enter(database, name)
      const dispatcher = new Dispatcher({
        ...{ database, egress, sealer, holders, pulse: new Pulse(database) },
        node: { id: name, isMember: true },
      })
      dispatcher.start()
      stack.defer(() => dispatcher.stop())
      return dispatcher
    }
    let sent = 0
    const happen = (count: number) =>
      database.transaction().execute(trx =>
        emit(
          trx,
          workspaceId,
          Array.from({ length: count }, () => ({ type: "file.deleted", data: { id: `file_${sent++}` } }) as const),
        ),
      )
    const owner = () =>
      database
        .selectFrom("webhooks")
        .select("owner")
        .where("id", "=", id)
        .executeTakeFirst()
        .then(row => row?.owner)
    return { database, node, happen, owner, id, webhooks, principal }
  }

  test("sends each event once while one of two nodes holds the webhook, and goes on when that one has died", async () => {
    await using stack = new AsyncDisposableStack()
    const { database, node, happen, owner } = await cluster(stack)
    await node("node_a")
    await until(async () => (await owner()) === "node_a")
    await node("node_b")
    await happen(300)
    const ids = await receiver.came(300)
    expect(ids).toEqual(Array.from({ length: 300 }, (_, at) => `file_${at}`))
    await until(async () => (await deliveries(database)) > 0)
    await database
      .updateTable("nodes")
      .set({ ended_at: "2026-11-22T12:00:00.000Z" })
      .where("id", "=", "node_a")
      .execute()
    await until(async () => (await owner()) === "node_b")
    await happen(100)
    await until(() => new Set(receiver.messages.map(({ data }) => data.id)).size === 400)
    expect(new Set(receiver.messages.map(({ id }) => id)).size).toBe(400)
  })

  test("hands a webhook over when it stops, with all that was sent noted", async () => {
    await using stack = new AsyncDisposableStack()
    const { node, happen, owner } = await cluster(stack)
    const first = await node("node_a")
    await happen(50)
    await receiver.came(50)
    await first.stop()
    expect(await owner()).toBeNull()
    await node("node_b")
    await happen(50)
    await receiver.came(100)
    expect(new Set(receiver.messages.map(({ id }) => id)).size).toBe(100)
  })

  test("ends with its maker's access amid events that a slow receiver still waits for", async () => {
    await using stack = new AsyncDisposableStack()
    const { node, happen, id, webhooks, principal } = await cluster(stack)
    receiver.answer = () => Bun.sleep(300).then(() => new Response())
    await node("node_a")
    await happen(40)
    await until(() => receiver.messages.length >= 2)
    isRevoked = true
    await until(async () => (await webhooks.get(principal.view, id)).status === "disabled", { within: 30_000 })
    expect(receiver.messages.length).toBeLessThan(40)
  })

  test("disables a webhook after the last attempt of the table, and says so where the console looks", async () => {
    await using stack = new AsyncDisposableStack()
    const { database, node, happen, id, webhooks, principal } = await cluster(stack)
    receiver.answer = () => new Response("never", { status: 500 })
    await node("node_a")
    await happen(1)
    await until(async () => (await deliveries(database)) === 1)
    const { workspaceId } = principal.view
    expect(await webhooks.givenUp(workspaceId)).toEqual([])
    await database.updateTable("webhook_deliveries").set({ attempts: 9, next_at: "2020-01-01T00:00:00.000Z" }).execute()
    await until(async () => (await webhooks.get(principal.view, id)).status === "disabled")
    expect(await webhooks.givenUp(workspaceId)).toEqual([
      { id, url: receiver.url, reason: "an event was not taken in 2 attempts: answered with status 500" },
    ])
    expect((await webhooks.deliveries(principal.view, id, { page: 1, pageSize: 5 })).data).toMatchObject([
      { status: "failed", attempts: 2, response: "never", next_attempt_at: null },
    ])
    expect(await database.selectFrom("events").select("type").orderBy("seq").execute()).toMatchObject([
      { type: "file.deleted" },
      { type: "webhook.disabled" },
    ])
    await webhooks.change(principal, id, { status: "disabled" })
    await webhooks.change(principal, id, { status: "active" })
    expect(await webhooks.givenUp(workspaceId)).toEqual([])
  })

  test("says once of a webhook whose secret cannot be read that it is not sent to, and sends when it has another", async () => {
    await using stack = new AsyncDisposableStack()
    const { database, node, happen, id, webhooks, principal } = await cluster(stack)
    await database
      .updateTable("webhooks")
      .set({ secret: Buffer.alloc(64).toString("base64") })
      .execute()
    const lines: string[] = []
    setLogSink(line => void lines.push(line))
    stack.defer(() => setLogSink(line => void process.stdout.write(`${line}\n`)))
    const said = () => lines.filter(line => line.includes("a webhook cannot be sent to"))
    await node("node_a")
    await until(() => said().length > 0)
    // Sent to after another look, which finds the first one as it was.
    const other = await webhooks.create(principal, { url: receiver.url })
    receiver.secret = other.secret
    await happen(1)
    await receiver.came(1)
    expect(said()).toHaveLength(1)
    await webhooks.delete(principal.view, other.id)
    receiver.secret = (await webhooks.rotate(principal.view, id, 0)).secret
    await until(() => receiver.messages.length === 2)
  })

  test("keeps what was sent again of each event once, and the last thousand deliveries", async () => {
    await using stack = new AsyncDisposableStack()
    const { database, node, happen, id, webhooks, principal } = await cluster(stack)
    await node("node_a")
    for (let round = 1; round <= 15; round++) {
      await happen(100)
      await receiver.came(round * 100)
      await until(async () => (await newest(database)) === `file_${round * 100 - 1}`)
    }
    expect(await deliveries(database)).toBe(1_000)
    expect(await webhooks.redeliver(principal.view, id, { since: "2020-01-01T00:00:00.000Z" })).toBe(1_500)
    await receiver.came(3_000)
    await until(async () => (await pending(database)) === 0)
    const { data, total } = await webhooks.deliveries(principal.view, id, { page: 1, pageSize: 2 })
    expect(total).toBe(1_000)
    expect(data.map(({ attempts, status }) => [attempts, status])).toEqual([
      [2, "succeeded"],
      [2, "succeeded"],
    ])
  })
})

const enter = (database: Database, id: string) =>
  database
    .insertInto("nodes")
    .values({ ...NODE, id, name: id } as never)
    .execute()
const NOW = new Date().toISOString()
const NODE = { url: null, role: "all", version: "1", started_at: NOW, seen_at: NOW, ended_at: null }

const deliveries = async (database: Database): Promise<number> =>
  (await database.selectFrom("webhook_deliveries").select("seq").execute()).length
const pending = async (database: Database): Promise<number> =>
  (await database.selectFrom("webhook_deliveries").select("seq").where("status", "=", "pending").execute()).length
/** What the last delivery tells of. */
const newest = async (database: Database): Promise<string | null | undefined> =>
  (
    await database
      .selectFrom("webhook_deliveries")
      .innerJoin("events", "events.seq", "webhook_deliveries.seq")
      .select("subject")
      .orderBy("webhook_deliveries.seq", "desc")
      .limit(1)
      .executeTakeFirst()
  )?.subject
