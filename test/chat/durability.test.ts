/** Replies and the end of the process: killed, stopped, and many at once. */
import { afterEach, expect, test } from "bun:test"
import { startTestApp } from "../support/app.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { dataOf, readEvents, textOf } from "../support/events.ts"
import { type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { replyStored } from "../support/talk.ts"
import { until } from "../support/until.ts"

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function standIn(): Promise<OllamaStandIn> {
  const ollama = await startOllama()
  cleanups.push(() => ollama.server.stop())
  return ollama
}

async function daemonWith(ollama: OllamaStandIn): Promise<Daemon> {
  const daemon = await startDaemon(["--ollama-host", ollama.server.url])
  cleanups.push(() => daemon.remove())
  return daemon
}

const SLOW = "word ".repeat(200)

/** Begins a reply of 200 slow words and leaves after the sixth. */
async function begin(daemon: Daemon, ollama: OllamaStandIn): Promise<{ id: string; text: string }> {
  ollama.server.scenes.add("slow", { text: SLOW, delayMs: 100 })
  const response = await fetch(`${daemon.url}/external/conversations`, {
    method: "POST",
    headers: { ...daemon.credentials, "content-type": "application/json" },
    body: JSON.stringify({ message: "case-slow", model: "ollama/llama3.2:3b", use_library: false }),
  })
  let words = 0
  const events = await readEvents(response, ({ event }) => event === "message_delta" && ++words === 6)
  return { id: dataOf(events, "conversation_created").conversation_id, text: textOf(events) }
}

test("a reply that is being written when the process is killed is stored as far as it came", async () => {
  const ollama = await standIn()
  const daemon = await daemonWith(ollama)
  const { id } = await begin(daemon, ollama)
  await replyStored(daemon.data, "word word word")
  await daemon.kill()
  await daemon.start()
  const { messages } = await daemon.call("GET", `/conversations/${id}`)
  expect(messages[1].finish_reason).toBe("error")
  expect(messages[1].content).toStartWith("word word word")
  const followed = await fetch(`${daemon.url}/external/conversations/${id}/events`, { headers: daemon.credentials })
  const events = await readEvents(followed)
  expect(textOf(events)).toBe(messages[1].content)
  expect(events.map(event => event.event).slice(-2)).toEqual(["message_completed", "done"])
}, 60_000)

test("a stop ends replies with a finish reason, and waits for none to be written out", async () => {
  const ollama = await standIn()
  const daemon = await daemonWith(ollama)
  const { id, text } = await begin(daemon, ollama)
  expect(await daemon.stop()).toBe(0)
  expect(ollama.server.open).toBe(0)
  await daemon.start()
  const { messages } = await daemon.call("GET", `/conversations/${id}`)
  expect(messages[1].finish_reason).toBe("error")
  expect(messages[1].content).toStartWith(text)
  expect(messages[1].content.length).toBeLessThan(SLOW.length)
}, 60_000)

test("two hundred replies at once all complete, none mixed with another", async () => {
  const ollama = await standIn()
  // A process of its own: client and daemon would share one bound on requests.
  const daemon = await daemonWith(ollama)
  ollama.server.scenes.add("many", request => {
    const [name] = /number-\d+/.exec(JSON.stringify(request.messages))!
    return { text: `${name} `.repeat(20), delayMs: 20 }
  })
  const replies = await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const body = { message: `case-many number-${i}`, model: "ollama/llama3.2:3b", use_library: false }
      const response = await fetch(`${daemon.url}/external/conversations`, {
        method: "POST",
        headers: { ...daemon.credentials, "content-type": "application/json" },
        body: JSON.stringify(body),
      })
      expect(response.status).toBe(200)
      return readEvents(response)
    }),
  )
  for (const [i, events] of replies.entries()) {
    expect(textOf(events).trim()).toBe(`number-${i} `.repeat(20).trim())
    expect(dataOf(events, "message_completed").finish_reason).toBe("stop")
  }
}, 60_000)

test("beyond the bound a reply is refused with a time to come back", async () => {
  const ollama = await standIn()
  const app = await startTestApp({ "ollama-host": ollama.server.url, "max-replies": "2" })
  cleanups.push(() => app.stop())
  const api = await app.client()
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
  ollama.server.scenes.add("hold", { text: "ok", held })
  const body = { message: "case-hold", model: "ollama/llama3.2:3b", use_library: false }
  const first = [api.post("/start-conversation", body), api.post("/start-conversation", body)]
  await until(() => ollama.server.open === 2)
  const refused = await api.post("/start-conversation", body)
  expect([refused.status, refused.body.error.code]).toEqual([503, "overloaded"])
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  goOn()
  for (const { status } of await Promise.all(first)) expect(status).toBe(200)
  expect((await api.get("/conversations")).body.pagination.total_items).toBe(2)
})
