/** Counts what model servers take: time until the first piece and in all, tokens as the servers count them. */
import type { Guarded } from "../guarded.ts"
import { modelSeconds, modelTokens } from "../metrics.ts"
import type { ChatBackend, ChatPiece, ChatRequest } from "./backend.ts"

export function measured(backend: ChatBackend): ChatBackend {
  const { provider } = backend
  return {
    provider,
    get answers() {
      return backend.answers ?? true
    },
    list: doubtful => backend.list(doubtful),
    ...(backend.loadedContextTokens ? { loadedContextTokens: model => backend.loadedContextTokens!(model) } : {}),
    chat: request => measure(provider, backend, request),
  }
}

async function* measure(
  provider: string,
  backend: ChatBackend,
  request: Guarded<ChatRequest>,
): AsyncGenerator<ChatPiece> {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  let isFirst = true
  for await (const piece of backend.chat(request)) {
    if (piece.type === "end") {
      modelSeconds.observe({ provider, until: "end" }, seconds())
      modelTokens.inc({ provider, direction: "prompt" }, piece.usage.promptTokens)
      modelTokens.inc({ provider, direction: "completion" }, piece.usage.completionTokens)
    } else if (isFirst && piece.type !== "waiting") {
      isFirst = false
      modelSeconds.observe({ provider, until: "first" }, seconds())
    }
    yield piece
  }
}
