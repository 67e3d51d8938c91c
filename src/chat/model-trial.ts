/** Asks a model something small, so that an administrator sees that it answers, and how soon. */
import type { View } from "../access/view.ts"
import { CHAT_REQUEST, type ChatRequest } from "../backends/backend.ts"
import type { ModelCatalog } from "../backends/index.ts"
import type { Usage } from "../governance/usage/usage.ts"
import { Guard } from "../grounding/guard.ts"
import type { Redactor } from "../redaction/redact.ts"

/** A large model is read from a slow disk meanwhile. */
const LIMIT_MS = 120_000
const MAX_TOKENS = 24
const QUESTION = "Reply with the single word: ready"
const MAX_SHOWN = 200

export interface ModelTrial {
  model: string
  /** Until the first piece of text or thought, loading and waiting included; null where none came. */
  first_piece_ms: number | null
  total_ms: number
  /** What it said, or thought. */
  text: string
  completion_tokens: number
}

interface Parts {
  models: ModelCatalog
  redactor: Redactor
  usage: Usage
}

export class ModelTrials {
  constructor(private readonly parts: Parts) {}

  /** @throws AppError model_not_found, model_unavailable, model_error …, as a conversation would */
  async run(view: View, model: string, signal: AbortSignal): Promise<ModelTrial> {
    const { models, redactor, usage } = this.parts
    const account = await usage.account(view)
    const { backend, info, name } = await models.resolve(model, null, account)
    const guard = new Guard(redactor, null)
    guard.trust(QUESTION)
    const request = await guard.pass<ChatRequest>(
      {
        model: name,
        turns: [{ role: "user", content: QUESTION }],
        options: { temperature: 0, max_tokens: MAX_TOKENS },
        thinking: false,
        signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
      },
      CHAT_REQUEST,
    )
    const began = performance.now()
    const elapsed = () => Math.round(performance.now() - began)
    const trial: ModelTrial = { model: info.value, first_piece_ms: null, total_ms: 0, text: "", completion_tokens: 0 }
    for await (const piece of backend.chat(request)) {
      if (piece.type === "text" || piece.type === "thinking") {
        trial.first_piece_ms ??= elapsed()
        trial.text += piece.text
      }
      if (piece.type === "end") trial.completion_tokens = piece.usage.completionTokens
    }
    usage.settle(account, account.usage)
    return { ...trial, text: trial.text.trim().slice(0, MAX_SHOWN), total_ms: elapsed() }
  }
}
