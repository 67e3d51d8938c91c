/** What the chat back ends over HTTP share: the list that is looked at anew, the line before each model, the silence watch. */
import type { Guarded } from "../guarded.ts"
import type { ChatBackend, ChatPiece, ChatRequest, ModelInfo } from "./backend.ts"
import { askInLine, type ModelQueue } from "./model-queue.ts"
import type { Probe } from "./probe.ts"
import { SilenceWatch } from "./silence-watch.ts"

export interface ServerChatOptions {
  /** Longest time without a byte. */
  silenceMs: number
  queue: ModelQueue
  /** Permits models that run outside the local network. */
  allowRemoteModels: boolean
}

/** @typeParam Answer what `open` gives to `read` */
export abstract class ServerChat<Answer> implements ChatBackend {
  abstract readonly provider: string
  protected abstract readonly probe: Probe

  constructor(private readonly shared: ServerChatOptions) {}

  list(doubtful = false): Promise<ModelInfo[]> {
    return this.probe.list(doubtful)
  }

  get answers(): boolean {
    return this.probe.answered
  }

  chat(request: Guarded<ChatRequest>): AsyncGenerator<ChatPiece> {
    return askInLine(
      this.shared.queue,
      `${this.provider}/${request.model}`,
      request.signal,
      () => this.ask(request),
      () => this.probe.forget(),
    )
  }

  /** Sends the request; yields `waiting` pieces until the server begins to answer. */
  protected abstract open(request: ChatRequest, watch: SilenceWatch): AsyncGenerator<ChatPiece, Answer>

  protected abstract read(answer: Answer, watch: SilenceWatch): AsyncGenerator<ChatPiece>

  private async *ask(request: ChatRequest): AsyncGenerator<ChatPiece> {
    const watch = new SilenceWatch(request.signal, this.shared.silenceMs)
    try {
      yield* this.read(yield* this.open(request, watch), watch)
    } finally {
      watch.close()
    }
  }
}
