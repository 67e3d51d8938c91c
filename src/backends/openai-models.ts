/** The chat models of an OpenAI-compatible server, as it lists them now. */
import { fetchWithin } from "../outbound.ts"
import type { ModelInfo } from "./backend.ts"
import { labelOf } from "./probe.ts"
import { whole } from "./wire.ts"

interface Options {
  baseUrl: string
  apiKey: string
  contextTokens: number
  allowRemoteModels: boolean
}

interface WireModel {
  id: string
  max_model_len?: number
  max_context_length?: number
  loaded_context_length?: number
  meta?: { n_ctx?: number; n_ctx_train?: number; size?: number } | null
}

/** The server answered, but not with a list. */
class Refused extends Error {}

/** What the server said instead of a list; undefined for other errors. */
export const refusalIn = (error: unknown): string | undefined => (error instanceof Refused ? error.message : undefined)

export const authorization = (apiKey: string): Record<string, string> =>
  apiKey ? { authorization: `Bearer ${apiKey}` } : {}

/** @throws when the server does not answer, or refuses */
export async function openAiModels(options: Options, signal: AbortSignal): Promise<ModelInfo[]> {
  const response = await fetchWithin(`${options.baseUrl}/models`, { headers: authorization(options.apiKey), signal })
  if (response.status === 401 || response.status === 403)
    throw new Refused("the model server rejects the key in the setting openai_api_key")
  if (!response.ok) throw new Refused(`the model server answered ${response.status} when asked for its models`)
  const { data = [] } = (await (await whole(response)).json()) as { data?: WireModel[] }
  return data.filter(model => !/embed|rerank|whisper|tts/i.test(model.id)).map(model => describe(model, options))
}

function describe(model: WireModel, options: Options): ModelInfo {
  const { meta } = model
  const local = isLocal(options.baseUrl)
  const barred = !local && !options.allowRemoteModels
  return {
    value: `openai/${model.id}`,
    label: labelOf(
      model.id
        .split(/[\\/]/)
        .at(-1)!
        .replace(/\.gguf$/i, ""),
    ),
    provider: "openai",
    status: barred ? "unavailable" : "ready",
    statusReason: barred
      ? "the server stands outside the local network; the setting allow_remote_models permits it"
      : null,
    local,
    capabilities: ["chat"],
    canMore: true,
    contextLength:
      model.loaded_context_length ??
      model.max_model_len ??
      meta?.n_ctx ??
      model.max_context_length ??
      options.contextTokens,
    sizeBytes: meta?.size ?? null,
    checkedAt: new Date().toISOString(),
  }
}

/** Loopback, private and link-local addresses, and names without a public domain. */
function isLocal(address: string): boolean {
  const host = new URL(address).hostname.replace(/^\[|\]$/g, "")
  if (/^(127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|::1$|f[cd]|fe80:)/i.test(host)) return true
  return !host.includes(".") || /\.(local|lan|internal|home|localhost)$/i.test(host)
}
