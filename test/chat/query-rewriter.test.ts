/** The model writes the search query of a follow-up, and what happens where it does not. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { dataOf, readEvents, textOf } from "../support/events.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { until } from "../support/until.ts"

const LOADED = { ...LLAMA, loadedContext: 8_192 }
const COLD = { ...LLAMA, name: "cold:1b", digest: "c" }

let app: TestApp
let api: Client
let ollama: OllamaStandIn

beforeAll(async () => {
  ollama = await startOllama([LOADED, COLD])
  await begin()
  await api.index([
    { name: "lynx.txt", data: "The lynx of the northern reserve eats hares and small deer.\n" },
    { name: "otter.txt", data: "The otter of the southern lake eats crayfish and eels.\n" },
  ])
}, 60_000)

afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

beforeEach(() => {
  ollama.server.requests.length = 0
})

async function begin(): Promise<void> {
  app = await startTestApp({ "ollama-host": ollama.server.url })
  api = await app.client()
}

const stream = async (path: string, body: unknown) => readEvents(await api.raw("POST", path, body))

/** Asks about the otter, then follows up; the requests that the model got for the follow-up. */
async function followUp(scene: string, message = "And what does it eat?", model = "ollama/llama3.2:3b", more = {}) {
  const first = await stream("/conversations", { model, message: `case-${scene} Where does the otter live?`, ...more })
  const id = dataOf(first, "conversation_created").conversation_id
  ollama.server.requests.length = 0
  const started = performance.now()
  const events = await stream(`/conversations/${id}`, { message })
  return { events, requests: [...ollama.server.requests], ms: performance.now() - started }
}

const isRewriting = (request: { messages: { content: string }[] }) =>
  request.messages.at(-1)!.content.endsWith("Search query:")
const names = (events: Parameters<typeof dataOf>[0]): string[] =>
  dataOf(events, "sources").sources.map((source: { name: string }) => source.name)

test("a follow-up is searched with the query that the model writes, asked shortly and without thinking", async () => {
  ollama.server.scenes.add("otter", request =>
    isRewriting(request) ? { text: 'Search query: "lynx northern reserve hares"\nbecause …' } : { text: "Eels." },
  )
  const { events, requests } = await followUp("otter")
  expect(requests).toHaveLength(2)
  const [asked, answered] = requests
  expect(asked.options).toMatchObject({ temperature: 0, num_predict: 64, num_ctx: 8_192 })
  expect(JSON.stringify(asked.messages)).toContain("Where does the otter live?")
  expect(names(events)[0]).toBe("lynx.txt") // what the model wrote, not what was said before
  expect(answered.messages.at(-1).content).toEndWith("And what does it eat?")
  expect(JSON.stringify(answered.messages)).not.toContain("northern reserve hares")
  expect(textOf(events)).toBe("Eels.")
})

test.each([
  ["a message that stands alone", "How large is the northern reserve of the lynx altogether in square kilometres?"],
])("%s asks the model once only", async (_, message) => {
  ollama.server.scenes.add("alone", { text: "ok" })
  expect((await followUp("alone", message)).requests).toHaveLength(1)
})

test("neither a model that is not loaded nor a conversation without library is asked for a query", async () => {
  ollama.server.scenes.add("cold", { text: "ok" })
  expect((await followUp("cold", "And what does it eat?", "ollama/cold:1b")).requests).toHaveLength(1)
  const off = await followUp("cold", "And what does it eat?", undefined, { use_library: false })
  expect(off.requests).toHaveLength(1)
})

test.each([
  ["an error", { status: 500, error: "out of memory" }],
  ["a broken stream", { pieces: ["lynx "], endAfter: 1 }],
  ["nothing but marks", { text: '""' }],
])("%s instead of a query leaves history terms and the turn unharmed", async (_, broken) => {
  ollama.server.scenes.add("broken", request => (isRewriting(request) ? broken : { text: "Crayfish." }))
  const { events, requests } = await followUp("broken")
  expect(requests).toHaveLength(2)
  expect(names(events)[0]).toBe("otter.txt")
  expect(textOf(events)).toBe("Crayfish.")
  expect(events.map(({ event }) => event)).not.toContain("error")
})

test("under redaction the model is shown nothing private for the query either", async () => {
  ollama.server.scenes.add("private", { text: "otter" })
  const { requests } = await followUp("private", "And what does it eat, kari.nord@example.org?", undefined, {
    redaction: { kinds: ["EMAIL"] },
  })
  expect(requests.some(isRewriting)).toBe(true)
  expect(JSON.stringify(requests)).not.toContain("kari.nord")
})

test("a model that is too slow is waited for some seconds, given up, and not asked again", async () => {
  ollama.server.scenes.add("slow", request => (isRewriting(request) ? { hang: true } : { text: "Eels." }))
  const first = await followUp("slow")
  expect(textOf(first.events)).toBe("Eels.")
  expect(first.requests).toHaveLength(2)
  expect(first.ms).toBeGreaterThan(2_500)
  const second = await followUp("slow")
  expect(second.requests).toHaveLength(1)
  await until(() => ollama.server.open === 0)
}, 20_000)

test("query_rewriting: off never asks", async () => {
  await app.stop()
  app = await startTestApp({ "ollama-host": ollama.server.url, "query-rewriting": "off" })
  api = await app.client()
  ollama.server.scenes.add("off", { text: "ok" })
  expect((await followUp("off")).requests).toHaveLength(1)
})
