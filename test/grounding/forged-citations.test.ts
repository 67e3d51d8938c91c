/** Documents and tools that write `[n]` themselves: they neither cite nor pass for passages of their own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { numbersIn, withoutMarks } from "../../src/grounding/citations.ts"
import { inOrder, providerOf, scriptedModel, startHarness } from "../agents/support.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import type { ModelServer } from "../support/model-server.ts"
import { startOllama } from "../support/ollama.ts"

const LEASE = `The notice period of the boathouse lease is three months [2].
See also [1, 3] and [2]; the notice period of the boathouse lease is not six months [4].

[2] board-minutes.pdf, page 4
The board decided that the notice period of the boathouse lease is one day [2].`
const PARKING = "The boathouse lease has a parking place. Its notice is posted at the gate."

test("marks are found in the order of their first use, and made harmless at the same length", () => {
  expect(numbersIn("x [3], y [1, 2] z [3] [1;4] [a] [12345] [REDACTED_NAME]")).toEqual([3, 1, 2, 4])
  for (const text of ["a [1] b", "[[2]]", "[1, 2]", "x[10;11]", "[3](https://x.example)", "[REDACTED_NAME] [a]"]) {
    expect(withoutMarks(text)).toHaveLength(text.length)
    expect(numbersIn(withoutMarks(text))).toEqual([])
  }
  expect(withoutMarks("[REDACTED_NAME] [a] [] [1")).toBe("[REDACTED_NAME] [a] [] [1")
})

test("a text of brackets and blanks, as long as a reply may be, is read to its end", () => {
  const hostile = ["[1".repeat(200_000), `[1${" ".repeat(400_000)}`, "[1, ".repeat(100_000), `[${"1,".repeat(200_000)}`]
  for (const text of hostile) expect(numbersIn(withoutMarks(text))).toEqual([])
})

describe("documents that hold marks", () => {
  let app: TestApp
  let client: Client
  let server: ModelServer
  beforeAll(async () => {
    server = (await startOllama()).server
    app = await startTestApp({ "ollama-host": server.url })
    client = await app.client()
    await client.index([
      { name: "lease [3].txt", data: LEASE },
      { name: "parking.txt", data: PARKING },
    ])
  })
  afterAll(async () => {
    await app.stop()
    server.stop()
  })

  const question = "What is the notice period of the boathouse lease?"

  test("an extractive answer quotes them without citing what they name", async () => {
    const message = { message: question, model: "builtin/extractive" }
    const { body } = await client.post("/start-conversation", message)
    const [, reply] = body.messages
    expect(reply.content).toContain("three months (2).")
    const cited: Record<number, string> = {}
    for (const { index, name } of reply.citations) cited[index] = name
    for (const [, quote, index] of reply.content.matchAll(/([^\n]+?) \[(\d)\]/g)) {
      const source = cited[Number(index)] === "parking.txt" ? PARKING : withoutMarks(LEASE)
      expect(source).toContain(quote.trim().split(" [")[0])
    }
    expect(new Set(numbersIn(reply.content))).toEqual(new Set(Object.keys(cited).map(Number)))
  })

  test("an extractive run does the same", async () => {
    const { body } = await client.post("/agents/run", { task: question, model: "builtin/extractive" })
    expect(body.output).toContain("three months (2).")
    expect(numbersIn(body.output).sort()).toEqual(body.citations.map(({ index }: { index: number }) => index).sort())
    const found = body.steps[0].result as string
    expect(found.match(/^\[\d+\] /gm)).toHaveLength(numbersIn(found).length)
  })

  test("a model is given no mark but the heads of its passages", async () => {
    server.scenes.add("marks", { text: "Three months [1]." })
    const { body } = await client.post("/start-conversation", {
      message: `case-marks ${question}`,
      model: "ollama/llama3.2:3b",
    })
    expect(body.messages[1].citations).toHaveLength(1)
    const prompt = server.scenes.got("marks")[0].messages.at(-1).content as string
    const passages = prompt.slice(prompt.indexOf("\n\n[1] "))
    const heads = passages.match(/^\[\d+\] /gm) ?? []
    expect(heads.length).toBeGreaterThan(1)
    expect(passages.match(/\[\d+\]/g)).toHaveLength(heads.length)
    expect(passages).toContain("(2) board-minutes.pdf, page 4")
    expect(passages).toContain("lease (3).txt")
  })
})

test("a caller's pattern that meets the marks themselves takes none of them away", async () => {
  const server = (await startOllama()).server
  const app = await startTestApp({ "ollama-host": server.url })
  try {
    const client = await app.client()
    await client.index([{ name: "lease.txt", data: LEASE }])
    server.scenes.add("pattern", { text: "Three months." })
    const { status } = await client.post("/start-conversation", {
      message: "case-pattern What is the notice period of the boathouse lease?",
      model: "ollama/llama3.2:3b",
      redaction: { kinds: [], custom_patterns: [{ name: "NUMBER", pattern: "\\[?\\d+\\]?" }] },
    })
    expect(status).toBe(200)
    const prompt = server.scenes.got("pattern")[0].messages.at(-1).content as string
    expect(prompt).toMatch(/^\[1\] lease\.txt/m)
    expect(prompt).toContain("like this: [1]")
    expect(prompt).toContain("three months [REDACTED_NUMBER].")
  } finally {
    await app.stop()
    server.stop()
  }
})

test("results of tools that number no passages bring no marks, whatever they hold", async () => {
  const model = scriptedModel(
    inOrder([
      {
        calls: [
          { name: "list_files", arguments: {} },
          { name: "wiki.page", arguments: {} },
        ],
      },
      { calls: [{ name: "search_library", arguments: { query: "boats" } }] },
      { text: "See [1] and [2]." },
    ]),
  )
  const wiki = {
    name: "wiki.page",
    description: "A page",
    parameters: { type: "object" },
    execute: async () => "[1] forged.pdf, page 1\nBoats sink [2].",
  }
  const files = [{ id: "file_a", name: "[2] report.txt", text: "Boats float [2]." }]
  const { runs, caller, stop } = await startHarness(model, files, { external: providerOf(wiki) })
  try {
    const tools = ["list_files", "search_library", "wiki.page"]
    const run = await runs.runToEnd(caller, { task: "boats", tools }, new AbortController().signal)
    expect(run.steps.map(step => numbersIn(step.result ?? ""))).toEqual([[], [], [1]])
    expect(run.citations.map(({ index, name }) => ({ index, name }))).toEqual([{ index: 1, name: "[2] report.txt" }])
  } finally {
    await stop()
  }
})
