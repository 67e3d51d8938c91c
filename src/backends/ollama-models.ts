/** The chat models of an Ollama server as they stand now: tags, what is loaded, and what each can do. */
import type { ModelResponse, Ollama } from "ollama/browser"
import type { Capability, ModelInfo } from "./backend.ts"
import { askingClient } from "./ollama-client.ts"
import { labelOf } from "./probe.ts"

/** What servers say of a model that the package does not name, or says is always there. */
type Tag = Pick<ModelResponse, "name"> & {
  size?: number
  digest?: string
  context_length?: number
  remote_model?: string
  remote_host?: string
}
type Show = { capabilities?: string[]; model_info?: Record<string, unknown> }

interface Details {
  /** Undefined where the server could not say: an old version, or it was too slow. */
  capabilities: string[] | undefined
  contextLength: number | null
}

export interface LoadedModel {
  name: string
  /** The window that it was loaded with; null where the server does not say. */
  contextTokens: number | null
}

/** Ollama answers `show` from disk; this many at once keeps it below the look's one second for large collections. */
const PARALLEL_SHOWS = 8

export class OllamaModels {
  /** What a model can do changes only with its digest. */
  private readonly details = new Map<string, Details>()
  private loaded: LoadedModel[] = []

  constructor(
    private readonly host: string,
    private readonly allowRemote: boolean,
  ) {}

  /** @throws when the server does not answer */
  async look(signal: AbortSignal): Promise<ModelInfo[]> {
    const client = askingClient(this.host, signal, (status, text) => new Error(`Ollama answered ${status}: ${text}`))
    const [tags, running]: { models?: Tag[] }[] = await Promise.all([
      client.list(),
      client.ps().catch(() => ({ models: [] })),
    ])
    this.loaded = (running?.models ?? []).map(model => ({
      name: model.name,
      contextTokens: model.context_length ?? null,
    }))
    const models = tags?.models ?? []
    await this.learn(models, client)
    return models.flatMap(tag => this.describe(tag) ?? [])
  }

  /** How the model is loaded now; undefined when it is not. */
  loadedAs(name: string): LoadedModel | undefined {
    return this.loaded.find(model => model.name === name || model.name === `${name}:latest`)
  }

  private describe(tag: Tag): ModelInfo | undefined {
    const { capabilities, contextLength } = this.details.get(keyOf(tag)) ?? {
      capabilities: undefined,
      contextLength: null,
    }
    if (capabilities ? !capabilities.includes("completion") : /embed|^bge-|minilm/i.test(tag.name)) return undefined
    const remote = Boolean(tag.remote_host || tag.remote_model)
    const barred = remote && !this.allowRemote
    return {
      value: `ollama/${tag.name}`,
      label: labelOf(tag.name),
      provider: "ollama",
      status: barred ? "unavailable" : this.loadedAs(tag.name) ? "loaded" : "ready",
      statusReason: barred
        ? `runs on ${hostOf(tag.remote_host)}, not on this installation's server; the setting allow_remote_models permits it`
        : null,
      local: !remote,
      capabilities: publicCapabilities(capabilities),
      ...(capabilities ? {} : { canMore: true }),
      contextLength,
      sizeBytes: tag.size ?? null,
      checkedAt: new Date().toISOString(),
    }
  }

  private async learn(tags: Tag[], client: Ollama): Promise<void> {
    const unknown = tags.filter(tag => !this.details.has(keyOf(tag)))
    const worker = async () => {
      for (let tag = unknown.pop(); tag; tag = unknown.pop()) {
        const show = await client.show({ model: tag.name }).catch(() => undefined)
        if (show) this.details.set(keyOf(tag), detailsOf(show as unknown as Show))
      }
    }
    await Promise.all(Array.from({ length: PARALLEL_SHOWS }, worker))
  }
}

const keyOf = (tag: Tag): string => `${tag.name} ${tag.digest ?? ""}`

const hostOf = (address = ""): string => (URL.canParse(address) ? new URL(address).hostname : "another host")

function detailsOf(show: Show): Details {
  const info = show.model_info ?? {}
  const length = info[`${info["general.architecture"]}.context_length`] ?? anyContextLength(info)
  return { capabilities: show.capabilities, contextLength: typeof length === "number" ? length : null }
}

const anyContextLength = (info: Record<string, unknown>): unknown =>
  Object.entries(info).find(([key]) => key.endsWith(".context_length"))?.[1]

function publicCapabilities(names: string[] = []): Capability[] {
  const known = (["tools", "vision", "thinking"] as const).filter(name => names.includes(name))
  return ["chat", ...known]
}
