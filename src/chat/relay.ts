/** Relays what a model writes: its pieces become events, through the redaction of the turn, and the draft grows. */
import type { ChatPiece } from "../backends/backend.ts"
import type { TextStream } from "../grounding/guard.ts"
import { type Guarded, joined } from "../guarded.ts"
import type { Draft, Turn } from "./turn.ts"
import type { ChatEvent } from "./types.ts"

export class Relay {
  private readonly text: TextStream
  private thinking: TextStream
  private phase = ""
  private thinkingEnded = true

  constructor(
    private readonly turn: Turn,
    private readonly draft: Draft,
  ) {
    this.text = turn.guard.stream()
    this.thinking = turn.guard.stream()
  }

  async *events(pieces: AsyncIterable<ChatPiece>): AsyncGenerator<ChatEvent> {
    for await (const piece of pieces) {
      if (piece.type === "waiting") yield* this.enter("loading_model", piece.detail)
      else if (piece.type === "thinking") yield* this.think(piece.text)
      else if (piece.type === "text") yield* this.write(piece.text)
      else if (piece.type === "end") {
        this.draft.finishReason = piece.reason
        this.draft.usage = {
          prompt_tokens: piece.usage.promptTokens,
          completion_tokens: piece.usage.completionTokens,
        }
      }
    }
    yield* this.endThinking()
    yield* this.delta(await this.text.end())
  }

  private *enter(phase: "loading_model" | "thinking" | "generating", detail?: string): Generator<ChatEvent> {
    const key = phase + (detail ?? "")
    if (key === this.phase) return
    this.phase = key
    yield { event: "status", data: { phase, ...(detail ? { detail } : {}) } }
  }

  private async *think(text: string): AsyncGenerator<ChatEvent> {
    this.draft.firstTokenAt ??= performance.now()
    yield* this.enter("thinking")
    this.thinkingEnded = false
    if (this.turn.settings.thinking) yield* thought(await this.thinking.push(text))
  }

  private async *write(text: string): AsyncGenerator<ChatEvent> {
    this.draft.firstTokenAt ??= performance.now()
    yield* this.endThinking()
    yield* this.enter("generating")
    yield* this.delta(await this.text.push(text))
  }

  private async *endThinking(): AsyncGenerator<ChatEvent> {
    if (this.thinkingEnded) return
    this.thinkingEnded = true
    if (this.turn.settings.thinking) yield* thought(await this.thinking.end())
    this.thinking = this.turn.guard.stream() // some models think again between sentences
  }

  private *delta(text: Guarded<string>): Generator<ChatEvent> {
    if (!text) return
    this.draft.content = joined(this.draft.content, text)
    yield { event: "message_delta", data: { text } }
  }
}

function* thought(text: Guarded<string>): Generator<ChatEvent> {
  if (text) yield { event: "thinking_delta", data: { text } }
}
