/** The chat backends as one catalog: what can be used now, which model a request means, which one is the default. */
import type { Account } from "../account.ts"
import { AppError } from "../errors.ts"
import { allows } from "./allowed-models.ts"
import type { Capability, ChatBackend, ModelInfo, ModelStatus } from "./backend.ts"
import type { ChatBackendOptions } from "./backend-options.ts"
import { CountedBackend } from "./counted.ts"
import { ExtractiveChat } from "./extractive.ts"
import { measured } from "./measured.ts"
import { ModelQueue } from "./model-queue.ts"
import { openOllamaChat } from "./ollama.ts"
import { openOpenAiChat } from "./openai.ts"
import type { ServerChatOptions } from "./server-chat.ts"

/** One row of `GET /external/models`, spelled as on the wire. */
export interface ModelRecord {
  label: string
  value: string
  available: boolean
  status: ModelStatus
  status_reason: string | null
  provider: string
  local: boolean
  capabilities: Capability[]
  /** Tokens; null for a mode without a window. */
  context_length: number | null
  size_bytes: number | null
  default: boolean
  checked_at: string
}

export interface ResolvedModel {
  /** Counts into the account. */
  backend: CountedBackend
  account: Account
  info: ModelInfo
  /** The name without the provider, as the backend wants it. */
  name: string
}

/** Opens a back end; undefined where the settings name no server for it. */
type OpenChatBackend = (
  options: ChatBackendOptions,
  shared: ServerChatOptions,
  opened: readonly ChatBackend[],
) => ChatBackend | undefined

/**
 * Every chat back end by its provider; another one is a file and a line. The first ones are preferred for the default
 * model, the built-in one comes last.
 */
const CHAT_BACKENDS = {
  ollama: openOllamaChat,
  openai: openOpenAiChat,
  builtin: ({ meaning }, _, opened) => new ExtractiveChat({ meaning, others: opened }),
} as const satisfies Record<string, OpenChatBackend>

/** Their names, as values of models begin. */
export const PROVIDERS = Object.keys(CHAT_BACKENDS)

export function chatBackends(options: ChatBackendOptions): ChatBackend[] {
  const { silenceMs, allowRemoteModels } = options
  const shared = { silenceMs, allowRemoteModels, queue: new ModelQueue(options.queue) }
  const opens: OpenChatBackend[] = Object.values(CHAT_BACKENDS)
  const opened: ChatBackend[] = []
  for (const open of opens) {
    const backend = open(options, shared, [...opened])
    if (backend) opened.push(backend)
  }
  return opened.map(measured)
}

export class ModelCatalog {
  constructor(
    private readonly backends: readonly ChatBackend[],
    /** Value of the model that requests without one get while it is available; empty for the first available one. */
    private readonly preferred = "",
  ) {}

  /** @param allowed those that the caller may use, as `allows` takes them: others do not exist for it */
  async list(allowed: readonly string[] | null): Promise<ModelRecord[]> {
    const models = await this.models(false, allowed)
    const chosen = this.defaultAmong(models)
    return models.map(model => toRecord(model, model.value === chosen?.value))
  }

  /**
   * The model that a request means among those that its caller may use: by value, by bare name, or the default for none.
   * @param account whom what it takes is counted for
   * @throws AppError model_not_found; model_unavailable with the reason
   */
  async resolve(
    value: string | null | undefined,
    allowed: readonly string[] | null,
    account: Account,
  ): Promise<ResolvedModel> {
    for (const doubtful of [false, true]) {
      const models = await this.models(doubtful, allowed)
      const info = value ? findModel(models, value) : this.defaultAmong(models)
      if (info && info.status !== "unavailable") return this.resolved(info, account)
      // Perhaps it was installed, or its server came up, since the last look.
      if (!doubtful) continue
      if (!info) throw notFound(value, models)
      throw new AppError("model_unavailable", {
        message: `the model ${info.value} is not available now`,
        ...(info.statusReason ? { hint: info.statusReason } : {}),
        retryAfter: 5,
      })
    }
    throw new AppError("internal_error")
  }

  /** Whether requests could name it now; `perhaps` while a server that may have it does not answer. */
  async knows(value: string): Promise<"yes" | "no" | "perhaps"> {
    if (findModel(await this.models(true, null), value)) return "yes"
    const owner = this.backends.filter(({ provider }) => value.startsWith(`${provider}/`))
    const candidates = owner.length > 0 ? owner : this.backends
    return candidates.every(({ answers }) => answers !== false) ? "no" : "perhaps"
  }

  private resolved(info: ModelInfo, account: Account): ResolvedModel {
    const backend = new CountedBackend(this.backends.find(({ provider }) => provider === info.provider)!, account)
    account.model = info.value
    return { backend, account, info, name: info.value.slice(info.provider.length + 1) }
  }

  private async models(doubtful: boolean, allowed: readonly string[] | null): Promise<ModelInfo[]> {
    const models = (await Promise.all(this.backends.map(backend => backend.list(doubtful)))).flat()
    return allowed ? models.filter(({ value }) => allows(allowed, value)) : models
  }

  /** The preferred model, else the first available one of this installation, else whatever answers. */
  private defaultAmong(models: ModelInfo[]): ModelInfo | undefined {
    const available = models.filter(model => model.status !== "unavailable")
    return (
      (this.preferred ? findModel(available, this.preferred) : undefined) ??
      available.find(model => model.local) ??
      available[0]
    )
  }
}

/** Models that an error names. */
const NAMED = 20

function notFound(wanted: string | null | undefined, models: ModelInfo[]): AppError {
  const usable = models.filter(({ status }) => status !== "unavailable")
  const names = usable.slice(0, NAMED).map(({ value }) => value)
  const more = usable.length > NAMED ? ` and ${usable.length - NAMED} more` : ""
  const what = wanted ? `there is no model ${JSON.stringify(wanted)}` : "there is no model to be used"
  return new AppError("model_not_found", {
    message: names.length > 0 ? `${what}; there are ${names.join(", ")}${more}` : what,
    hint: "GET /external/models lists all of them",
    details: [{ field: "model", issue: "unknown" }],
  })
}

/** By value, then by the bare name of any provider; `llama3.2` is `llama3.2:latest` as in Ollama. */
function findModel(models: ModelInfo[], wanted: string): ModelInfo | undefined {
  const names = [wanted, `${wanted}:latest`]
  return (
    models.find(model => names.includes(model.value)) ??
    models.find(model => names.includes(model.value.slice(model.provider.length + 1)))
  )
}

const toRecord = (model: ModelInfo, isDefault: boolean): ModelRecord => ({
  label: model.label,
  value: model.value,
  available: model.status !== "unavailable",
  status: model.status,
  status_reason: model.statusReason,
  provider: model.provider,
  local: model.local,
  capabilities: model.capabilities,
  context_length: model.contextLength,
  size_bytes: model.sizeBytes,
  default: isDefault,
  checked_at: model.checkedAt,
})
