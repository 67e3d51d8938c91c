/** The real application beside a stand-in for Ollama, and what tests of conversations ask of it. */
import { Database as Sqlite } from "bun:sqlite"
import { join } from "node:path"
import { type Client, startTestApp, type TestApp } from "./app.ts"
import { type ReadEvent, readEvents } from "./events.ts"
import type { Scenes } from "./model-script.ts"
import { type OllamaModel, type OllamaStandIn, startOllama } from "./ollama.ts"
import { until } from "./until.ts"

export const MODEL = "ollama/llama3.2:3b"
/** Of a request that asks the model alone. */
export const OFF = { model: MODEL, use_library: false }

export interface Talk {
  app: TestApp
  api: Client
  ollama: OllamaStandIn
  scenes: Scenes
  /** The events of a turn; with `upTo` those until it says so, then the connection is closed. */
  stream(path: string, body: unknown, options?: StreamOptions): Promise<ReadEvent[]>
  /** The conversation as it is stored. */
  stored(id: string): Promise<Record<string, any>>
  stop(): Promise<void>
}

interface StreamOptions {
  upTo?: (event: ReadEvent) => boolean
  headers?: Record<string, string>
}

export async function startTalk(overrides: Record<string, string> = {}, models?: OllamaModel[]): Promise<Talk> {
  const ollama = await startOllama(models)
  const app = await startTestApp({ "ollama-host": ollama.server.url, ...overrides })
  const api = await app.client()
  return {
    app,
    api,
    ollama,
    scenes: ollama.server.scenes,
    stream: async (path, body, { upTo, headers = {} } = {}) =>
      readEvents(await api.raw("POST", path, body, { accept: "text/event-stream", ...headers }), upTo),
    stored: async id => (await api.get(`/conversations/${id}`)).body,
    async stop() {
      await app.stop()
      ollama.server.stop()
    },
  }
}

/** Waits until the data directory itself holds so much of a reply that is being written: what a kill cannot take. */
export async function replyStored(data: string, beginning: string): Promise<void> {
  const database = new Sqlite(join(data, "carrel.db"), { readonly: true })
  const unfinished = database.query("select content from messages where role = 'assistant' and finish_reason is null")
  try {
    await until(() => (unfinished.all() as { content: string }[]).some(({ content }) => content.startsWith(beginning)))
  } finally {
    database.close()
  }
}
