/** A stand-in for Ollama that speaks its documented protocol. */
import type { ScriptedTurn } from "./model-script.ts"
import { ModelServer, type Wire } from "./model-server.ts"

export interface OllamaModel {
  name: string
  size: number
  digest: string
  contextLength: number
  capabilities: string[]
  family: string
  remoteHost?: string
  loadedContext?: number
}

export const LLAMA: OllamaModel = {
  name: "llama3.2:3b",
  size: 2_019_393_189,
  digest: "a80c4f17acd5",
  contextLength: 131_072,
  capabilities: ["completion", "tools"],
  family: "llama",
}
export const QWEN: OllamaModel = {
  name: "qwen3:8b",
  size: 5_225_388_164,
  digest: "500a1f067a9f",
  contextLength: 40_960,
  capabilities: ["completion", "tools", "thinking"],
  family: "qwen3",
}
export const EMBEDDER: OllamaModel = {
  name: "nomic-embed-text:latest",
  size: 274_302_450,
  digest: "0a109f422b47",
  contextLength: 2_048,
  capabilities: ["embedding"],
  family: "nomic-bert",
}

const CREATED = "2026-10-01T00:00:00.000000Z"

const line = (value: object) => `${JSON.stringify({ model: "m", created_at: CREATED, ...value })}\n`

const WIRE: Wire = {
  contentType: "application/x-ndjson",
  thinking: text => line({ message: { role: "assistant", content: "", thinking: text }, done: false }),
  piece: text => line({ message: { role: "assistant", content: text }, done: false }),
  tools: calls =>
    line({
      message: { role: "assistant", content: "", tool_calls: calls.map(call => ({ function: call })) },
      done: false,
    }),
  garbage: text => `${text}\n`,
  error: text => `${JSON.stringify({ error: text })}\n`,
  last: (turn: ScriptedTurn, request) =>
    line({
      message: { role: "assistant", content: "" },
      done: true,
      done_reason: turn.reason ?? "stop",
      total_duration: 1e9,
      load_duration: 1e8,
      prompt_eval_count: turn.promptTokens ?? Math.ceil(JSON.stringify(request.messages).length / 4),
      prompt_eval_duration: 1e8,
      eval_count: turn.pieces?.length ?? turn.text?.split(/\s+/).length ?? 0,
      eval_duration: 5e8,
    }),
}

export interface OllamaStandIn {
  readonly server: ModelServer
  readonly models: OllamaModel[]
}

/** Starts it; `models` may be changed while it runs. */
export async function startOllama(
  models: OllamaModel[] = [LLAMA, QWEN, EMBEDDER],
  port = 0,
  host?: string,
): Promise<OllamaStandIn> {
  const tag = (model: OllamaModel) => ({
    name: model.name,
    model: model.name,
    modified_at: CREATED,
    size: model.size,
    digest: model.digest,
    details: { format: "gguf", family: model.family, families: [model.family] },
    ...(model.remoteHost ? { remote_host: model.remoteHost, remote_model: model.name } : {}),
  })
  const server = await new ModelServer(WIRE, "/api/chat", (path, body) => {
    if (path === "/api/version") return { body: { version: "0.32.1" } }
    if (path === "/api/tags") return { body: { models: models.map(tag) } }
    if (path === "/api/ps")
      return {
        body: {
          models: models
            .filter(model => model.loadedContext)
            .map(model => ({
              ...tag(model),
              expires_at: CREATED,
              size_vram: model.size,
              context_length: model.loadedContext,
            })),
        },
      }
    if (path !== "/api/show") return undefined
    const model = models.find(({ name }) => name === body.model)
    if (!model) return { status: 404, body: { error: `model '${body.model}' not found` } }
    return {
      body: {
        details: tag(model).details,
        model_info: { "general.architecture": model.family, [`${model.family}.context_length`]: model.contextLength },
        capabilities: model.capabilities,
      },
    }
  }).listen(port, host)
  return { server, models }
}
