/** The chat back ends on the servers that all files share. */
import { ModelQueue } from "../../src/backends/model-queue.ts"
import { OllamaChat, type OllamaOptions } from "../../src/backends/ollama.ts"
import { OpenAiChat } from "../../src/backends/openai.ts"
import type { ChatSubject } from "../backends/chat-conformance.ts"
import { LLAMA_CPP_MODELS, LLAMA_CPP_WINDOW, OLLAMA_MODELS, REAL, SLOW_MS } from "../support/real-models.ts"

const shared = () => ({
  silenceMs: SLOW_MS,
  queue: new ModelQueue({ parallel: 2, waiting: 8 }),
  allowRemoteModels: false,
})

export const ollamaAt = (host: string, more: Partial<OllamaOptions> = {}): OllamaChat =>
  new OllamaChat({ host, keepAlive: "", ...shared(), ...more })

export const openAiAt = (baseUrl: string, more: { silenceMs?: number } = {}): OpenAiChat =>
  new OpenAiChat({ baseUrl, apiKey: "", contextTokens: LLAMA_CPP_WINDOW, ...shared(), ...more })

export const backEnds = (): (ChatSubject & { name: string })[] => [
  { name: "Ollama", backend: ollamaAt(REAL.ollama_host), model: OLLAMA_MODELS.chat, contextTokens: 2_048 },
  {
    name: "llama.cpp's server",
    backend: openAiAt(REAL.openai_base_url),
    model: LLAMA_CPP_MODELS.chat,
    contextTokens: LLAMA_CPP_WINDOW,
    answersForAny: true,
  },
]
