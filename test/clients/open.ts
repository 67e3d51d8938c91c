/** The real application between stand-ins for model servers and the clients of others. */
import { type Client, startTestApp, type TestApp } from "../support/app.ts"
import type { ModelServer } from "../support/model-server.ts"
import { LLAMA, type OllamaModel, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { startOpenAi } from "../support/openai.ts"

export const LLAVA: OllamaModel = {
  ...LLAMA,
  name: "llava:7b",
  digest: "4615aee24484",
  capabilities: ["completion", "vision"],
}

export interface OpenDoor {
  app: TestApp
  client: Client
  /** One field for a key. */
  token: string
  /** Ends in `/v1`. */
  baseUrl: string
  ollama: OllamaStandIn
  openai: ModelServer
  stop(): Promise<void>
}

export const LEASE = "The lease of the boathouse may be ended with a notice of 90 days. The rent is due in March."
export const HERON = "🙂 The heron of Lake Mjøsa nests in April."

/** With two files, one of them in the context `boats`. */
export async function startOpenDoor(overrides: Record<string, string> = {}): Promise<OpenDoor> {
  const [ollama, openai] = await Promise.all([startOllama([LLAMA, LLAVA]), startOpenAi()])
  const app = await startTestApp({
    "ollama-host": ollama.server.url,
    "openai-base-url": `${openai.url}/v1`,
    ...overrides,
  })
  const client = await app.client()
  await client.index([{ name: "lease.txt", data: LEASE }], { context_id: "boats", metadata: '{"year": 2024}' })
  await client.index([{ name: "heron.txt", data: HERON }], { metadata: '{"year": 2025}' })
  return {
    app,
    client,
    token: client.key.token,
    get baseUrl() {
      return `${app.url}/v1`
    },
    ollama,
    openai,
    async stop() {
      await app.stop()
      ollama.server.stop()
      openai.stop()
    },
  }
}
