/** Tools of a turn with a model that reads little at once, and with one that does nothing but call. */
import { Database as Sqlite } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { guessTokens } from "../../src/backends/guess-tokens.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { dataOf, type ReadEvent, readEvents } from "../support/events.ts"
import type { RecordedRequest } from "../support/model-script.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"

const WINDOW = 4_096
const SMALL = { ...LLAMA, name: "small:1b", digest: "s", contextLength: WINDOW }
const MODEL = "ollama/small:1b"

let app: TestApp
let api: Client
let ollama: OllamaStandIn
let fileId: string

const text = Array.from({ length: 2_000 }, (_, at) => `row ${at} of the harbor register, weighed 17.${at} kg`)

beforeAll(async () => {
  ollama = await startOllama([SMALL])
  app = await startTestApp({ "ollama-host": ollama.server.url })
  api = await app.client()
  const [file] = await api.index([
    { name: "wide.csv", data: ["no,note", ...text.map((row, at) => `${at},"${row}"`)].join("\n") },
  ])
  fileId = file!.id
}, 60_000)
afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

const stream = async (message: string): Promise<ReadEvent[]> =>
  readEvents(await api.raw("POST", "/conversations", { model: MODEL, message, file_ids: [fileId] }))
const got = (scene: string) => ollama.server.scenes.got(scene)

/** What a request takes of the window, its answer included, by the guess that is high by a fifth. */
function tokensOf({ messages, tools = [], options }: RecordedRequest): number {
  const turns = messages.map(
    (turn: RecordedRequest) =>
      guessTokens(turn.content) + (turn.tool_calls ? guessTokens(JSON.stringify(turn.tool_calls)) : 0) + 8,
  )
  const sum = turns.reduce((total: number, tokens: number) => total + tokens, 0)
  return sum + guessTokens(JSON.stringify(tools)) + (options.num_predict ?? WINDOW / 4)
}

const longSql = (at: number) => `select ${at}, '${"x, ".repeat(2_000)}' from data limit 1`
const CALLS: [string, (at: number) => { name: string; arguments: Record<string, unknown> }][] = [
  [
    "long results",
    at => ({
      name: "query_table",
      arguments: { file_id: fileId, sql: `select note from data limit 200 offset ${at}` },
    }),
  ],
  ["long statements", at => ({ name: "query_table", arguments: { file_id: fileId, sql: longSql(at) } })],
  [
    "malformed arguments",
    at => ({ name: "query_table", arguments: { file: at, list: Array.from({ length: 3_000 }, (_, i) => i) } }),
  ],
  ["names of tools that there are not", at => ({ name: `delete_${"all_".repeat(1_000)}${at}`, arguments: {} })],
]

describe.each(CALLS)("sixteen calls a turn with %s", (name, call) => {
  test("fit the window in each request, and the reader is told", async () => {
    const scene = name.replaceAll(" ", "")
    ollama.server.scenes.add(scene, (request, count) =>
      request.tools && count < 5
        ? {
            tools: Array.from({ length: 16 }, (_, at) => call(count * 16 + at)),
            promptTokens: tokensOf(request) - WINDOW / 4,
          }
        : { text: "That is all." },
    )
    const events = await stream(`case-${scene} What was weighed?`)
    expect(got(scene).length).toBeGreaterThan(1)
    for (const request of got(scene)) {
      expect(tokensOf(request)).toBeLessThanOrEqual(WINDOW)
      expect(request.options.num_ctx).toBeLessThanOrEqual(WINDOW)
      // Every result has its call before it, and every call its result.
      const calls = request.messages.flatMap((turn: RecordedRequest) => turn.tool_calls ?? [])
      expect(request.messages.filter(({ role }: { role: string }) => role === "tool")).toHaveLength(calls.length)
    }
    // The newest results are not lost altogether.
    expect(
      got(scene)
        .at(-1)
        .messages.some(({ role }: { role: string }) => role === "tool"),
    ).toBe(true)
    const warnings = events.filter(({ event }) => event === "warning").map(({ data }) => data)
    const told = warnings.filter(({ code, message }) => code === "context_truncated" && /calls of tools/.test(message))
    expect(told).toHaveLength(1)
    expect(dataOf(events, "message_completed").content).toBe("That is all.")
  }, 120_000)
})

test("what a shortened result leaves in a stored prompt goes with its file", async () => {
  const [file] = await api.index([
    { name: "gone.csv", data: `word,note\n${text.map((_, at) => `zeppelin,xylograph ${at}`).join("\n")}` },
  ])
  const call = (at: number) => ({
    name: "query_table",
    arguments: { file_id: file!.id, sql: `select * from data limit 100 offset ${at}` },
  })
  ollama.server.scenes.add("leaves", (request, count) =>
    request.tools && count < 3
      ? { tools: Array.from({ length: 16 }, (_, at) => call(count * 16 + at)) }
      : { text: "Done." },
  )
  const events = await readEvents(
    await api.raw("POST", "/conversations", { model: MODEL, message: "case-leaves Go", file_ids: [file!.id] }),
  )
  const last = JSON.stringify(got("leaves").at(-1))
  expect(last).toContain("zeppelin")
  expect(last).toContain("to save room]")
  const { conversation_id } = dataOf(events, "conversation_created")
  const { message_id } = dataOf(events, "message_completed")
  const path = `/conversations/${conversation_id}/messages/${message_id}/record?prompt=true`
  const { prompt } = (await api.get(path)).body
  expect(prompt.complete).toBe(true)
  expect(prompt.turns.map(({ content }: { content: string }) => content)).toEqual(
    got("leaves")
      .at(-1)
      .messages.map(({ content }: { content: string }) => content),
  )
  expect((await api.raw("DELETE", `/libraries/${file!.id}`)).status).toBeLessThan(300)
  const after = (await api.get(path)).body
  expect(after.prompt.complete).toBe(false)
  using database = new Sqlite(join(app.data, "carrel.db"), { readonly: true })
  for (const table of ["answer_records", "record_texts", "messages"])
    expect(JSON.stringify(database.query(`select * from ${table}`).all())).not.toMatch(/zeppelin|xylograph/)
}, 60_000)

describe("a model that only calls", () => {
  const calling = (scene: string, isMended: boolean) =>
    ollama.server.scenes.add(scene, (request, count) =>
      isMended && !request.tools
        ? { text: "Enough." }
        : { tools: [{ name: "calculate", arguments: { expression: `${count} + 1` } }] },
    )

  test("in its last turn as well ends with model_error, and no reply is complete and empty", async () => {
    calling("never", false)
    const events = await stream("case-never Go")
    expect(dataOf(events, "error").error.code).toBe("model_error")
    expect(events.some(({ event }) => event === "message_completed")).toBe(false)
    expect(got("never").at(-1).tools).toBeUndefined()
    const {
      body: { data },
    } = await api.get("/conversations?q=case-never")
    const { messages } = (await api.get(`/conversations/${data[0].conversation_id}`)).body
    expect(messages.at(-1)).toMatchObject({ finish_reason: "error", error: { code: "model_error" } })
  }, 60_000)

  test("is 502 where the answer is one body, in our shape and in OpenAI's", async () => {
    calling("neverjson", false)
    const ours = await api.post("/start-conversation", {
      model: MODEL,
      message: "case-neverjson Go",
      file_ids: [fileId],
    })
    expect([ours.status, ours.body.error.code]).toEqual([502, "model_error"])
    const messages = [{ role: "user", content: "case-neverjson Go" }]
    const body = { model: `library/${MODEL}`, messages, carrel: { file_ids: [fileId] } }
    expect((await api.under("").raw("POST", "/v1/chat/completions", body)).status).toBe(502)
  }, 60_000)

  test("is told to answer once, without tools, and may", async () => {
    calling("told", true)
    const events = await stream("case-told Go")
    expect(dataOf(events, "message_completed").content).toBe("Enough.")
    expect(got("told").filter(({ tools }) => tools === undefined)).toHaveLength(1)
  }, 60_000)

  test("and then says nothing is told to answer as well", async () => {
    ollama.server.scenes.add("silent", (request, count) =>
      count === 0
        ? { tools: [{ name: "calculate", arguments: { expression: "1 + 1" } }] }
        : { text: request.tools ? "" : "Two." },
    )
    expect(dataOf(await stream("case-silent Go"), "message_completed").content).toBe("Two.")
  }, 60_000)
})
