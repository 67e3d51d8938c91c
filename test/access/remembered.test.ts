/** Verified credentials are remembered: whatever ends or changes a key must show with the very next request. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { ApiKeys } from "../../src/access/keys.ts"
import { VerifiedCredentials } from "../../src/access/verified-credentials.ts"
import { wholeOf } from "../../src/access/view.ts"
import type { Database } from "../../src/storage/database.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

let app: TestApp
/** As a command beside the daemon has it: a connection of its own. */
let beside: Database
let keys: ApiKeys

beforeAll(async () => {
  app = await startTestApp()
  beside = await openSqlite(app.data)
  keys = new ApiKeys(beside)
})
afterAll(async () => {
  await beside.destroy()
  await app.stop()
})

const status = async (client: Client, headers: Record<string, string> = {}) =>
  (await client.get("/models", headers)).status

/** A client whose credentials the daemon remembers. */
async function remembered(settings: Parameters<TestApp["client"]>[1] = {}): Promise<Client> {
  const client = await app.client("default", settings)
  for (let i = 0; i < 5; i++) expect(await status(client)).toBe(200)
  return client
}

describe("a key whose credentials were just verified", () => {
  test("is refused with the request that follows its revocation by a command", async () => {
    const client = await remembered()
    await keys.revoke(client.key.id)
    expect(await status(client)).toBe(401)
  })

  test("is known by its new pair alone after a rotation, and by both during a grace", async () => {
    const client = await remembered()
    const rotated = await keys.rotate(client.key.id)
    expect(await status(client)).toBe(401)
    const next = { "private-key": rotated.private_key, secret: rotated.secret }
    expect(await status(client, next)).toBe(200)
    await keys.rotate(client.key.id, 3)
    for (let i = 0; i < 3; i++) expect(await status(client, next)).toBe(200)
    await Bun.sleep(3_100)
    expect(await status(client, next)).toBe(401)
  })

  test("ends when its time has come, though nothing is written", async () => {
    const endsAt = Date.now() + 4_000
    const client = await remembered({ expires_at: new Date(endsAt).toISOString() })
    await Bun.sleep(endsAt + 100 - Date.now())
    expect(await status(client)).toBe(401)
  })

  test("has its new scopes and limit at once", async () => {
    const client = await remembered()
    await keys.change(client.key.id, { scopes: ["search"], rate_limit_per_minute: 77 })
    const { status: code, headers } = await client.get("/models")
    expect([code, headers.get("x-ratelimit-limit")]).toEqual([403, "77"])
  })

  test("does not lend its name to a wrong secret or private key", async () => {
    const client = await remembered()
    expect(await status(client, { secret: `${client.key.secret.slice(0, -1)}!` })).toBe(401)
    expect(await status(client, { "private-key": client.key.secret, secret: client.key.private_key })).toBe(401)
    expect(await status(client)).toBe(200)
  })

  test("is refused amid many requests from the moment that the revocation returned", async () => {
    const client = await remembered()
    let revoked = false
    const late: number[] = []
    const ask = async () => {
      for (let after = 0; after < 25; ) {
        const isLate = revoked
        const answer = await status(client)
        if (!isLate) continue
        late.push(answer)
        after += 1
      }
    }
    const asking = Promise.all(Array.from({ length: 8 }, ask))
    await Bun.sleep(20) // all of them are at it
    await keys.revoke(client.key.id)
    revoked = true
    await asking
    expect(late.filter(code => code !== 401 && code !== 429)).toEqual([]) // 429: so many wrong ones are slowed down
  })
})

test("what is remembered has a bound, and holds no credential in clear", () => {
  const verified = new VerifiedCredentials(() => 1)
  const principal = {
    keyId: "key_1",
    credential: "key_1 pair",
    workspaceId: "ws_1",
    holderId: "key_1",
    view: wholeOf("ws_1"),
    scopes: [],
    rateLimitPerMinute: null,
  }
  const of = (i: number) => ({ clientId: `cid_${i}`, privateKey: "cpk_private", secret: "csk_secret" })
  for (let i = 0; i < 25_000; i++) verified.remember(of(i), principal, 1, [])
  const known = Array.from({ length: 25_000 }, (_, i) => verified.find(of(i))).filter(Boolean)
  expect(known.length).toBeLessThanOrEqual(10_000)
  expect(verified.find(of(24_999))).toBe(principal)
  expect(Bun.inspect(verified, { depth: 5 })).not.toMatch(/cid_|cpk_|csk_/)
})
