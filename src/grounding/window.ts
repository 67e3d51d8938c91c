/** How much a model can read at once, and what is done when its server counts more tokens than we do. */
import type { ChatPiece, ChatRequest, ModelInfo } from "../backends/backend.ts"
import { ContextOverflowError } from "../backends/backend.ts"
import type { ResolvedModel } from "../backends/index.ts"
import type { Guarded } from "../guarded.ts"
import type { TokenMeter } from "./tokens.ts"

/** Where a server does not say how large a model's window is. */
const UNKNOWN_WINDOW = 8_192
/** Prompts that the server found too long are fitted again, each time smaller. */
const MAX_REFITS = 3

/** Tokens. */
export const windowOf = (info: Pick<ModelInfo, "contextLength">): number => info.contextLength ?? UNKNOWN_WINDOW

export interface FittedRequest {
  request: Guarded<ChatRequest>
  /** As the meter counts them; null where a part of the prompt cannot be counted, so that nothing is learned from it. */
  promptTokens: number | null
}

/**
 * What the model streams for a prompt that is fitted to its window. When the server refuses the prompt as too long, the
 * meter counts higher from then on, and `fit` is called again, told how often it was. The server's own count corrects the
 * meter as well; where a server does not count, the meter's count stands in.
 * @throws AppError of the backend
 */
export async function* askFitted(
  { backend, account, info: { value } }: ResolvedModel,
  meter: TokenMeter,
  fit: (refit: number) => Promise<FittedRequest>,
): AsyncGenerator<ChatPiece> {
  for (let refit = 0; ; refit++) {
    const { request, promptTokens } = await fit(refit)
    let began = false
    try {
      for await (const piece of backend.chat(request)) {
        began ||= piece.type !== "waiting"
        if (piece.type !== "end" || promptTokens === null) yield piece
        else if (piece.usage.promptTokens === 0) {
          account.add(promptTokens, 0)
          yield { ...piece, usage: { ...piece.usage, promptTokens } }
        } else {
          meter.learn(value, promptTokens, piece.usage.promptTokens)
          yield piece
        }
      }
      return
    } catch (error) {
      if (!(error instanceof ContextOverflowError) || refit === MAX_REFITS || began) throw error
      meter.raise(value)
    }
  }
}
