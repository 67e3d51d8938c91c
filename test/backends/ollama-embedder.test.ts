import { afterAll, describe, expect, test } from "bun:test"
import { openEmbedder } from "../../src/backends/embedder.ts"
import { rejection } from "../support/rejection.ts"
import { until } from "../support/until.ts"
import { embedderConformance } from "./embedder-conformance.ts"

const DIMENSIONS = 16
const requests: { model: string; input: string[]; truncate: boolean }[] = []
/** Asked while it is silent. */
let silent: Promise<void> | undefined
let asked = 0

/** Speaks Ollama's `/api/embed`: a vector from the letters of each text, its name decides how it fails. */
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const body = (await request.json()) as (typeof requests)[number]
    if (new URL(request.url).pathname === "/api/show")
      return body.model === "polyglot"
        ? Response.json({ model_info: { "general.languages": ["de", "pl"] } })
        : Response.json({ model_info: {} })
    requests.push(body)
    asked++
    await silent
    if (body.model === "absent") return Response.json({ error: "model 'absent' not found" }, { status: 404 })
    if (body.model === "chatty")
      return Response.json({ error: "this model does not support embeddings" }, { status: 501 })
    if (body.model === "short") return Response.json({ embeddings: [] })
    if (body.model === "busy") return Response.json({ error: "server busy" }, { status: 503 })
    return Response.json({ embeddings: body.input.map(lettersOf) })
  },
})
afterAll(() => server.stop(true))
const ollamaHost = `http://127.0.0.1:${server.port}`

function lettersOf(text: string): number[] {
  // As the real server does.
  if (text === "") return []
  const counts = new Array<number>(DIMENSIONS).fill(0.01)
  for (const character of text) counts[character.codePointAt(0)! % DIMENSIONS]! += 1
  return counts
}

const open = (name: string, dimensions?: number, host = ollamaHost) =>
  openEmbedder({
    name: `ollama/${name}`,
    directories: [],
    nativeDirectory: "",
    ollamaHost: host,
    ...(dimensions ? { dimensions } : {}),
  })

embedderConformance("an Ollama model", () => open("letters"))

describe("an Ollama embedding model", () => {
  test("knows the languages that its file states, else those of its name, else any", async () => {
    for (const [name, languages] of [
      ["polyglot", ["de", "pl"]],
      ["all-minilm", ["en"]],
      ["letters", null],
    ] as const) {
      const embedder = await open(name)
      expect(embedder.languages).toEqual(languages as string[] | null)
      await embedder.close()
    }
    // A server that is down costs what it would have said.
    expect((await open("all-minilm", DIMENSIONS, "http://127.0.0.1:1")).languages).toEqual(["en"])
  })

  test("learns its dimensions from the server and sends small batches that are cut to the window", async () => {
    requests.length = 0
    const embedder = await open("letters")
    expect(embedder.model).toBe("ollama/letters")
    expect(embedder.dimensions).toBe(DIMENSIONS)
    await embedder.embed(
      Array.from({ length: 70 }, (_, i) => `text ${i}`),
      "passage",
    )
    expect(requests.slice(1).map(({ input }) => input.length)).toEqual([32, 32, 6])
    expect(requests.every(({ truncate, model }) => truncate && model === "letters")).toBe(true)
    await embedder.close()
  })

  test("is not asked when its dimensions are known", async () => {
    requests.length = 0
    const embedder = await open("letters", DIMENSIONS)
    expect(requests).toHaveLength(0)
    await embedder.close()
  })

  test.each([
    ["absent", "model_not_found", "ollama pull absent"],
    ["chatty", "model_error", "does not support embeddings"],
    ["busy", "overloaded", "server busy"],
  ])("%s fails as %s with a hint", async (name, code, hint) => {
    expect(await rejection(open(name))).toMatchObject({ code, hint: expect.stringContaining(hint) })
  })

  test("fewer vectors than texts, or of another length, are an error and never stored", async () => {
    expect(await rejection(open("short"))).toMatchObject({ code: "model_error" })
    const changed = await open("letters", 12)
    expect(await rejection(changed.embed(["red"], "query"))).toMatchObject({ code: "model_error" })
    await changed.close()
  })

  test("a server that is away makes it unavailable", async () => {
    const embedder = await open("letters", DIMENSIONS, "http://127.0.0.1:1")
    expect(await rejection(embedder.embed(["red"], "query"))).toMatchObject({ code: "model_unavailable" })
    await embedder.close()
    expect(
      await rejection(openEmbedder({ name: "ollama/letters", directories: [], nativeDirectory: "" })),
    ).toMatchObject({
      code: "model_unavailable",
    })
  })

  test("a signal or closing ends a request in flight", async () => {
    const embedder = await open("letters", DIMENSIONS)
    const { promise, resolve: speak } = Promise.withResolvers<void>()
    silent = promise
    const before = asked
    const stop = new AbortController()
    const aborted = embedder.embed(["red"], "query", stop.signal)
    await until(() => asked === before + 1)
    stop.abort(new Error("enough"))
    expect((await rejection(aborted)).message).toContain("enough")
    const closed = embedder.embed(["red"], "query")
    await until(() => asked === before + 2)
    void embedder.close()
    expect(await rejection(closed)).toMatchObject({ code: "model_unavailable" })
    speak()
  })
})
