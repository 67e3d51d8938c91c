import { afterAll, describe, expect, test } from "bun:test"
import { openEmbedder } from "../../src/backends/embedder.ts"
import { rejection } from "../support/rejection.ts"
import { embedderConformance } from "./embedder-conformance.ts"

const DIMENSIONS = 16
const WINDOW_CHARACTERS = 2_000
const requests: { path: string; authorization: string | null; model: string; input: string[] }[] = []

/** Speaks `/v1/embeddings` as llama.cpp does: refuses empty texts and those beyond its window, answers in any order. */
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { model, input } = (await request.json()) as { model: string; input: string[] }
    const { pathname: path } = new URL(request.url)
    requests.push({ path, authorization: request.headers.get("authorization"), model, input })
    const refuse = (status: number, message: string) => Response.json({ error: { message } }, { status })
    if (model === "absent") return refuse(404, "no such model")
    if (model === "chatty") return refuse(501, "this server does not support embeddings")
    if (input.some(text => text === "")) return refuse(400, "input cannot be an empty string")
    if (input.some(text => text.length > WINDOW_CHARACTERS)) return refuse(500, "input is too large to process")
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: lettersOf(text) }))
    return Response.json({ object: "list", data: model === "short" ? [] : data.reverse(), model })
  },
})
afterAll(() => server.stop(true))
const openAiBaseUrl = `http://127.0.0.1:${server.port}/v1`

function lettersOf(text: string): number[] {
  const counts = new Array<number>(DIMENSIONS).fill(0.01)
  for (const character of text) counts[character.codePointAt(0)! % DIMENSIONS]! += 1
  return counts
}

const open = (name: string, options: { openAiBaseUrl?: string; openAiApiKey?: string; dimensions?: number } = {}) =>
  openEmbedder({ name: `openai/${name}`, directories: [], nativeDirectory: "", openAiBaseUrl, ...options })

embedderConformance("a model behind the OpenAI interface", () => open("letters"))

describe("an embedding model behind the OpenAI interface", () => {
  test("learns its dimensions from the server, sends small batches and the key", async () => {
    requests.length = 0
    const embedder = await open("letters", { openAiApiKey: "k-1" })
    expect([embedder.model, embedder.dimensions]).toEqual(["openai/letters", DIMENSIONS])
    await embedder.embed(
      Array.from({ length: 70 }, (_, i) => `text ${i}`),
      "passage",
    )
    expect(requests.slice(1).map(({ input }) => input.length)).toEqual([32, 32, 6])
    expect(new Set(requests.map(({ path, authorization }) => `${path} ${authorization}`))).toEqual(
      new Set(["/v1/embeddings Bearer k-1"]),
    )
    await embedder.close()
  })

  test("is not asked when its dimensions are known", async () => {
    requests.length = 0
    await (await open("letters", { dimensions: DIMENSIONS })).close()
    expect(requests).toHaveLength(0)
  })

  test.each([
    ["absent", "model_not_found", "load absent"],
    ["chatty", "model_error", "does not support embeddings"],
  ])("%s fails as %s with a hint", async (name, code, hint) => {
    expect(await rejection(open(name))).toMatchObject({ code, hint: expect.stringContaining(hint) })
  })

  test("fewer vectors than texts, or of another length, are an error", async () => {
    expect(await rejection(open("short"))).toMatchObject({ code: "model_error" })
    const changed = await open("letters", { dimensions: 12 })
    expect(await rejection(changed.embed(["red"], "query"))).toMatchObject({ code: "model_error" })
    await changed.close()
  })

  test("a server that is away, or none, makes it unavailable", async () => {
    const embedder = await open("letters", { dimensions: DIMENSIONS, openAiBaseUrl: "http://127.0.0.1:1/v1" })
    expect(await rejection(embedder.embed(["red"], "query"))).toMatchObject({ code: "model_unavailable" })
    await embedder.close()
    expect(await rejection(open("letters", { openAiBaseUrl: "" }))).toMatchObject({ code: "model_unavailable" })
  })
})

test("a name of a provider that there is none of is no folder outside", async () => {
  const named = (name: string) => rejection(openEmbedder({ name, directories: ["/"], nativeDirectory: "" }))
  for (const name of ["nobody/letters", "../etc", "/etc"])
    expect(await named(name)).toMatchObject({ code: "model_not_found" })
})
