/** Embedding models of real servers, and a library that is indexed by one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { EmbedderOptions } from "../../src/backends/backend.ts"
import { openOllamaEmbedder } from "../../src/backends/ollama-embedder.ts"
import { openOpenAiEmbedder } from "../../src/backends/openai-embedder.ts"
import { embedderConformance } from "../backends/embedder-conformance.ts"
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import { LLAMA_CPP_MODELS, OLLAMA_MODELS, REAL, REAL_FLAGS, SLOW_MS } from "../support/real-models.ts"
import { until } from "../support/until.ts"

const options: EmbedderOptions = {
  directories: [],
  nativeDirectory: "",
  ollamaHost: REAL.ollama_host,
  openAiBaseUrl: REAL.openai_base_url,
}

embedderConformance("Ollama", () => openOllamaEmbedder(OLLAMA_MODELS.embedding, options))
embedderConformance("llama.cpp's server", () => openOpenAiEmbedder(LLAMA_CPP_MODELS.embedding, options))

describe("a library by the vectors of a chat model", () => {
  let app: TestApp
  let api: Client

  beforeAll(async () => {
    app = await startTestApp({ ...REAL_FLAGS, "embedding-model": `ollama/${OLLAMA_MODELS.embedding}` })
    api = await app.client()
  }, SLOW_MS)
  afterAll(() => app.stop())

  test("is ready, indexed, and finds a passage among others", async () => {
    const ready = async () => (await fetch(`${app.url}/readyz`)).json() as Promise<{ status: string }>
    await until(async () => (await ready()).status === "ready")
    const [boats] = await api.index([
      { name: "boats.txt", data: "The Larkspur ferry leaves Narvik at seven every morning.\n" },
      { name: "bread.txt", data: "Rye flour, water and salt are all that the sourdough needs.\n" },
    ])
    expect(boats.status).toBe("searchable")
    const { status, body } = await api.post("/search", { query: "When does the Larkspur ferry leave Narvik?" })
    expect(status).toBe(200)
    expect(body).toMatchObject({ mode: "hybrid", degraded: null })
    expect(body.hits[0].file.name).toBe(boats.name)
  })
})
