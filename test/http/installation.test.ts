/** What administrators read of the installation: nobody else does, and it holds no secret and no contents. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { startTestApp, type TestApp } from "../support/app.ts"
import { LLAMA, startOllama } from "../support/ollama.ts"
import { People, type Session } from "../support/people.ts"

let app: TestApp
let people: People
let admin: Session
const SECRET = "sk-a-secret-of-the-installation"

let ollama: Awaited<ReturnType<typeof startOllama>>["server"]

beforeAll(async () => {
  ollama = (await startOllama([LLAMA])).server
  app = await startTestApp({
    "ollama-host": ollama.url,
    "openai-base-url": `http://carrel:${SECRET}@127.0.0.1:9/v1`,
    "openai-api-key": SECRET,
    "max-replies": "7",
  })
  people = new People(app)
  admin = (await people.add({ admin: true })).session
})
afterAll(async () => {
  await app.stop()
  ollama.stop()
})

const read = (path: string, session = admin) => people.call("GET", `/installation${path}`, undefined, { ...session })

test("members and keys read nothing of it", async () => {
  const { session } = await people.add()
  const { credentials } = await app.client()
  for (const path of ["/settings", "/storage", "/failures", "/tool-servers", "/packs"]) {
    expect([path, (await read(path, session)).status]).toEqual([path, 403])
    expect([path, (await people.call("GET", `/installation${path}`, undefined, credentials)).status]).toEqual([
      path,
      401,
    ])
  }
})

test("settings say where they come from, and show neither keys nor passwords of addresses", async () => {
  const { body } = await read("/settings")
  const named = Object.fromEntries(body.data.map((each: { name: string }) => [each.name, each]))
  expect(named.max_replies).toMatchObject({ value: "7", default: "1000", from: "flag", source: "--max-replies" })
  expect(named.port).toMatchObject({ from: "flag" })
  expect(named.keep_alive).toMatchObject({ from: "default", source: "default" })
  expect(named.openai_api_key.value).toBe("…")
  expect(named.openai_base_url.value).toBe("http://…@127.0.0.1:9/v1")
  expect(JSON.stringify(body)).not.toContain(SECRET)
})

test("storage adds up, and counts the files of all workspaces", async () => {
  const other = await app.client("other")
  await other.index([{ name: "a.txt", data: "Twelve bytes" }])
  const { body } = await read("/storage")
  const kinds = Object.values(body.by_kind as Record<string, number>)
  expect(kinds.reduce((sum, size) => sum + size, 0)).toBe(body.used_bytes)
  expect(body.by_kind.database).toBeGreaterThan(0)
  expect(body.files).toEqual({ count: 1, bytes: 12 })
})

test("a failure is told by its route, its code and the id of the request, and counted when it comes again", async () => {
  ollama.scenes.add("none", () => ({ status: 500, error: "the heron is out of memory" }))
  const client = await app.client()
  const ask = () => client.post("/conversations", { message: "the heron" }, { accept: "application/json" })
  const first = await ask()
  expect(first.status).toBeGreaterThanOrEqual(500)
  const { status, body } = await ask()
  const { body: failures } = await read("/failures")
  const known = failures.data.find(({ route }: { route: string | null }) => route === "POST /external/conversations")
  expect(known).toMatchObject({ code: body.error.code, request_id: body.error.request_id, count: 2, level: "warn" })
  expect(status).toBe(first.status)
  expect(JSON.stringify(failures)).not.toContain("heron")
  await client.post("/conversations", { message: 5 })
  expect((await read("/failures")).body.data.length).toBe(failures.data.length) // what a caller did wrong is none of ours
})

test("a model that is not there is not tried", async () => {
  const { status, body } = await people.call(
    "POST",
    "/installation/models/test",
    { model: "ollama/none" },
    { ...admin },
  )
  expect([status, body.error.code]).toEqual([404, "model_not_found"])
})
