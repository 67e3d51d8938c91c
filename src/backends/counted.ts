/** A chat back end that counts what it takes into an account: the only way in which callers have one. */
import type { Account } from "../account.ts"
import type { Guarded } from "../guarded.ts"
import type { ChatBackend, ChatPiece, ChatRequest } from "./backend.ts"
import { guessTokens } from "./guess-tokens.ts"

export class CountedBackend implements ChatBackend {
  constructor(
    private readonly backend: ChatBackend,
    private readonly account: Account,
  ) {}

  get provider(): string {
    return this.backend.provider
  }

  list(doubtful?: boolean) {
    return this.backend.list(doubtful)
  }

  loadedContextTokens(model: string): number | null {
    return this.backend.loadedContextTokens?.(model) ?? null
  }

  /**
   * A server tells its tokens at the end. Of a stream that is left or breaks before, what came is counted: a token for each
   * piece, as servers send them, and those of the prompt as they are guessed. At once when the signal aborts: who does not wait
   * for the stream to end says what was taken as well.
   */
  async *chat(request: Guarded<ChatRequest>): AsyncGenerator<ChatPiece> {
    let pieces = 0
    let isTold = false
    const tell = (promptTokens: number, completionTokens: number) => {
      if (!isTold) this.account.add(promptTokens, completionTokens)
      isTold = true
    }
    const leave = () => {
      if (pieces > 0) tell(promptOf(request), pieces)
    }
    request.signal.addEventListener("abort", leave, { once: true })
    try {
      for await (const piece of this.backend.chat(request)) {
        if (piece.type === "end") tell(piece.usage.promptTokens, piece.usage.completionTokens)
        else if (piece.type !== "waiting") pieces++
        yield piece
      }
    } finally {
      request.signal.removeEventListener("abort", leave)
      leave()
    }
  }
}

const promptOf = ({ turns }: ChatRequest): number => turns.reduce((sum, { content }) => sum + guessTokens(content), 0)
