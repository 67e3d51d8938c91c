/** Relays what a model writes: its pieces become events, through the redaction of the turn. */
import type { ChatPiece, MadeCall, ToolCall } from "../backends/backend.ts"
import { AppError } from "../errors.ts"
import type { Guard, TextStream } from "../grounding/guard.ts"
import { type Guarded, joined, NOTHING } from "../guarded.ts"
import type { ChatEvent } from "./events.ts"
import { type Ended, type Progress, TOOL_CALL } from "./progress.ts"

export class Relay {
  /** The calls of the newest turn, as the model wrote them. */
  made: MadeCall[] = []
  /** The text of the newest turn, as its readers see it. */
  said: Guarded<string> = NOTHING
  private text: TextStream
  private thinking: TextStream
  private phase = ""
  private thinkingEnded = true
  private began = false
  private needsBreak: boolean
  /** Characters of the reply so far. */
  written: number

  /**
   * @param shows what the caller asked for beside the text: the model's thoughts, its calls of the caller's tools
   * @param before what stands of the reply: its length, and whether what comes is a paragraph of its own
   */
  constructor(
    private readonly guard: Guard,
    private readonly shows: { thinking: boolean; calls: boolean },
    before: { length: number; isEnded: boolean } = { length: 0, isEnded: false },
  ) {
    this.written = before.length
    this.needsBreak = before.isEnded
    this.text = guard.stream()
    this.thinking = guard.stream()
  }

  /** One turn of the model. The text of a further one is a paragraph of its own. */
  async *events(pieces: AsyncIterable<ChatPiece>): AsyncGenerator<Progress, Ended> {
    this.needsBreak ||= this.said !== ""
    this.made = []
    this.said = NOTHING
    this.phase = ""
    this.text = this.guard.stream()
    let ended: Ended = { finishReason: "stop" }
    for await (const piece of pieces) {
      if (piece.type === "waiting") yield* this.enter("loading_model", piece.detail)
      else if (piece.type === "thinking") yield* this.think(piece.text)
      else if (piece.type === "text") yield* this.write(piece.text)
      else if (piece.type === "tool_call") yield* this.call(piece.call)
      else if (piece.type === "end") ended = { finishReason: piece.reason }
    }
    if (!this.thinkingEnded) yield* this.endThinking()
    yield* this.tell(await this.text.end())
    return ended
  }

  private *enter(phase: "loading_model" | "thinking" | "generating", detail?: string): Generator<ChatEvent> {
    const key = phase + (detail ?? "")
    if (key === this.phase) return
    this.phase = key
    yield { event: "status", data: { phase, ...(detail ? { detail } : {}) } }
  }

  private *begin(): Generator<Progress> {
    this.began = true
    yield { fact: { firstTokenAt: performance.now() } }
  }

  private async *think(text: string): AsyncGenerator<Progress> {
    if (!this.began) yield* this.begin()
    yield* this.enter("thinking")
    this.thinkingEnded = false
    if (this.shows.thinking) yield* thought(await this.thinking.push(text))
  }

  private async *write(text: string): AsyncGenerator<Progress> {
    if (!this.began) yield* this.begin()
    if (!this.thinkingEnded) yield* this.endThinking()
    yield* this.enter("generating")
    yield* this.tell(await this.text.push(text))
  }

  private async *call({ id, name, arguments: given, problem }: MadeCall): AsyncGenerator<Progress> {
    this.made.push({ id, name, arguments: given, ...(problem === undefined ? {} : { problem }) })
    if (!this.shows.calls) return
    if (!this.began) yield* this.begin()
    if (problem) throw new AppError("model_error", { message: "the model made a call that cannot be read" })
    const call = { id, name, arguments: await this.guard.value(given) }
    yield { event: "caller_call", data: await this.guard.pass<ToolCall>(call, TOOL_CALL) }
  }

  private async *tell(text: Guarded<string>): AsyncGenerator<ChatEvent> {
    if (!text) return
    const shown = this.needsBreak ? joined(await this.guard.text("\n\n"), text) : text
    this.needsBreak = false
    this.said = joined(this.said, text)
    this.written += shown.length
    yield { event: "message_delta", data: { text: shown } }
  }

  private async *endThinking(): AsyncGenerator<ChatEvent> {
    this.thinkingEnded = true
    if (this.shows.thinking) yield* thought(await this.thinking.end())
    this.thinking = this.guard.stream() // some models think again between sentences
  }
}

function* thought(text: Guarded<string>): Generator<ChatEvent> {
  if (text) yield { event: "thinking_delta", data: { text } }
}
