/** Tokens in the address of a stream: what they open, for whom, how long, and nothing else. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { chromium } from "playwright-core"
import { ApiKeys } from "../../src/access/keys.ts"
import { StreamTokens } from "../../src/access/stream-tokens.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { ARGUMENTS, CHROMIUM, hasBrowser } from "../console/console.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { readEvents, textOf } from "../support/events.ts"
import { type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { People } from "../support/people.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

const MODEL = "ollama/llama3.2:3b"
const PIECES = Array.from({ length: 40 }, (_, i) => `w${i} `)

let ollama: OllamaStandIn
let app: TestApp
let application: Client
/** A page of another origin, as an application has it. */
let site: Bun.Server<undefined>
let conversation: string
/** Of a stranger to them: each test that guesses has an address of its own. */
let visitor = 0

beforeAll(async () => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<!doctype html><title>Page</title>", { headers: { "content-type": "text/html" } }),
  })
  ollama = await startOllama()
  app = await startTestApp({
    "ollama-host": ollama.server.url,
    "cors-origins": new URL(site.url).origin,
    "trusted-proxies": "127.0.0.1",
  })
  application = await app.client()
  conversation = await talk(application)
})
afterAll(async () => {
  await app.stop()
  ollama.server.stop()
  await site.stop(true)
})

async function talk(client: Client): Promise<string> {
  ollama.server.scenes.add("words", { pieces: PIECES })
  const asked = { message: "case-words Write.", model: MODEL, use_library: false }
  const [begun] = await readEvents(await client.raw("POST", "/conversations", asked))
  return begun!.data.conversation_id
}

const tokenFor = async (client: Client, stream: string, body?: object) => {
  const answer = await client.post(`${stream}/token`, body)
  expect(answer.status).toBe(201)
  return answer.body as { url: string; token: string; expires_at: string }
}
const open = (url: string, init: RequestInit = {}) =>
  fetch(app.url + url, { ...init, headers: { "x-forwarded-for": `10.1.0.${visitor}`, ...init.headers } })
const status = async (url: string, init?: RequestInit): Promise<number> => {
  const response = await open(url, init)
  await response.body?.cancel()
  return response.status
}
const eventsOf = (id: string) => `/conversations/${id}/events`

/** As the command line does it, beside the daemon. */
async function beside(work: (keys: ApiKeys) => Promise<unknown>): Promise<void> {
  const database = await openSqlite(app.data)
  await work(new ApiKeys(database))
  await database.destroy()
}

describe("a token for a stream", () => {
  test("opens it without any header, from the event that is named on", async () => {
    const { url, token, expires_at } = await tokenFor(application, eventsOf(conversation))
    expect(url).toBe(`/external-docs/external/conversations/${conversation}/events?stream_token=${token}`)
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(60_000)
    const response = await open(url)
    expect(response.headers.get("content-type")).toStartWith("text/event-stream")
    const whole = await readEvents(response)
    expect(textOf(whole)).toBe(PIECES.join(""))
    const [tenth] = [whole[9]!.id]
    expect(await readEvents(await open(`${url}&after=${tenth}`))).toEqual(whole.slice(10))
    expect(await readEvents(await open(url, { headers: { "last-event-id": String(tenth) } }))).toEqual(whole.slice(10))
    // The header is of a later moment than the address that a browser repeats.
    const both = await open(`${url}&after=3`, { headers: { "last-event-id": String(tenth) } })
    expect(await readEvents(both)).toEqual(whole.slice(10))
    const wrong = await open(`${url}&after=first`)
    expect([wrong.status, (await wrong.json()).error.details[0].field]).toEqual([400, "after"])
    expect(await status(url.replace("/external-docs", ""))).toBe(200) // the same stream, without the prefix
  })

  test("opens runs and the feed of events", async () => {
    const { body: run } = await application.post("/agents/run", { task: "case-words Write.", model: MODEL, tools: [] })
    const ofRun = await tokenFor(application, `/agents/runs/${run.run_id}/events`)
    const events = await readEvents(await open(ofRun.url))
    expect(events.map(({ event }) => event)).toContain("run_finished")
    const [file] = await application.index([{ name: "a.txt", data: "The heron." }])
    const ofFile = await tokenFor(application, `/libraries/${file.id}/events`)
    expect((await readEvents(await open(ofFile.url)))[0]!.data).toMatchObject({ id: file.id, status: "searchable" })
    const quiet = await open((await tokenFor(await app.client("quiet"), "/events")).url, {
      headers: { accept: "text/event-stream" },
    })
    const { value } = await quiet.body!.getReader().read()
    expect(new TextDecoder().decode(value)).toBe(": open\n\n") // else nothing is heard before the first event
    const ofFeed = await tokenFor(application, "/events", { expires_in: 300 })
    const feed = await open(`${ofFeed.url}&types=run.completed`, { headers: { accept: "text/event-stream" } })
    expect((await readEvents(feed, () => true))[0]!.data.data.id).toBe(run.run_id)
  })

  test("opens nothing else, changes nothing, and is not to be made up", async () => {
    visitor++
    const other = await talk(application)
    const { url, token } = await tokenFor(application, eventsOf(conversation))
    const query = `?stream_token=${token}`
    const api = "/external-docs/external"
    const [ends, holder, signature] = token.split(".")
    const elsewhere = [
      `${api}${eventsOf(other)}${query}`,
      `${api}/conversations/${conversation}${query}`,
      `${api}/conversations${query}`,
      `${api}/libraries${query}`,
      `${api}/events${query}`,
      `/v1/models${query}`,
      url.replace(
        conversation,
        `${conversation.slice(0, -1)}%${conversation.charCodeAt(conversation.length - 1).toString(16)}`,
      ),
      url.replace("/events?", "//events?"),
      url.replace(token, `${Number(ends) + 100}.${holder}.${signature}`),
      url.replace(token, `${ends}.${holder}0.${signature}`),
      url.replace(token, `${ends}.${holder}.${signature!.slice(0, -1)}`),
      url.replace(token, ""),
    ]
    for (const address of elsewhere) expect([address, await status(address)]).toEqual([address, 401])
    for (const method of ["POST", "PATCH", "DELETE"])
      expect(await status(`${api}/conversations/${conversation}${query}`, { method })).toBe(401)
    expect(await status(url, { method: "HEAD" })).toBe(401)
    expect(await status(url, { headers: { authorization: `Bearer ${application.key.token}` } })).toBe(401)
    expect(await status(url, { headers: { authorization: `Bearer ${token}` } })).toBe(401)
    expect(await status(url)).toBe(200)
  })

  test("of a stream that the caller does not see is not made", async () => {
    const [stranger, narrow] = [await app.client("other"), await app.client("default", { scopes: ["search"] })]
    const made = async (client: Client, path: string, body?: object) =>
      (await client.post(`${path}/token`, body)).status
    expect(await made(stranger, eventsOf(conversation))).toBe(404)
    expect(await made(await app.client("default", { context_ids: ["a"] }), eventsOf(conversation))).toBe(404)
    expect(await made(application, eventsOf("conv_none"))).toBe(404)
    expect(await made(application, "/agents/runs/run_none/events")).toBe(404)
    for (const path of [
      eventsOf(conversation),
      "/agents/runs/run_none/events",
      "/libraries/file_none/events",
      "/events",
    ])
      expect(await made(narrow, path)).toBe(403)
    for (const expires_in of [0, 301, 1.5, "60"]) expect(await made(application, "/events", { expires_in })).toBe(400)
  })

  test("is not made for a console session", async () => {
    const { session } = await new People(app).add({ admin: true })
    expect((await application.bearer(session.authorization.slice("Bearer ".length)).post("/events/token")).status).toBe(
      403,
    )
  })

  test("ends with its time, its key and its scoped token, and takes what it opened along", async () => {
    const [revoked, scoped] = [await app.client(), await app.client()]
    const short = await tokenFor(application, "/events", { expires_in: 1 })
    const ofToken = await tokenFor(await scoped.scoped(), "/events")
    const ofKey = await tokenFor(revoked, "/events")
    const accept = { headers: { accept: "text/event-stream" } }
    const [first, second] = [await open(ofKey.url, accept), await open(ofToken.url, accept)]
    expect([first.status, second.status]).toEqual([200, 200])
    await beside(keys => keys.revoke(revoked.key.id))
    await beside(keys => keys.change(scoped.key.id, { context_ids: ["a"] }))
    for (const response of [first, second]) {
      const events = await readEvents(response)
      expect(events.at(-2)).toMatchObject({ event: "error", data: { error: { code: "unauthorized" } } })
    }
    expect(await status(ofKey.url, accept)).toBe(401)
    // What the narrowed key sees now is what its token opens from now on.
    expect(await status(ofToken.url, accept)).toBe(200)
    await until(async () => Date.parse(short.expires_at) <= Date.now())
    expect(await status(short.url, accept)).toBe(401)
  })

  test("that is guessed spends the limit for wrong credentials, and right ones still pass", async () => {
    visitor++
    const { url, token } = await tokenFor(application, eventsOf(conversation))
    const guesses = Array.from({ length: 40 }, (_, i) => url.replace(token, token.slice(0, -2) + String(10 + i)))
    const answers = await Promise.all(guesses.map(each => status(each)))
    expect(new Set(answers)).toEqual(new Set([401, 429]))
    expect(await status(url)).toBe(200)
  })
})

test("another installation's token, and one for another path, are none", async () => {
  const holder = { principal: { holderId: "key_a", view: {}, scopes: [] }, view: {}, endsAt: null }
  const of = (fill: number) =>
    new StreamTokens(new Uint8Array(32).fill(fill), { find: async () => holder as never }, () => 1_795_428_000_000)
  const { token } = of(1).make(holder.principal as never, "/external/events")
  expect(token).toMatch(/^1795428060\.key_a\.[\w-]{43}$/)
  expect(await of(1).open(token, "/external/events")).toMatchObject({ holderId: "key_a" })
  expect(await of(2).open(token, "/external/events")).toBeNull()
  expect(await of(1).open(token, "/external/event")).toBeNull()
})

test.skipIf(!hasBrowser)(
  "a page of another origin follows a conversation by EventSource, and goes on where it was",
  async () => {
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS })
    const page = await browser.newPage()
    await page.goto(site.url.href)
    const { url } = await tokenFor(application, eventsOf(conversation))
    const follow = (address: string) =>
      page.evaluate(
        address =>
          new Promise<{ text: string; last: string }>((resolve, reject) => {
            const source = new EventSource(address)
            let text = ""
            source.addEventListener("message_delta", event => {
              text += JSON.parse(event.data).text
            })
            source.addEventListener("done", event => {
              source.close()
              resolve({ text, last: event.lastEventId })
            })
            source.onerror = () => reject(new Error("refused"))
          }),
        address,
      )
    const { text, last } = await follow(app.url + url)
    expect(text).toBe(PIECES.join(""))
    expect(Number(last)).toBeGreaterThan(PIECES.length)
    const { text: rest } = await follow(`${app.url}${url}&after=20`)
    expect(rest.length).toBeLessThan(text.length)
    expect(rest).toEndWith("w39 ")
    expect(text).toEndWith(rest)
    await browser.close()
  },
)
