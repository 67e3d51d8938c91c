/** The feed of events as callers read it: what is in it, in which order, and who hears of what. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { until } from "../support/until.ts"

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const told = async (client: Client, query = ""): Promise<[type: string, id: string][]> => {
  const { status, body } = await client.get(`/events?limit=1000${query}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.data.map(({ type, data }: { type: string; data: { id: string } }) => [type, data.id])
}
const deleted = async (client: Client, ...ids: string[]) => {
  for (const id of ids) expect((await client.delete(`/libraries/${id}`)).status).toBe(204)
}

describe("the feed", () => {
  test("tells of files that become searchable, fail and are deleted, once each and in that order", async () => {
    const client = await app.client("files")
    const [good] = await client.index([{ name: "good.txt", data: "A harbour." }])
    const [bad] = await client.index([{ name: "bad.pdf", data: "no pdf at all" }])
    await deleted(client, good.id)
    expect(await told(client)).toEqual([
      ["file.searchable", good.id],
      ["file.failed", bad.id],
      ["file.deleted", good.id],
    ])
    const { body } = await client.get("/events?types=file.failed")
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^evt_/),
        type: "file.failed",
        timestamp: expect.any(String),
        data: { id: bad.id, context_id: null, external_id: null, error: { code: bad.error.code } },
      },
    ])
  })

  test("tells of work on many files, with each file of it", async () => {
    const client = await app.client("bulk")
    const files = await client.index(["a", "b", "c"].map(name => ({ name: `${name}.txt`, data: `file ${name}` })))
    const { body: job } = await client.post("/libraries/bulk", {
      action: "delete",
      filter: { type: "exists", key: "file.name", value: true },
    })
    await until(async () => (await told(client, "&types=job.completed")).length > 0)
    expect((await told(client)).slice(3)).toEqual([
      ...files.map(({ id }) => ["file.deleted", id] as [string, string]).sort(),
      ["job.completed", job.job_id],
    ])
  })

  test("tells of runs, however they end", async () => {
    const client = await app.client("runs")
    const { body } = await client.post("/agents/run", { task: "What is there?", model: "builtin/extractive" })
    expect(await told(client)).toEqual([["run.completed", body.run_id]])
  })

  test("is read page by page without a gap or a double", async () => {
    const client = await app.client("pages")
    await client.index(Array.from({ length: 7 }, (_, at) => ({ name: `${at}.txt`, data: `number ${at}` })))
    const all: string[] = []
    for (let after = "", more = true; more; ) {
      const { body } = await client.get(`/events?limit=3${after && `&after=${after}`}`)
      all.push(...body.data.map(({ id }: { id: string }) => id))
      more = body.data.length > 0
      after = body.next
    }
    expect(all).toHaveLength(7)
    expect(new Set(all).size).toBe(7)
    expect((await client.get("/events")).body.data.map(({ id }: { id: string }) => id)).toEqual(all)
  })

  test("comes on past events of other types", async () => {
    const client = await app.client("rare")
    await client.index([{ name: "good.txt", data: "A harbour." }])
    const { id: newest } = (await client.get("/events")).body.data.at(-1)
    const { body } = await client.get("/events?types=file.failed")
    expect(body).toEqual({ data: [], next: newest })
    const [bad] = await client.index([{ name: "bad.pdf", data: "no pdf at all" }])
    expect(await told(client, `&types=file.failed&after=${newest}`)).toEqual([["file.failed", bad.id]])
  })

  test("has no next while nothing has happened, and refuses what it does not know", async () => {
    const client = await app.client("empty")
    expect((await client.get("/events")).body).toEqual({ data: [], next: null })
    const unknown = await client.get("/events?after=evt_01m7y48vkz3s85f1acdta2")
    expect(unknown.status).toBe(400)
    expect(unknown.body.error.message).toContain("Leave it out to begin with the oldest")
    expect((await client.get("/events?types=file.lost")).status).toBe(400)
    expect((await client.get("/events?limit=0")).status).toBe(400)
    const stream = await client.get("/events", { accept: "text/event-stream", "last-event-id": "evt_unknown" })
    expect(stream.status).toBe(400)
  })

  test("is another one in each workspace", async () => {
    const [ours, theirs] = [await app.client("ours"), await app.client("theirs")]
    await ours.index([{ name: "ours.txt", data: "ours" }])
    const { body } = await ours.get("/events")
    expect(await told(theirs)).toEqual([])
    expect((await theirs.get(`/events?after=${body.next}`)).status).toBe(400)
  })

  test("needs the scope", async () => {
    const client = await app.client("scope", { scopes: ["search"] })
    expect((await client.get("/events")).status).toBe(403)
  })
})

describe("the stream", () => {
  test("sends what is there and what comes, and goes on behind the last event that came", async () => {
    const client = await app.client("stream")
    const [first] = await client.index([{ name: "first.txt", data: "first" }])
    const stream = await follow(client)
    expect((await stream.next()).data.data.id).toBe(first.id)
    const [second] = await client.index([{ name: "second.txt", data: "second" }])
    const came = await stream.next()
    expect(came).toMatchObject({ event: "file.searchable", data: { type: "file.searchable", data: { id: second.id } } })
    expect(came.id).toBe(came.data.id)
    await stream.end()
    await deleted(client, first.id)
    const again = await follow(client, came.id)
    expect(await again.next()).toMatchObject({ event: "file.deleted", data: { data: { id: first.id } } })
    await again.end()
  })
})

describe("what a caller may not see it does not hear of", () => {
  test("files of other contexts, gone or not", async () => {
    const whole = await app.client("contexts")
    const narrow = await app.client("contexts", { context_ids: ["hr"] })
    const [open] = await whole.index([{ name: "open.txt", data: "open" }])
    const [inside] = await whole.index([{ name: "inside.txt", data: "inside" }], { context_id: "hr" })
    expect(await told(narrow)).toEqual([["file.searchable", inside.id]])
    await deleted(whole, open.id, inside.id)
    expect(await told(narrow)).toEqual([
      ["file.searchable", inside.id],
      ["file.deleted", inside.id],
    ])
    expect(await told(whole)).toHaveLength(4)
  })

  test("files that a filter does not let pass, and no file at all once it is gone", async () => {
    const whole = await app.client("filters")
    const filter = { type: "eq", key: "file.type", value: "md" } as const
    const narrow = await app.client("filters", { filter })
    await whole.index([{ name: "out.txt", data: "out" }])
    const [inside] = await whole.index([{ name: "in.md", data: "in" }])
    expect(await told(narrow)).toEqual([["file.searchable", inside.id]])
    await deleted(whole, inside.id)
    expect(await told(narrow)).toEqual([])
  })

  test("files whose acl names others", async () => {
    const whole = await app.client("acl")
    const hr = await whole.scoped({ principals: ["group:hr"] })
    const it = await whole.scoped({ principals: ["group:it"] })
    const [file] = await whole.index([{ name: "hr.txt", data: "salaries" }], { acl: '["group:hr"]' })
    await deleted(whole, file.id)
    expect(await told(hr)).toHaveLength(2)
    expect(await told(it)).toEqual([])
  })

  test("runs of others, for one end user and for narrow keys", async () => {
    const whole = await app.client("end users")
    const ada = await whole.scoped({ end_user: "ada" })
    const bob = await whole.scoped({ end_user: "bob" })
    const narrow = await app.client("end users", { context_ids: ["hr"] })
    const { body } = await ada.post("/agents/run", { task: "What is there?", model: "builtin/extractive" })
    expect(await told(whole)).toEqual([["run.completed", body.run_id]])
    expect(await told(ada)).toEqual([["run.completed", body.run_id]])
    expect(await told(bob)).toEqual([])
    expect(await told(narrow)).toEqual([])
  })
})

/** Events of a stream, one at a time. */
async function follow(client: Client, after?: string) {
  const response = await client.raw("GET", "/events", undefined, {
    accept: "text/event-stream",
    ...(after ? { "last-event-id": after } : {}),
  })
  expect(response.status).toBe(200)
  const reader = response.body!.pipeThrough(new TextDecoderStream() as never).getReader()
  let text = ""
  return {
    end: () => reader.cancel(),
    async next() {
      for (;;) {
        const end = text.indexOf("\n\n")
        if (end < 0) {
          text += (await reader.read()).value
          continue
        }
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        if (block.startsWith(":")) continue // the connection is open
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)![1]!
        return { id: field("id"), event: field("event"), data: JSON.parse(field("data")) }
      }
    },
  }
}
