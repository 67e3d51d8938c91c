/** What the settings say about chat back ends; `configured.ts` fills it. */
import type { MeaningModels } from "./backend.ts"
import type { QueueLimits } from "./model-queue.ts"

export interface ChatBackendOptions {
  ollamaHost: string
  /** How long Ollama keeps a model loaded after use; empty leaves it to the server. */
  keepAlive: string
  /** Empty: no OpenAI-compatible server. */
  openAiBaseUrl: string
  openAiApiKey: string
  /** Window of its models where the server does not tell. */
  openAiContextTokens: number
  silenceMs: number
  queue: QueueLimits
  allowRemoteModels: boolean
  /** The models by which the built-in back end tells which sentences mean what is asked; asked for at each answer. */
  meaning?: () => MeaningModels
}
