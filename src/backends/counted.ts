/** A chat back end that counts what it takes into an account: the only way in which callers have one. */
import type { Account } from "../account.ts"
import type { Guarded } from "../guarded.ts"
import type { ChatBackend, ChatPiece, ChatRequest } from "./backend.ts"

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

  /** A stream that is left before its end has told no tokens, and counts none. */
  async *chat(request: Guarded<ChatRequest>): AsyncGenerator<ChatPiece> {
    for await (const piece of this.backend.chat(request)) {
      if (piece.type === "end") this.account.add(piece.usage.promptTokens, piece.usage.completionTokens)
      yield piece
    }
  }
}
