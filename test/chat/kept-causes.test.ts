/** Why a reply failed, and what it warned of, is kept with the message and can be read later. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { setLogLevel, setLogSink } from "../../src/log.ts"
import type { Client, TestApp } from "../support/app.ts"
import { dataOf, readEvents } from "../support/events.ts"
import type { ModelServer } from "../support/model-server.ts"
import { MODEL, startTalk, type Talk } from "../support/talk.ts"

const SAID = "the runner has no memory left"
let talk: Talk
let app: TestApp
let server: ModelServer
let client: Client

beforeAll(async () => {
  talk = await startTalk()
  ;({ app, api: client } = talk)
  server = talk.ollama.server
})
afterAll(() => talk.stop())

const lastOf = async (conversationId: string) =>
  (await client.get(`/conversations/${conversationId}`)).body.messages.at(-1)

test("the error of a failed reply stands in the conversation, also after a restart, until it is written on", async () => {
  server.scenes.add("fails", (_, count) =>
    count === 0 ? { pieces: ["The ", "rent "], errorAfter: 2, error: SAID } : { text: "is 900." },
  )
  const response = await client.raw("POST", "/conversations", {
    message: "case-fails",
    model: MODEL,
    use_library: false,
  })
  const events = await readEvents(response)
  const { conversation_id } = dataOf(events, "conversation_created")
  const { error } = dataOf(events, "error")
  const kept = {
    finish_reason: "error",
    content: "The rent ",
    error: { code: "model_error", message: error.message, hint: `Ollama said: ${SAID}` },
  }
  expect(await lastOf(conversation_id)).toMatchObject(kept)
  await app.restart()
  expect(await lastOf(conversation_id)).toMatchObject(kept)
  const replayed = await readEvents(await client.raw("GET", `/conversations/${conversation_id}/events`))
  expect(dataOf(replayed, "error").error).toEqual(kept.error)
  const { body } = await client.post("/continue", { conversation_id, model: MODEL })
  expect(body.messages[0]).toMatchObject({ content: "The rent is 900.", error: null, finish_reason: "stop" })
  expect(await lastOf(conversation_id)).toMatchObject({ error: null })
})

test("a line that is not JSON is told to the caller and stays out of the log, whatever it holds", async () => {
  const lines: string[] = []
  setLogLevel("debug")
  setLogSink(line => lines.push(line))
  server.scenes.add("garbage", { pieces: ["a "], garbageAfter: 1, error: "DIAGNOSIS of the patient" })
  try {
    const asked = { message: "case-garbage", model: MODEL, use_library: false }
    const { status, body } = await client.post("/start-conversation", asked)
    expect(status).toBe(502)
    expect(body.error.hint).toContain("DIAGNOSIS of the patient")
    await client.post("/agents/run", { task: "case-garbage", model: MODEL })
    expect(lines.some(line => line.includes("a reply failed"))).toBe(true)
    expect(lines.filter(line => line.includes("DIAGNOSIS"))).toEqual([])
  } finally {
    setLogLevel("error")
    setLogSink(line => void process.stdout.write(`${line}\n`))
  }
})

test("a reply that went well has no error and no warnings", async () => {
  const { body } = await client.post("/start-conversation", { message: "hello", model: MODEL, use_library: false })
  for (const message of body.messages) expect(message).toMatchObject({ error: null, warnings: [] })
})

describe("writing whose names are not known", () => {
  const GEORGIAN = "რა ვადა აქვს ხელშეკრულებას?"
  const code = "redaction_partial"

  test.each([
    ["in the message", GEORGIAN, "Three months."],
    ["in the reply", "What is the term?", `The term: ${GEORGIAN}`],
  ])("%s is said once in the stream, and kept with the reply", async (_, message, text) => {
    server.scenes.add("script", { text })
    const asked = { message: `case-script ${message}`, model: MODEL, redaction: true, use_library: false }
    const events = await readEvents(await client.raw("POST", "/conversations", asked))
    const warnings = events.filter(({ event }) => event === "warning").map(({ data }) => data)
    expect(warnings).toEqual([{ code, message: expect.stringContaining("names") }])
    const { conversation_id } = dataOf(events, "conversation_created")
    expect((await lastOf(conversation_id)).warnings).toEqual(warnings)
    await app.restart()
    const replayed = await readEvents(await client.raw("GET", `/conversations/${conversation_id}/events`))
    expect(replayed.filter(({ event }) => event === "warning").map(({ data }) => data)).toEqual(warnings)
  })

  test("is said in answers of the calls that wait for the reply, and of runs", async () => {
    server.scenes.add("script", { text: "Three months." })
    const message = `case-script ${GEORGIAN}`
    const { body } = await client.post("/start-conversation", { message, model: MODEL, redaction: true })
    expect(body.messages[1].warnings).toMatchObject([{ code }])
    const run = await client.post("/agents/run", { task: message, model: MODEL, redaction: true })
    expect(run.body.warnings).toMatchObject([{ code }])
    expect((await client.get(`/agents/runs/${run.body.run_id}`)).body.warnings).toMatchObject([{ code }])
  })

  test("is not said without redaction, nor of Latin text", async () => {
    server.scenes.add("script", { text: "Three months." })
    for (const asked of [{ message: `case-script ${GEORGIAN}` }, { message: "case-script Term?", redaction: true }]) {
      const { body } = await client.post("/start-conversation", { ...asked, model: MODEL, use_library: false })
      expect(body.messages[1].warnings).toEqual([])
      const run = await client.post("/agents/run", { task: asked.message, redaction: asked.redaction, model: MODEL })
      expect(run.body.warnings).toEqual([])
    }
  })
})
