/** Batches over HTTP: what they take, how they end, what their files say, who sees them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { ApiKeys, ensureWorkspace } from "../../src/access/keys.ts"
import { Sessions } from "../../src/access/sessions.ts"
import { Users } from "../../src/access/users.ts"
import { Workspaces } from "../../src/access/workspaces.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { MODEL } from "../support/talk.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

let app: TestApp
let ollama: OllamaStandIn
let client: Client
let v1: Client
beforeAll(async () => {
  ollama = await startOllama()
  app = await startTestApp({ "ollama-host": ollama.server.url })
  client = await app.client()
  v1 = client.under("/v1")
  await client.index([{ name: "heron.txt", data: "The heron nests in April." }])
}, 60_000)
afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

const request = (customId: string, url: string, body: object) => ({ custom_id: customId, method: "POST", url, body })
const search = (customId: string, query = "heron") => request(customId, "/external/search", { query })
const lines = (requests: readonly unknown[]): string => requests.map(each => JSON.stringify(each)).join("\n")

async function ended(id: string, by = client) {
  return until(
    async () => {
      const { body } = await by.get(`/batches/${id}`)
      return ["completed", "failed", "expired", "cancelled"].includes(body.status) && body
    },
    { within: 30_000 },
  )
}
async function start(requests: readonly unknown[], by = client): Promise<string> {
  const { status, body } = await by.post("/batches", { requests })
  expect([status, body.status]).toEqual([201, "validating"])
  return body.id
}
// biome-ignore lint/suspicious/noExplicitAny: lines of every shape
async function linesIn(fileId: string, by = client): Promise<any[]> {
  const response = await by.under("/v1").raw("GET", `/files/${fileId}/content`)
  expect(response.status).toBe(200)
  return (await response.text())
    .trim()
    .split("\n")
    .map(line => JSON.parse(line))
}
async function upload(text: string, by = client, name = "requests.jsonl"): Promise<string> {
  const form = new FormData()
  form.append("file", new Blob([text]), name)
  form.append("purpose", "batch")
  const { status, body } = await by.under("/v1").send("POST", "/files", form)
  expect([status, body.purpose, body.status]).toEqual([200, "batch", "processed"])
  return body.id
}

describe("a batch", () => {
  test("carries each line out by the route that it names, and keeps the answers by custom_id", async () => {
    const id = await start([
      search("s"),
      request("r", "/external/redact", { text: "Write to anna@example.com" }),
      request("e", "/v1/embeddings", { model: (await models()).embedding, input: "heron" }),
      request("c", "/v1/chat/completions", { model: MODEL, messages: [{ role: "user", content: "Hi." }] }),
      request("p", "/v1/responses", { model: MODEL, input: "Hi." }),
      request("t", "/external/conversations", { model: MODEL, message: "Hi." }),
      request("a", "/external-docs/external/agents/run", {
        model: "builtin/extractive",
        task: "When does the heron nest?",
      }),
      request("bad", "/external/search", { query: " " }),
    ])
    const batch = await ended(id)
    expect(batch).toMatchObject({
      status: "completed",
      endpoint: null,
      errors: null,
      request_counts: { total: 8, completed: 7, failed: 1 },
    })
    const output = await linesIn(batch.output_file_id)
    expect(output.map(({ custom_id }) => custom_id)).toEqual(["s", "r", "e", "c", "p", "t", "a"])
    expect(output.map(({ response, error }) => [response.status_code, error])).toEqual(Array(7).fill([200, null]))
    const bodies = Object.fromEntries(output.map(({ custom_id, response }) => [custom_id, response.body]))
    expect(bodies.s.hits[0].file.name).toBe("heron.txt")
    expect(bodies.r.text).toBe("Write to [REDACTED_EMAIL]")
    expect(bodies.e.data[0].embedding.length).toBeGreaterThan(10)
    expect(bodies.c.choices[0].message.role).toBe("assistant")
    expect(bodies.p.status).toBe("completed")
    expect(bodies.t.messages.length).toBe(2)
    expect(bodies.a.status).toBe("completed")
    const [error] = await linesIn(batch.error_file_id)
    expect(error).toMatchObject({ custom_id: "bad", response: { status_code: 400 }, error: null })
    expect(error.response.body.error.code).toBe("invalid_request")
    expect(error.response.request_id).toStartWith("req_")
  })

  test("answers a line that is wrong as its route answers a request", async () => {
    const bodies = [{ query: 123 }, {}, { query: { toString: "x" } }, { query: "heron", file_ids: ["file_absent"] }]
    const id = await start(bodies.map((body, i) => request(`w${i}`, "/external/search", body)))
    const { output_file_id, error_file_id } = await ended(id)
    const answers = [output_file_id, error_file_id].filter(Boolean).map(file => linesIn(file))
    const told = (await Promise.all(answers)).flat().sort((a, b) => a.custom_id.localeCompare(b.custom_id))
    for (const [i, body] of bodies.entries()) {
      const direct = await client.post("/search", body)
      expect([i, told[i].response.status_code, told[i].response.body.error?.code]).toEqual([
        i,
        direct.status,
        direct.body.error?.code,
      ])
    }
  })

  test("takes JSON lines as a body and as a part of a form", async () => {
    const text = `${lines([search("one"), search("two")])}\r\n\n`
    const raw = await client.send("POST", "/batches?completion_window=2h", text, {
      "content-type": "application/jsonl",
    })
    expect([raw.status, raw.body.completion_window]).toEqual([201, "2h"])
    const form = new FormData()
    form.append("file", new Blob([text]), "lines.jsonl")
    form.append("completion_window", "3h")
    const formed = await client.send("POST", "/batches", form)
    expect([formed.status, formed.body.completion_window]).toEqual([201, "3h"])
    for (const { body } of [raw, formed])
      expect(await ended(body.id)).toMatchObject({
        status: "completed",
        endpoint: "/external/search",
        request_counts: { total: 2, completed: 2, failed: 0 },
      })
  })

  test("is made once under an Idempotency-Key, however it comes", async () => {
    const inputs = async () => (await v1.get("/files?purpose=batch")).body.data.length
    const before = await inputs()
    const post = (requests: unknown[]) =>
      client.send("POST", "/batches", { requests }, { "idempotency-key": "night-1" })
    const answers = [...(await Promise.all([1, 2, 3].map(() => post([search("one")])))), await post([search("one")])]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    const other = await post([search("two")])
    expect([other.status, other.body.error.code]).toEqual([409, "conflict"])
    expect(await inputs()).toBe(before + 1)
    const asked = { input_file_id: await upload(lines([search("one")])), endpoint: "/external/search" }
    const compatible = () => v1.send("POST", "/batches", asked, { "idempotency-key": "night-2" })
    expect((await compatible()).body.id).toBe((await compatible()).body.id)
  })

  test("whose form is refused leaves no input behind", async () => {
    const inputs = async () => (await v1.get("/files?purpose=batch")).body.data.length
    const before = await inputs()
    for (const [name, value] of [
      ["nonsense", "1"],
      ["file", new Blob([lines([search("two")])])],
    ] as const) {
      const form = new FormData()
      form.append("file", new Blob([lines([search("one")])]), "lines.jsonl")
      form.append(name, value as string)
      expect((await client.send("POST", "/batches", form)).status).toBe(400)
    }
    expect(await inputs()).toBe(before)
  })

  test("is outside of the request limit", async () => {
    const slow = await app.client("default", { rate_limit_per_minute: 20 })
    const id = await start(
      Array.from({ length: 40 }, (_, i) => search(`l${i}`)),
      slow,
    )
    expect(await ended(id)).toMatchObject({ request_counts: { total: 40, completed: 40, failed: 0 } })
  })

  test("tells every bad line with its number, and carries none out", async () => {
    const text = [
      JSON.stringify(search("good")),
      "{nonsense",
      JSON.stringify({ method: "POST", url: "/external/search", body: {} }),
      JSON.stringify(search("good")),
      JSON.stringify({ ...search("m"), method: "GET" }),
      JSON.stringify({ ...search("u"), url: "/external/keys" }),
      JSON.stringify({ ...search("b"), body: "text" }),
      JSON.stringify(request("st", "/v1/chat/completions", { stream: true })),
      JSON.stringify({ ...search("x"), custom_id: 7 }),
      "[1]",
      "",
      JSON.stringify({ ...search("h"), url: "http://127.0.0.1/external/search" }),
    ].join("\n")
    const { body } = await client.send("POST", "/batches", text, { "content-type": "application/jsonl" })
    const batch = await ended(body.id)
    expect(batch).toMatchObject({ status: "failed", output_file_id: null, error_file_id: null })
    expect(batch.errors.data.map(({ line, code }: { line: number; code: string }) => [line, code])).toEqual([
      [2, "invalid_json_line"],
      [3, "missing_custom_id"],
      [4, "duplicate_custom_id"],
      [5, "invalid_method"],
      [6, "invalid_url"],
      [7, "invalid_body"],
      [8, "invalid_body"],
      [9, "invalid_custom_id"],
      [10, "invalid_json_line"],
      [12, "invalid_url"],
    ])
    expect(batch.failed_at).toBeGreaterThan(0)
  })

  test("holds at most 10 000 requests", async () => {
    const text = lines(Array.from({ length: 10_001 }, (_, i) => search(`n${i}`)))
    const { body } = await client.send("POST", "/batches", text, { "content-type": "application/jsonl" })
    expect((await ended(body.id)).errors.data).toEqual([
      { code: "too_many_requests", message: "a batch may have at most 10000 requests", param: null, line: 10_001 },
    ])
    const { status } = await client.post("/batches", { requests: Array.from({ length: 10_001 }, () => search("x")) })
    expect(status).toBe(400)
  })

  test.each([
    ["nothing", {}, 400],
    ["no request", { requests: [] }, 400],
    ["a request without a body", { requests: [{ custom_id: "a", url: "/external/search" }] }, 400],
    ["a window that is none", { requests: [search("a")], completion_window: "soon" }, 400],
    ["a window that is too long", { requests: [search("a")], completion_window: "8d" }, 400],
  ])("of %s is refused", async (_, body, status) => {
    expect((await client.post("/batches", body)).status).toBe(status)
  })

  test("of other types is refused", async () => {
    expect((await client.send("POST", "/batches", "a", { "content-type": "text/plain" })).status).toBe(415)
    expect((await client.send("POST", "/batches", "", { "content-type": "application/jsonl" })).status).toBe(400)
  })

  test("whose answer would be a stream of events keeps JSON", async () => {
    const id = await start([request("t", "/external/conversations", { model: MODEL, message: "Hi." })])
    const [line] = await linesIn((await ended(id)).output_file_id)
    expect(line.response.body.conversation_id).toStartWith("conv_")
  })

  test("waits for a model that is away, and leaves nothing of the tries that failed", async () => {
    const { scenes } = ollama.server
    scenes.add("away", (_, count) => (count < 3 ? { status: 503, error: "busy" } : { text: "Here again." }))
    const message = "case-away"
    const id = await start([request("t", "/external/conversations", { model: MODEL, message, title: "Away" })])
    const [line] = await linesIn((await ended(id)).output_file_id)
    expect(line.response.body.messages[1].content).toBe("Here again.")
    expect(scenes.got("away").length).toBe(4)
    expect((await client.get("/conversations?q=case-away")).body.data.length).toBe(1)
  })
})

describe("who sees a batch and its files", () => {
  test("its own key, and the workspace's unlimited ones; nobody of another workspace, no narrow key", async () => {
    const id = await start([search("mine")])
    const batch = await ended(id)
    const files = [batch.input_file_id, batch.output_file_id]
    const statuses = async (by: Client) => [
      (await by.get(`/batches/${id}`)).status,
      (await by.under("/v1").get(`/batches/${id}`)).status,
      (await by.under("/v1").send("POST", `/batches/${id}/cancel`)).status,
      ...(await Promise.all(files.map(async file => (await by.under("/v1").get(`/files/${file}`)).status))),
      ...(await Promise.all(
        files.map(async file => (await by.under("/v1").raw("GET", `/files/${file}/content`)).status),
      )),
    ]
    expect(await statuses(await app.client())).toEqual([200, 200, 409, 200, 200, 200, 200])
    const none = Array(7).fill(404)
    const narrow = await app.client("default", { context_ids: ["boats"] })
    expect(await statuses(await app.client("other"))).toEqual(none)
    expect(await statuses(narrow)).toEqual(none)
    const token = await client.scoped({ end_user: "ada" })
    expect(await statuses(token)).toEqual(none)
    const list = async (by: Client) =>
      (await by.get("/batches?limit=100")).body.data.map((each: { id: string }) => each.id)
    expect(await list(client)).toContain(id)
    expect(await list(narrow)).toEqual([])
    const fileIds = async (by: Client) =>
      (await by.under("/v1").get("/files")).body.data.map((each: { id: string }) => each.id)
    expect(await fileIds(client)).toContain(batch.output_file_id)
    expect(await fileIds(narrow)).not.toContain(batch.output_file_id)
    expect((await narrow.delete(`/batches/${id}`)).status).toBe(405)
    expect((await narrow.under("/v1").send("DELETE", `/files/${batch.output_file_id}`)).status).toBe(404)
  })

  test("needs the scope", async () => {
    const without = await app.client("default", { scopes: ["search"] })
    expect((await without.post("/batches", { requests: [search("a")] })).status).toBe(403)
    expect((await without.get("/batches")).status).toBe(403)
  })

  test("a line does what its key may do, and no more", async () => {
    const narrow = await app.client("default", { context_ids: ["boats"] })
    const searching = await app.client("default", { scopes: ["batches", "search", "files:read"] })
    const [id] = [await start([search("none")], narrow)]
    const [line] = await linesIn((await ended(id, narrow)).output_file_id, narrow)
    expect(line.response.body.hits).toEqual([])
    const chat = request("c", "/v1/chat/completions", { model: MODEL, messages: [{ role: "user", content: "Hi." }] })
    const batch = await ended(await start([search("s"), chat], searching), searching)
    expect(batch.request_counts).toEqual({ total: 2, completed: 1, failed: 1 })
    const [refused] = await linesIn(batch.error_file_id, searching)
    expect([refused.response.status_code, refused.response.body.error.code]).toEqual([403, "forbidden"])
  })
})

describe("an input", () => {
  test("is no document of the library", async () => {
    const id = await upload(lines([search("a", "kittiwake puffin")]))
    expect((await client.get(`/libraries/${id}`)).status).toBe(404)
    expect((await client.post("/search", { query: "kittiwake", mode: "keyword" })).body.hits).toEqual([])
    const { body } = await v1.get("/files?purpose=batch")
    expect(body.data.map((each: { id: string }) => each.id)).toContain(id)
  })

  test("is the endpoint's alone, and stays while it is read", async () => {
    const id = await upload(lines([search("a"), request("b", "/external/redact", { text: "x" })]))
    const made = await v1.post("/batches", {
      input_file_id: id,
      endpoint: "/external/search",
      completion_window: "24h",
      metadata: { team: "harbor" },
    })
    expect(made).toMatchObject({ status: 200, body: { object: "batch", metadata: { team: "harbor" } } })
    expect((await v1.send("DELETE", `/files/${id}`)).status).toBeOneOf([200, 409])
    const batch = await ended(made.body.id)
    expect(batch.errors.data[0].code).toBeOneOf(["mismatched_url", "input_gone"])
    const foreign = await v1.post("/batches", { input_file_id: "file_nope", endpoint: "/external/search" })
    expect(foreign.status).toBe(404)
    const other = await v1.post("/batches", { input_file_id: id, endpoint: "/external/keys" })
    expect([other.status, other.body.error.param]).toEqual([400, "endpoint"])
  })

  test("of that type is refused for other purposes", async () => {
    const form = new FormData()
    form.append("file", new Blob(["{}"]), "a.jsonl")
    form.append("purpose", "assistants")
    expect((await v1.send("POST", "/files", form)).status).toBe(415)
  })

  test("and library files are one list, by pages in either order", async () => {
    for (let i = 0; i < 3; i++) await upload(lines([search(`page${i}`)]))
    for (const order of ["asc", "desc"]) {
      const whole = (await v1.get(`/files?order=${order}`)).body.data.map((each: { id: string }) => each.id)
      expect(whole).toEqual(order === "asc" ? [...whole].sort() : [...whole].sort().reverse())
      const paged: string[] = []
      for (let after = ""; ; ) {
        const { body } = await v1.get(`/files?order=${order}&limit=2${after && `&after=${after}`}`)
        paged.push(...body.data.map((each: { id: string }) => each.id))
        if (!body.has_more) break
        after = body.last_id
      }
      expect(paged).toEqual(whole)
    }
  })
})

describe("a batch that does not come to its end", () => {
  const hanging = (customId: string) =>
    request(customId, "/v1/chat/completions", { model: MODEL, messages: [{ role: "user", content: "case-hang" }] })
  const waiting = (by: Client, id: string, completed: number) =>
    until(async () => (await by.get(`/batches/${id}`)).body.request_counts.completed >= completed)
  const hang = () => ollama.server.scenes.add("hang", { pieces: ["…"], hangAfter: 1 })

  test("is cancelled: what is answered stays, the rest is told", async () => {
    hang()
    const id = await start([search("done"), hanging("h1"), hanging("h2")])
    await waiting(client, id, 1)
    const { status, body } = await v1.send("POST", `/batches/${id}/cancel`)
    expect([status, body.status]).toEqual([200, "cancelling"])
    const batch = await ended(id)
    expect(batch).toMatchObject({ status: "cancelled", request_counts: { total: 3, completed: 1, failed: 0 } })
    expect((await linesIn(batch.output_file_id)).map(({ custom_id }) => custom_id)).toEqual(["done"])
    expect((await linesIn(batch.error_file_id)).map(({ custom_id, error }) => [custom_id, error.code])).toEqual([
      ["h1", "batch_cancelled"],
      ["h2", "batch_cancelled"],
    ])
  })

  test("runs out of time", async () => {
    hang()
    const id = await start([search("done"), hanging("late")])
    await waiting(client, id, 1)
    const database = await openSqlite(app.data)
    await database.updateTable("batches").set({ expires_at: "2026-01-01T00:00:00.000Z" }).where("id", "=", id).execute()
    await database.destroy()
    const batch = await ended(id)
    expect(batch.status).toBe("expired")
    expect((await linesIn(batch.error_file_id))[0].error.code).toBe("batch_expired")
    const events = (await client.get("/events?types=batch.failed&limit=100")).body.data
    expect(events.find((event: { data: { id: string } }) => event.data.id === id).data.status).toBe("expired")
  })

  test.each([
    ["revoked", async (keys: ApiKeys, id: string) => keys.revoke(id)],
    ["narrowed to other scopes", async (keys: ApiKeys, id: string) => keys.change(id, { scopes: ["search"] })],
  ])("ends when its key is %s, in the middle of a line", async (_, change) => {
    hang()
    const mine = await app.client()
    const id = await start([search("done"), hanging("cut")], mine)
    await waiting(client, id, 1)
    const database = await openSqlite(app.data)
    await change(new ApiKeys(database), mine.key.id)
    await database.destroy()
    const batch = await ended(id)
    expect([batch.status, batch.errors.data[0].code]).toEqual(["failed", "unauthorized"])
    expect((await linesIn(batch.error_file_id))[0]).toMatchObject({ custom_id: "cut", error: { code: "batch_failed" } })
  })

  test("ends with its token", async () => {
    hang()
    const token = await client.scoped({ expires_in: 3 })
    const id = await start([search("done"), hanging("cut")], token)
    expect((await ended(id)).status).toBe("failed")
  })
})

test("the end of a batch is an event, once, for those who see the batch", async () => {
  const id = await start([search("a")])
  await ended(id)
  const of = async (by: Client) =>
    (await by.get("/events?types=batch.completed&limit=100")).body.data.filter(
      (event: { data: { id: string } }) => event.data.id === id,
    )
  expect((await of(client)).map((event: { data: object }) => event.data)).toEqual([
    { id, status: "completed", request_counts: { total: 1, completed: 1, failed: 0 } },
  ])
  expect(await of(await app.client("other"))).toEqual([])
})

async function models(): Promise<{ embedding: string }> {
  const { body } = await v1.get("/models")
  const embedding = body.data.find((model: { id: string }) => model.id.startsWith("carrel-embed"))
  return { embedding: embedding.id }
}

test("where redaction is enforced, the model gets no private value of a line and its answer holds none", async () => {
  const guarded = await startTestApp({ "ollama-host": ollama.server.url, "enforce-redaction": "true" })
  try {
    const mine = await guarded.client()
    const { scenes } = ollama.server
    scenes.add("private", { text: "Write to anna@example.com." })
    const body = { model: MODEL, messages: [{ role: "user", content: "case-private bob@example.com?" }] }
    const batch = await ended(await start([request("c", "/v1/chat/completions", body)], mine), mine)
    expect(JSON.stringify(scenes.got("private"))).toContain("REDACTED_EMAIL")
    expect(JSON.stringify(scenes.got("private"))).not.toContain("bob@")
    const [line] = await linesIn(batch.output_file_id, mine)
    expect(line.response.body.choices[0].message.content).toBe("Write to [REDACTED_EMAIL].")
  } finally {
    await guarded.stop()
  }
})

test("a member of the console makes batches, sees their own alone, and takes them along", async () => {
  const database = await openSqlite(app.data)
  const users = new Users(database)
  const workspaceId = await ensureWorkspace(database, "default")
  const people = []
  for (const name of ["ada", "ben"]) {
    const email = `${name}@example.org`
    people.push(await users.add({ email, name, password: "correct horse battery", role: "member", workspaceId }))
  }
  const sessions = new Sessions(database, new Workspaces(database))
  const [ada, ben] = await Promise.all(
    people.map(async ({ id }) => {
      const { token } = await sessions.open(id, { userAgent: "", address: "" })
      return (method: string, path: string, body?: object) =>
        client.send(method, path, body, {
          authorization: `Bearer ${token}`,
          "client-id": "",
          "private-key": "",
          secret: "",
        })
    }),
  )
  ollama.server.scenes.add("hang", { hang: true })
  const hanging = { model: MODEL, messages: [{ role: "user", content: "case-hang" }] }
  const made = await ada!("POST", "/batches", {
    requests: [search("a"), request("b", "/v1/chat/completions", hanging)],
  })
  expect(made.status).toBe(201)
  const path = `/batches/${made.body.id}`
  expect((await ben!("GET", path)).status).toBe(404)
  await until(async () => (await ada!("GET", path)).body.request_counts.completed === 1)
  await users.change(people[0]!.id, { disabled: true })
  await database.destroy()
  expect((await ended(made.body.id)).errors.data[0].code).toBe("unauthorized")
})
