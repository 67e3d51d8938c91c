/** SIGKILL amid the reading of a file part by part: what is noted is not asked for again. */
import { Database } from "bun:sqlite"
import { afterAll, expect, test } from "bun:test"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { longText } from "../support/long-text.ts"
import type { RecordedRequest } from "../support/model-script.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { until } from "../support/until.ts"

let daemon: Daemon | undefined
let ollama: OllamaStandIn | undefined
afterAll(async () => {
  await daemon?.remove()
  ollama?.server.stop()
})

const promptOf = (request: RecordedRequest): string => request.messages[1]?.content ?? ""
const isPart = (request: RecordedRequest): boolean => request.messages[0].content.startsWith("You take notes")

function conversationIn(data: string): string {
  using database = new Database(join(data, "carrel.db"), { readonly: true })
  return (database.query("select id from conversations").get() as { id: string }).id
}

test("after a kill the model is asked for the missing parts only, none of the finished ones", async () => {
  ollama = await startOllama([{ ...LLAMA, name: "small:1b", digest: "s", contextLength: 4_096 }])
  const { scenes } = ollama.server
  const finished = 5
  let isFirst = true
  scenes.add("killed", (request, count) => {
    if (!isPart(request)) return { text: "All of it [1]." }
    const text = `${promptOf(request).match(/counted \d+ gulls/)?.[0]} [1]`
    return isFirst && count >= finished ? { text, hang: true } : { text }
  })
  daemon = await startDaemon(["--ollama-host", ollama.server.url])
  const file = await daemon.index("keeper.txt", longText(40))
  const message = "case-killed Summarize the file."
  const asked = daemon.call("POST", "/conversations", { model: "ollama/small:1b", message, file_ids: [file.id] })
  asked.catch(() => {})
  const { data } = daemon
  await until(() => {
    using database = new Database(join(data, "carrel.db"), { readonly: true })
    return (database.query("select count(*) as n from reading_notes").get() as { n: number }).n === finished
  })
  await daemon.kill()
  const before = scenes.got("killed").filter(isPart)
  isFirst = false
  await daemon.start()
  const id = conversationIn(data)
  const path = `/conversations/${id}`
  const { messages } = await daemon.call("GET", path)
  expect(messages.at(-1).finish_reason).toBe("error")
  await daemon.call("POST", `${path}/messages/${messages.at(-1).id}/regenerate`, {}, { accept: "application/json" })
  const after = scenes.got("killed").filter(isPart).slice(before.length)
  const done = new Set(before.slice(0, finished).map(promptOf))
  expect(after.filter(request => done.has(promptOf(request)))).toEqual([])
  const total = new Set([...before, ...after].map(promptOf)).size
  expect(after.length).toBe(total - finished)
  const { messages: now } = await daemon.call("GET", path)
  expect([now.at(-1).finish_reason, now.at(-1).content]).toEqual(["stop", "All of it [1]."])
}, 120_000)
