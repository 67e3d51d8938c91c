/**
 * Everyone's texts before the embedding model, beside indexing and search: a few at a time, in turn between workspaces and
 * within one between requests. Each request has one batch with the model at most, which stands in the line of passages:
 * queries of searches go before it, and indexing has every other turn.
 */
import { Gate } from "../threads/gate.ts"
import type { Embedder } from "./backend.ts"

/** What a model does in some 30 ms; more would only delay others. */
const BATCH_TEXTS = 16
const BATCH_CHARS = 8_000
/** Requests that wait at a time. */
const MAX_WAITING = 256

export class EmbeddingLine {
  private readonly gate = new Gate({
    places: 1,
    waiting: MAX_WAITING,
    refusal: "too many requests wait for the embedding model",
    retryAfterSeconds: 5,
  })

  constructor(private readonly embedder: Embedder) {}

  get model(): string {
    return this.embedder.model
  }

  get dimensions(): number {
    return this.embedder.dimensions
  }

  /**
   * Unit vectors in the order of the texts; zeros for a text of which the model knows nothing.
   * @param signal no batch is begun after it
   * @throws AppError overloaded, model_unavailable, model_error; the reason of the signal
   */
  async embed(workspaceId: string, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    for (const batch of batchesOf(texts)) {
      const ticket = this.gate.enter(workspaceId)
      try {
        await ticket.turn(signal)
        vectors.push(...(await this.embedder.embed(batch, "passage", signal)))
      } finally {
        ticket.leave()
      }
    }
    return vectors
  }
}

function* batchesOf(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    if (batch.length === BATCH_TEXTS || (batch.length > 0 && characters + text.length > BATCH_CHARS)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(text)
    characters += text.length
  }
  if (batch.length > 0) yield batch
}
