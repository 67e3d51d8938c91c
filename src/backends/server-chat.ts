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

export abstract class ServerChat implements ChatBackend {
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
      () => this.watched(request),
      () => this.probe.forget(),
    )
  }

  /** One answer of the server. */
  protected abstract ask(request: ChatRequest, watch: SilenceWatch): AsyncGenerator<ChatPiece>

  private async *watched(request: ChatRequest): AsyncGenerator<ChatPiece> {
    const watch = new SilenceWatch(request.signal, this.shared.silenceMs)
    try {
      yield* this.ask(request, watch)
    } finally {
      watch.close()
    }
  }
}
