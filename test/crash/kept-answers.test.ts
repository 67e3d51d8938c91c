/** SIGKILL amid a response in the background: what was written of it stands, and it is said to have failed. */
import { afterAll, expect, test } from "bun:test"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { MODEL, replyStored } from "../support/talk.ts"

let daemon: Daemon | undefined
let ollama: OllamaStandIn | undefined
afterAll(async () => {
  await daemon?.remove()
  ollama?.server.stop()
})

test("a response that was being written is failed after a kill, keeps its text, and can be gone on from", async () => {
  ollama = await startOllama()
  const { scenes } = ollama.server
  scenes.add("killed", { pieces: ["It goes", " on"], hangAfter: 2 })
  daemon = await startDaemon(["--ollama-host", ollama.server.url])
  const headers = { ...daemon.credentials, "content-type": "application/json" }
  // biome-ignore lint/suspicious/noExplicitAny: a response
  const call = async (path: string, body?: object): Promise<any> => {
    const init = body ? { method: "POST", body: JSON.stringify({ model: MODEL, ...body }) } : {}
    return (await fetch(`${daemon!.url}/v1/responses${path}`, { headers, ...init })).json()
  }
  const begun = await call("", { input: "case-killed", background: true })
  expect(begun.status).toBe("in_progress")
  await replyStored(daemon.data, "It goes on")
  await daemon.kill()
  await daemon.start()
  const after = await call(`/${begun.id}`)
  expect([after.status, after.error.code, after.output[0].content[0].text]).toEqual([
    "failed",
    "interrupted",
    "It goes on",
  ])
  const next = await call("", { input: "case-after: go on.", previous_response_id: begun.id })
  expect([next.status, next.conversation.id]).toEqual(["completed", begun.conversation.id])
}, 120_000)
