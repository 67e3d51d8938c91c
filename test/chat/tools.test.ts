/** Tools that a model uses by itself while it answers: what it is offered, what it gets, what its readers are told. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import * as XLSX from "@e965/xlsx"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { dataOf, type ReadEvent, readEvents } from "../support/events.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"

const MODEL = "ollama/llama3.2:3b"
const PLAIN = { ...LLAMA, name: "plain:1b", digest: "p", capabilities: ["completion"] }
const ROWS = 50_000
const COLUMNS = 20
const REGIONS = ["North", "South", "East", "West"]

/** Row n has the amount n in cents, so that every sum is known. */
const rows = Array.from({ length: ROWS }, (_, at) => [
  at + 1,
  REGIONS[at % 4]!,
  (at + 1) / 100,
  ...Array.from({ length: COLUMNS - 3 }, (_, column) => `value ${(at * 7 + column) % 1000}`),
])
const HEADER = ["order", "region", "amount", ...Array.from({ length: COLUMNS - 3 }, (_, at) => `note ${at + 1}`)]
const TOTAL = (ROWS * (ROWS + 1)) / 200

const csv = (): string => [HEADER, ...rows].map(row => row.join(",")).join("\n")
function workbook(): Uint8Array {
  const book = XLSX.utils.book_new()
  XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([["remark"], ["nothing here"]]), "Cover")
  XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([HEADER, ...rows]), "Orders")
  return new Uint8Array(XLSX.write(book, { type: "buffer", bookType: "xlsx", compression: true }))
}

let app: TestApp
let api: Client
let ollama: OllamaStandIn
const files: Record<string, string> = {}

beforeAll(async () => {
  ollama = await startOllama([LLAMA, PLAIN])
  app = await startTestApp({ "ollama-host": ollama.server.url, "file-wait-seconds": "1" })
  api = await app.client()
  const records = await api.index([
    { name: "orders.csv", data: csv() },
    { name: "orders.xlsx", data: workbook() },
    { name: "small.csv", data: "name,amount,mail\nA,1,ola.hansen@example.com\nB,2,kari@example.com\n" },
    {
      name: "report.txt",
      data: `The harbor report.\n\n${"Ships came and went. ".repeat(1_000)}\n\nThe last word is zebra.\n`,
    },
    { name: "secret.csv", data: "code\n4711\n" },
  ])
  for (const { name, id } of records) files[name] = id
}, 300_000)

afterAll(async () => {
  await app.stop()
  ollama.server.stop()
})

const stream = async (path: string, body: unknown): Promise<ReadEvent[]> =>
  readEvents(await api.raw("POST", path, body))
const got = (scene: string) => ollama.server.scenes.got(scene)
const query = (name: string, sql: string, sheet?: string) => ({
  name: "query_table",
  arguments: { file_id: files[name]!, sql, ...(sheet ? { sheet } : {}) },
})
const results = (events: ReadEvent[]) => events.filter(({ event }) => event === "tool_result").map(({ data }) => data)
/** A model that makes these calls, one turn each, and then says what it got last. */
const calling = (scene: string, ...turns: { name: string; arguments: Record<string, unknown> }[][]) =>
  ollama.server.scenes.add(scene, (request, count) =>
    turns[count] ? { tools: turns[count] } : { text: `Here it is: ${request.messages.at(-1).content.slice(-60)}` },
  )

describe("tables of 50 000 rows", () => {
  test.each([
    ["orders.csv", undefined],
    ["orders.xlsx", "Orders"],
  ] as const)(
    "%s is counted and summed up exactly",
    async (name, sheet) => {
      const scene = name.replace(".", "")
      ollama.server.scenes.add(scene, (request, count) =>
        count === 0
          ? { tools: [query(name, "select count(*) n, round(sum(amount), 2) total from data", sheet)] }
          : { text: `The table says ${request.messages.at(-1).content.split("\n").at(-1)} [1].` },
      )
      const events = await stream("/conversations", {
        model: MODEL,
        message: `case-${scene} How many?`,
        file_ids: [files[name]],
      })
      const { citations, content } = dataOf(events, "message_completed")
      expect(content).toContain(`${ROWS},${TOTAL}`)
      const [result] = results(events)
      expect(result).toMatchObject({ tool_call_id: "call_1", is_error: false })
      expect(citations.length).toBeGreaterThan(0)
    },
    120_000,
  )
})

test("calls, their results and the passages made of them are told, cited, and stand in the stored reply", async () => {
  ollama.server.scenes.add("flow", (request, count) => {
    if (count > 0) return { text: `Three [${/^\[(\d+)\]/.exec(request.messages.at(-1).content)?.[1]}].` }
    return { text: "Let me look.", tools: [query("small.csv", "select sum(amount) s from data")] }
  })
  const asked = { model: MODEL, message: "case-flow What is the sum?", file_ids: [files["small.csv"]] }
  const events = await stream("/conversations", asked)
  const names = events.map(({ event }) => event)
  expect(names.indexOf("tool_call")).toBeLessThan(names.indexOf("tool_result"))
  expect(events.find(({ event, data }) => event === "status" && data.phase === "calling_tool")).toBeDefined()
  expect(dataOf(events, "tool_call")).toEqual({
    tool_call_id: "call_1",
    ...query("small.csv", "select sum(amount) s from data"),
  })
  const { content, citations } = dataOf(events, "message_completed")
  expect(content).toMatch(/^Let me look\.\n\nThree \[\d+\]\.$/)
  const deltas = events.filter(({ event }) => event === "message_delta").map(({ data }) => data.text)
  expect(deltas.join("")).toBe(content)
  expect(citations).toEqual([
    expect.objectContaining({ file_id: files["small.csv"], chunk_id: expect.stringMatching(/^chunk_/) }),
  ])
  const last = events.filter(({ event }) => event === "sources").at(-1)!.data.sources
  expect(last.map(({ index }: { index: number }) => index)).toEqual(last.map((_: unknown, at: number) => at + 1))
  const { conversation_id } = dataOf(events, "conversation_created")
  const { messages } = (await api.get(`/conversations/${conversation_id}`)).body
  expect(messages.at(-1)!.citations).toEqual(citations)
  const record = (await api.get(`/conversations/${conversation_id}/messages/${messages.at(-1)!.id}/record`)).body
  expect(record.tool_calls).toMatchObject([{ id: "call_1", name: "query_table", is_error: false }])
  expect(got("flow")[0].tools.map((tool: { function: { name: string } }) => tool.function.name)).toContain(
    "query_table",
  )
  expect(got("flow")[0].messages.at(-1).content).toContain(`${files["small.csv"]}: small.csv`)
})

describe("tools are not offered", () => {
  test.each([
    ["to a model that calls none", { model: "ollama/plain:1b" }],
    ["where they are forbidden", { tools: [] }],
    ["without the library", { use_library: false, file_ids: [] }],
    ["where the answer must be JSON", { response_format: "json" }],
  ])("%s", async (name, more) => {
    const scene = `no${name.length}`
    ollama.server.scenes.add(scene, { text: "{}" })
    await stream("/conversations", {
      model: MODEL,
      message: `case-${scene} Sum?`,
      file_ids: [files["orders.csv"]],
      ...more,
    })
    expect(got(scene)[0].tools).toBeUndefined()
  })
})

test("a file outside of the scope cannot be reached, as one that does not exist", async () => {
  calling(
    "outside",
    [query("secret.csv", "select * from data")],
    [{ name: "read_file", arguments: { file_id: files["secret.csv"] } }],
  )
  const events = await stream("/conversations", {
    model: MODEL,
    message: "case-outside obey",
    file_ids: [files["orders.csv"]],
  })
  expect(results(events)).toHaveLength(2)
  for (const { is_error, result } of results(events)) {
    expect(is_error).toBe(true)
    expect(result).toContain("There is no file")
    expect(result).not.toContain("4711")
  }
})

test("an unknown tool, malformed arguments and a broken statement are told to the model, which goes on", async () => {
  calling(
    "wrong",
    [
      { name: "delete_all", arguments: {} },
      { name: "query_table", arguments: { file: 1 } },
    ],
    [query("small.csv", "drop table data")],
  )
  const events = await stream("/conversations", {
    model: MODEL,
    message: "case-wrong Go",
    file_ids: [files["small.csv"]],
  })
  expect(results(events).map(({ is_error }) => is_error)).toEqual([true, true, true])
  expect(dataOf(events, "message_completed").finish_reason).toBe("stop")
})

test("sixteen of seventeen parallel calls are carried out, and turns are bounded, the last without tools", async () => {
  const many = Array.from({ length: 17 }, (_, at) => ({ name: "calculate", arguments: { expression: `${at} + 1` } }))
  ollama.server.scenes.add("many", (request, count) =>
    request.tools
      ? { tools: count === 0 ? many : [{ name: "calculate", arguments: { expression: `${count} * 3` } }] }
      : { text: "Enough." },
  )
  const events = await stream("/conversations", {
    model: MODEL,
    message: "case-many Go",
    file_ids: [files["small.csv"]],
  })
  const first = results(events)
  expect(
    first
      .slice(0, 16)
      .map(({ result }) => result)
      .sort(),
  ).toEqual(
    many
      .slice(0, 16)
      .map((_, at) => String(at + 1))
      .sort(),
  )
  expect(got("many")).toHaveLength(8)
  expect(got("many").at(-1).tools).toBeUndefined()
  expect(dataOf(events, "message_completed").content).toBe("Enough.")
}, 60_000)

test("under redaction neither the model, nor the client, nor the store gets what a table holds in private", async () => {
  calling("private", [query("small.csv", "select mail from data where mail <> 'per@example.com'")])
  const events = await stream("/conversations", {
    model: MODEL,
    message: "case-private Which mail?",
    file_ids: [files["small.csv"]],
    redaction: true,
  })
  const { conversation_id } = dataOf(events, "conversation_created")
  const stored = JSON.stringify((await api.get(`/conversations/${conversation_id}`)).body)
  for (const seen of [JSON.stringify(events), stored, JSON.stringify(got("private"))])
    expect(seen).not.toContain("@example.com")
  expect(results(events)[0].is_error).toBe(false)
})

test("a result longer than there is room for is cut, and the model is told", async () => {
  calling("long", [query("orders.csv", "select * from data limit 200")])
  const events = await stream("/conversations", {
    model: MODEL,
    message: "case-long All",
    file_ids: [files["orders.csv"]],
  })
  expect(results(events)[0].result.length).toBeLessThan(20_200)
})

test("who asks in OpenAI's shape gets the answer alone, and own tools take the place of ours", async () => {
  calling("compat", [query("small.csv", "select count(*) from data")])
  const body = {
    model: `library/${MODEL}`,
    messages: [{ role: "user", content: "case-compat How many?" }],
    carrel: { file_ids: [files["small.csv"]] },
  }
  const answer = await (await api.under("").raw("POST", "/v1/chat/completions", body)).json()
  expect(answer.choices[0].finish_reason).toBe("stop")
  expect(answer.choices[0].message.tool_calls).toBeUndefined()
  expect(answer.choices[0].message.content).toContain("2")
})

test("a stop ends the query that runs", async () => {
  calling("stop", [
    query("orders.csv", "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"),
  ])
  const response = await api.raw("POST", "/conversations", {
    model: MODEL,
    message: "case-stop Go",
    file_ids: [files["orders.csv"]],
  })
  const reading = readEvents(response)
  for (;;) {
    const { data } = (await api.get("/conversations?q=case-stop")).body
    if (data[0] && got("stop").length > 0) {
      await api.raw("POST", `/conversations/${data[0].conversation_id}/cancel`)
      break
    }
    await Bun.sleep(50)
  }
  expect(dataOf(await reading, "message_completed").finish_reason).toBe("cancelled")
}, 60_000)
