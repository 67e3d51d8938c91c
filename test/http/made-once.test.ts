/** What is made under an Idempotency-Key is made once, however often it is asked for. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"

let app: TestApp
let api: Client

beforeAll(async () => {
  app = await startTestApp({ "webhook-allow": "127.0.0.1" })
  api = await app.client()
})

afterAll(() => app.stop())

const search = (query: string) => ({ url: "/external/search", body: { query } })

describe.each([
  ["/schedules", { name: "each day", every: "24h", request: search("one") }, { name: "each week" }],
  ["/sources", { type: "push", name: "Contracts" }, { name: "Invoices" }],
  ["/webhooks", { url: "http://127.0.0.1:9/events" }, { description: "another" }],
  ["/holds", { name: "Case 1", end_user: "ada" }, { name: "Case 2" }],
] as const)("%s", (path, body, other) => {
  const post = (asked: object, key: string, client = api) =>
    client.send("POST", path, asked, { "idempotency-key": key })
  const all = async (client = api) => (await client.get(path)).body.data.length

  test("is made once under a key, also by requests at the same time, and answered alike", async () => {
    const before = await all()
    const answers = [...(await Promise.all([1, 2, 3, 4].map(() => post(body, "key-1")))), await post(body, "key-1")]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    for (const answer of answers) expect(answer.body).toEqual(answers[0]!.body)
    expect(await all()).toBe(before + 1)
  })

  test("is refused for another request under the same key, and made again under another key or without", async () => {
    await post(body, "key-2")
    const before = await all()
    const refused = await post({ ...body, ...other }, "key-2")
    expect([refused.status, refused.body.error.code]).toEqual([409, "conflict"])
    expect(await all()).toBe(before)
    expect((await post(body, "key-3")).status).toBe(201)
    expect((await api.post(path, body)).status).toBe(201)
    expect(await all()).toBe(before + 2)
  })

  test("is not told to another API key that uses the same name, and one that is deleted is not made again", async () => {
    const { body: made } = await post(body, "key-4")
    const elsewhere = await app.client("elsewhere")
    const { status, body: theirs } = await post(body, "key-4", elsewhere)
    expect(status).toBe(201)
    expect(theirs.id).not.toBe(made.id)
    await api.delete(`${path}/${made.id}`)
    expect((await post(body, "key-4")).status).toBe(404)
  })
})
