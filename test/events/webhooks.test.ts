/** Webhooks as callers and receivers see them: signed messages of what happens, retries, secrets, deliveries. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { startReceiver, type TestReceiver } from "../support/receiver.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

let app: TestApp
const receivers: TestReceiver[] = []
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())
afterEach(() => {
  for (const receiver of receivers.splice(0)) receiver.stop()
})

/** A receiver with a webhook that sends to it. */
async function hooked(client: Client, body: Record<string, unknown> = {}) {
  const receiver = startReceiver()
  receivers.push(receiver)
  const made = await client.post("/webhooks", { url: receiver.url, ...body })
  receiver.secret = made.body.secret
  expect(receiver.secret).toStartWith("whsec_")
  expect(made).toMatchObject({ status: 201, body: { status: "active" } })
  return { receiver, id: made.body.id as string, path: `/webhooks/${made.body.id}` }
}
const index = async (client: Client, ...names: string[]): Promise<string[]> =>
  (await client.index(names.map(name => ({ name, data: `text of ${name}` })))).map(({ id }) => id)
const deliveries = async (client: Client, path: string, query = "") =>
  (await client.get(`${path}/deliveries${query}`)).body.data

describe("a receiver", () => {
  test("is told of what happens from then on, signed as the standard says, in order", async () => {
    const client = await app.client("told")
    await index(client, "before.txt")
    const { receiver, path } = await hooked(client)
    const [id] = await index(client, "after.txt")
    await client.delete(`/libraries/${id}`)
    expect(await receiver.came(2)).toEqual([id!, id!])
    expect(receiver.messages.map(({ type }) => type)).toEqual(["file.searchable", "file.deleted"])
    const { body } = await client.get("/events?types=file.deleted")
    expect(receiver.messages[1]!.id).toBe(body.data[0].id)
    expect(receiver.refused).toEqual([])
    await until(async () => (await deliveries(client, path)).length === 2)
    expect((await deliveries(client, path))[0]).toMatchObject({
      event_id: body.data[0].id,
      status: "succeeded",
      attempts: 1,
      status_code: 204,
      error: null,
    })
  })

  test("hears of the types that it asks for", async () => {
    const client = await app.client("types")
    const { receiver } = await hooked(client, { types: ["file.failed", "file.deleted"] })
    const [id] = await index(client, "good.txt")
    await client.delete(`/libraries/${id}`)
    await receiver.came(1)
    expect(receiver.messages.map(({ type }) => type)).toEqual(["file.deleted"])
  })

  test("is asked again after five seconds, under the same id, and holds up no other", async () => {
    const client = await app.client("again")
    const failing = await hooked(client)
    const other = await hooked(client)
    let failures = 1
    failing.receiver.answer = () => new Response("not now", { status: failures-- > 0 ? 500 : 200 })
    const ids = await index(client, "first.txt")
    await failing.receiver.came(1)
    ids.push(...(await index(client, "second.txt")))
    expect(await other.receiver.came(2)).toEqual(ids)
    await until(async () => (await deliveries(client, failing.path, "?status=pending")).length > 0)
    expect((await deliveries(client, failing.path, "?status=pending"))[0]).toMatchObject({
      status_code: 500,
      response: "not now",
      error: "answered with status 500",
      attempts: 1,
    })
    expect(await failing.receiver.came(3)).toEqual([ids[0]!, ids[1]!, ids[0]!])
    const [first, , again] = failing.receiver.messages
    expect(again!.id).toBe(first!.id)
    expect(again!.at - first!.at).toBeGreaterThanOrEqual(4_900)
    await until(async () => (await deliveries(client, failing.path, "?status=succeeded")).length === 2)
    expect(await deliveries(client, failing.path, "?status=pending")).toEqual([])
  })

  test("is left alone for as long as it asks by Retry-After", async () => {
    const client = await app.client("retry after")
    const { receiver } = await hooked(client)
    receiver.answer = () =>
      receiver.messages.length === 1
        ? new Response(null, { status: 503, headers: { "retry-after": "2" } })
        : new Response(null, { status: 200 })
    const ids = await index(client, "first.txt")
    await receiver.came(1)
    ids.push(...(await index(client, "second.txt")))
    expect((await receiver.came(3)).sort()).toEqual([ids[0]!, ...ids].sort())
    expect(receiver.messages[1]!.at - receiver.messages[0]!.at).toBeGreaterThanOrEqual(1_900)
  })

  test("that answers 410 is disabled, which the others are told, and goes on where it stopped once enabled", async () => {
    const client = await app.client("gone")
    const gone = await hooked(client)
    const other = await hooked(client, { types: ["webhook.disabled"] })
    gone.receiver.answer = () => new Response(null, { status: gone.receiver.messages.length === 1 ? 410 : 200 })
    const ids = await index(client, "first.txt")
    expect(await other.receiver.came(1)).toEqual([gone.id])
    expect((await client.get(gone.path)).body).toMatchObject({
      status: "disabled",
      disabled_reason: expect.stringContaining("410"),
    })
    ids.push(...(await index(client, "second.txt")))
    expect((await client.post(`${gone.path}/redeliver`, { since: "2020-01-01T00:00:00Z" })).status).toBe(409)
    expect(gone.receiver.messages).toHaveLength(1)
    expect((await client.patch(gone.path, { status: "active" })).body).toMatchObject({
      status: "active",
      disabled_reason: null,
    })
    await until(() => ids.every(id => gone.receiver.messages.slice(1).some(({ data }) => data.id === id)))
  })

  test("is not followed to another address", async () => {
    const client = await app.client("redirect")
    const target = await hooked(client)
    const { receiver, path } = await hooked(client)
    receiver.answer = () => Response.redirect(target.receiver.url, 307)
    const [id] = await index(client, "first.txt")
    await until(async () => (await deliveries(client, path, "?status=pending")).length > 0)
    expect((await deliveries(client, path))[0]).toMatchObject({
      status_code: 307,
      error: "answered with status 307: redirects are not followed",
    })
    expect(await target.receiver.came(1)).toEqual([id!])
    expect(target.receiver.refused).toEqual([])
  })

  test("that hangs delays no other, and a restart cuts it off without counting it", async () => {
    const own = await startTestApp()
    try {
      const client = await own.client()
      const hanging = await hooked(client)
      const other = await hooked(client)
      hanging.receiver.answer = () =>
        hanging.receiver.messages.length === 1 ? new Promise(() => {}) : new Response(null, { status: 204 })
      const ids = await index(client, "first.txt")
      await hanging.receiver.came(1)
      ids.push(...(await index(client, "second.txt")))
      expect(await other.receiver.came(2)).toEqual(ids)
      await until(async () => (await deliveries(client, other.path, "?status=succeeded")).length === 2)
      await own.restart()
      expect(await hanging.receiver.came(3)).toEqual([ids[0]!, ...ids])
      await until(async () => (await deliveries(client, hanging.path)).length === 2)
      expect((await deliveries(client, hanging.path)).map(({ attempts }: { attempts: number }) => attempts)).toEqual([
        1, 1,
      ])
      expect(await other.receiver.came(2)).toEqual(ids)
    } finally {
      await own.stop()
    }
  })
})

describe("a webhook", () => {
  test("has its address and types checked", async () => {
    const client = await app.client("checks")
    const refused = (body: object) => client.post("/webhooks", body).then(({ status }) => status)
    expect(await refused({ url: "ftp://127.0.0.1/" })).toBe(400)
    expect(await refused({ url: "http://ada:secret@127.0.0.1/" })).toBe(400)
    expect(await refused({ url: "http://127.0.0.1/", types: ["file.lost"] })).toBe(400)
    expect(await refused({ url: "http://127.0.0.1/", secret: "whsec_short" })).toBe(400)
    expect(await refused({ url: "http://127.0.0.1/", extra: 1 })).toBe(400)
    expect(await refused({ url: "http://8.8.8.8/" })).toBe(403)
    expect(await refused({ url: "http://[::ffff:8.8.8.8]/" })).toBe(403)
    const { path } = await hooked(client)
    expect((await client.patch(path, { url: "https://8.8.8.8/" })).status).toBe(403)
  })

  test("takes a secret, shows none, and stores it sealed", async () => {
    const client = await app.client("secrets")
    const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`
    const { receiver, path } = await hooked(client, { secret, description: "mine" })
    expect(receiver.secret).toBe(secret)
    for (const shown of [(await client.get(path)).body, (await client.get("/webhooks")).body])
      expect(JSON.stringify(shown)).not.toContain("whsec_")
    expect(stored(app.data)).not.toContain(secret)
    expect(stored(app.data)).not.toContain(secret.slice("whsec_".length))
    await index(client, "first.txt")
    await receiver.came(1)
  })

  test("signs with both secrets after a rotation, and with the new one alone without grace", async () => {
    const client = await app.client("rotate")
    const { receiver, path } = await hooked(client)
    const former = receiver.secret
    const { body } = await client.post(`${path}/rotate`, { grace_seconds: 600 })
    await index(client, "first.txt")
    await receiver.came(1)
    receiver.secret = body.secret
    await index(client, "second.txt")
    await receiver.came(2)
    expect(receiver.messages.map(({ signature }) => signature.split(" ").length)).toEqual([2, 2])
    expect(body.secret).not.toBe(former)
    receiver.secret = (await client.post(`${path}/rotate`, { grace_seconds: 0 })).body.secret
    await index(client, "third.txt")
    await receiver.came(3)
    expect(receiver.messages[2]!.signature.split(" ")).toHaveLength(1)
  })

  test("is tested by a message that says what came of it", async () => {
    const client = await app.client("test")
    const { receiver, path, id } = await hooked(client)
    const passed = await client.post(`${path}/test`)
    expect(passed).toMatchObject({ status: 200, body: { status: "succeeded", status_code: 204 } })
    expect(receiver.messages).toMatchObject([{ id: passed.body.event_id, type: "webhook.test", data: { id } }])
    receiver.stop()
    const { body } = await client.post(`${path}/test`)
    expect(body).toMatchObject({ status: "failed", status_code: null, error: expect.any(String) })
  })

  test("sends again what it is asked for", async () => {
    const client = await app.client("redeliver")
    const { receiver, path } = await hooked(client)
    const began = new Date().toISOString()
    const ids = await index(client, "first.txt", "second.txt")
    await receiver.came(2)
    const [first] = receiver.messages
    expect(await client.post(`${path}/redeliver`, { event_id: first!.id })).toMatchObject({
      status: 202,
      body: { queued: 1 },
    })
    await receiver.came(3)
    expect(receiver.messages[2]).toMatchObject({ id: first!.id, data: first!.data })
    expect((await client.post(`${path}/redeliver`, { since: began })).body).toEqual({ queued: 2 })
    expect((await receiver.came(5)).slice(3).sort()).toEqual(ids.sort())
    expect((await client.post(`${path}/redeliver`, { event_id: "evt_unknown" })).status).toBe(404)
    expect((await client.post(`${path}/redeliver`, {})).status).toBe(400)
    expect((await client.post(`${path}/redeliver`, { since: "yesterday" })).status).toBe(400)
  })

  test("is deleted with all that waits", async () => {
    const client = await app.client("deleted")
    const { receiver, path } = await hooked(client)
    expect((await client.delete(path)).status).toBe(204)
    await index(client, "first.txt")
    expect((await client.get(path)).status).toBe(404)
    expect((await client.get(`${path}/deliveries`)).status).toBe(404)
    expect(receiver.messages).toEqual([])
  })

  test("is one of fifty at most", async () => {
    const client = await app.client("fifty")
    for (let count = 0; count < 50; count++) await client.post("/webhooks", { url: "http://127.0.0.1:9/" })
    expect((await client.post("/webhooks", { url: "http://127.0.0.1:9/" })).status).toBe(409)
    expect((await client.get("/webhooks?page_size=20&page=3")).body).toMatchObject({
      data: { length: 10 },
      pagination: { total_items: 50 },
    })
  })
})

describe("who may not see it", () => {
  test("finds no webhook of another workspace, or of others where the key is narrow", async () => {
    const whole = await app.client("seen")
    const narrow = await app.client("seen", { context_ids: ["hr"] })
    const { path } = await hooked(whole)
    for (const client of [narrow, await app.client("not seen")]) {
      expect((await client.get(path)).status).toBe(404)
      expect((await client.patch(path, { description: "mine" })).status).toBe(404)
      expect((await client.delete(path)).status).toBe(404)
      expect((await client.post(`${path}/test`)).status).toBe(404)
      expect((await client.post(`${path}/rotate`)).status).toBe(404)
      expect((await client.get("/webhooks")).body.data).toEqual([])
    }
    expect((await app.client("seen", { scopes: ["search"] }).then(client => client.get("/webhooks"))).status).toBe(403)
  })

  test("is told by a webhook of a narrow key what the key sees, and nothing once the key is revoked", async () => {
    const whole = await app.client("narrow")
    const narrow = await app.client("narrow", { context_ids: ["hr"] })
    const { receiver, path } = await hooked(narrow)
    const all = await hooked(whole, { types: ["webhook.disabled"] })
    await whole.index([{ name: "open.txt", data: "open" }])
    const [inside] = await whole.index([{ name: "inside.txt", data: "inside" }], { context_id: "hr" })
    expect(await receiver.came(1)).toEqual([inside.id])
    await revoke(app, narrow)
    await whole.index([{ name: "another.txt", data: "another" }], { context_id: "hr" })
    await all.receiver.came(1)
    expect(receiver.messages).toHaveLength(1)
    expect((await whole.get(path)).body).toMatchObject({ status: "disabled" })
  })
})

const stored = (data: string): string =>
  ["carrel.db", "carrel.db-wal"].map(name => readFileSync(join(data, name), "latin1")).join("")

async function revoke(of: TestApp, client: Client): Promise<void> {
  const { openSqlite } = await import("../../src/storage/sqlite/open.ts")
  const database = await openSqlite(of.data)
  await database
    .updateTable("api_keys")
    .set({ revoked_at: new Date().toISOString() })
    .where("client_id", "=", client.key.client_id)
    .execute()
  await database.destroy()
}
