/** A search engine that does not answer: chat goes on and says so, search is refused, agents are told. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, spyOn, test } from "bun:test"
import { EngineError } from "../../src/errors.ts"
import { setLogSink } from "../../src/log.ts"
import { SearchIndex } from "../../src/search/index.ts"
import { ThreadClient, ThreadEnded } from "../../src/threads/thread-client.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { dataOf, readEvents } from "../support/events.ts"
import { LLAMA, startOllama } from "../support/ollama.ts"

setDefaultTimeout(60_000)
setLogSink(() => {})
const MODEL = `ollama/${LLAMA.name}`
const EXTRACTIVE = "builtin/extractive"

let ollama: Awaited<ReturnType<typeof startOllama>>
let app: TestApp
let client: Client
beforeAll(async () => {
  ollama = await startOllama([LLAMA])
  app = await startTestApp({ "ollama-host": ollama.server.url })
  client = await app.client()
  await client.index([{ name: "river.txt", data: "The river is wide." }])
})
afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

let spy: { mockRestore(): void } | undefined
afterEach(() => spy?.mockRestore())
/** The engine of several machines. */
const engineDown = () => {
  spy = spyOn(SearchIndex.prototype, "search").mockRejectedValue(new EngineError("search", "connect ECONNREFUSED"))
}
/** The worker of one machine. */
function workerDead(): void {
  const { ask } = ThreadClient.prototype
  spy = spyOn(ThreadClient.prototype, "ask").mockImplementation(function (this: unknown, task: unknown, ...rest) {
    if (task === "search") return Promise.reject(new ThreadEnded("the search worker failed: it ended"))
    return Reflect.apply(ask, this, [task, ...rest])
  } as typeof ask)
}

const warningOf = (events: Awaited<ReturnType<typeof readEvents>>) =>
  events.filter(({ event }) => event === "warning").map(({ data }) => data)
const SAID = { code: "library_unavailable", message: expect.stringContaining("cannot be searched") }

test.each([
  ["the engine of several machines is down", engineDown],
  ["the search worker died", workerDead],
])("while %s, chat warns, answers without passages and tells its model why", async (_, breakIt) => {
  breakIt()
  const asked = { message: "case-river How wide is the river?", model: MODEL }
  const events = await readEvents(await client.raw("POST", "/conversations", asked))
  expect(warningOf(events)).toEqual([SAID])
  expect(dataOf(events, "message_completed")).toMatchObject({ finish_reason: "stop", citations: [] })
  const prompt = JSON.stringify(ollama.server.scenes.got("river").at(-1))
  expect(prompt).toContain("could not be searched just now")
  expect(prompt).not.toContain("no passage of it bears")
  const { conversation_id } = dataOf(events, "conversation_created")
  const { body } = await client.get(`/conversations/${conversation_id}`)
  expect(body.messages[1].warnings).toEqual([SAID])
})

test("chat without a language model does not say that the library holds nothing", async () => {
  engineDown()
  const { body } = await client.post("/start-conversation", { message: "How wide is the river?", model: EXTRACTIVE })
  expect(body.messages[1].content).toBe("The library cannot be searched at present. Ask again a little later.")
})

test("chat that wants no library warns of none", async () => {
  engineDown()
  const asked = { message: "hello", model: MODEL, use_library: false }
  expect(warningOf(await readEvents(await client.raw("POST", "/conversations", asked)))).toEqual([])
})

test.each([
  ["the engine of several machines is down", engineDown],
  ["the search worker died", workerDead],
])("while %s, search is refused and says when to come again", async (_, breakIt) => {
  breakIt()
  const { status, headers, body } = await client.post("/search", { query: "river" })
  expect([status, headers.get("retry-after"), body.error.code]).toEqual([503, "2", "store_unavailable"])
  expect(body.error).toMatchObject({
    message: "the search engine cannot be reached at present",
    details: [{ store: "search" }],
  })
})

test("an agent's search tells the model that the engine is away, and the run goes on", async () => {
  engineDown()
  const searching = { tools: [{ name: "search_library", arguments: { query: "river" } }] }
  ollama.server.scenes.add("agent", (_, count) => (count === 0 ? searching : { text: "It could not be looked up." }))
  const { body } = await client.post("/agents/run", { task: "case-agent How wide is the river?", model: MODEL })
  expect(body.status).toBe("completed")
  const search = body.steps.find((step: { name?: string }) => step.name === "search_library")
  expect(search).toMatchObject({
    is_error: true,
    result: expect.stringContaining("the search engine cannot be reached"),
  })
})

test("an agent without a language model says that the library could not be searched", async () => {
  engineDown()
  const { body } = await client.post("/agents/run", { task: "How wide is the river?", model: EXTRACTIVE })
  expect(body.output).toStartWith("The library could not be searched, so there is nothing to quote.")
})

test("an upload is taken all the same", async () => {
  engineDown()
  const { status } = await client.upload([{ name: "later.txt", data: "Later." }])
  expect(status).toBe(202)
})
