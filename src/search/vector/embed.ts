/** Vectors of passages: how they are made in batches. */
import type { Embedder } from "../../backends/backend.ts"
import { yieldToOthers } from "../../storage/chunks.ts"
import type { BackgroundPace } from "./background-pace.ts"

/** Passages embedded at a time. */
const EMBED_BATCH = 32
/** In the background: a third of a second with a large model, after which others may go. */
const BACKGROUND_BATCH = 8

export interface EmbedOptions {
  signal: AbortSignal | undefined
  /** Told how many are embedded. */
  on?: (done: number) => void | Promise<void>
  /** Without one the model is given all that it takes. */
  pace?: BackgroundPace | undefined
}

/**
 * Embeds passages in batches, giving way between them.
 * @returns one vector behind another
 */
export async function embedAll(
  embedder: Embedder,
  texts: string[],
  { signal, on, pace }: EmbedOptions,
): Promise<Float32Array> {
  const rows = new Float32Array(texts.length * embedder.dimensions)
  const size = pace ? BACKGROUND_BATCH : EMBED_BATCH
  for (let from = 0; from < texts.length; from += size) {
    signal?.throwIfAborted()
    const batch = texts.slice(from, from + size)
    const embed = () => embedder.embed(batch, "passage", signal)
    const vectors = await (pace ? pace.take(signal, embed) : embed())
    vectors.forEach((vector, i) => {
      if (vector.length !== embedder.dimensions) throw new Error(`${embedder.model} gave ${vector.length} dimensions`)
      rows.set(vector, (from + i) * embedder.dimensions)
    })
    await on?.(Math.min(texts.length, from + batch.length))
    await yieldToOthers()
  }
  return rows
}
