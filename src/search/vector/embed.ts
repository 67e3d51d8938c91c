/** Vectors of passages: how they are made in batches. */
import type { Embedder } from "../../backends/backend.ts"
import { yieldToOthers } from "../../storage/chunks.ts"

/** Passages embedded at a time. */
const EMBED_BATCH = 32

/**
 * Embeds passages in batches, giving way between them.
 * @returns one vector behind another
 */
export async function embedAll(
  embedder: Embedder,
  texts: string[],
  signal: AbortSignal | undefined,
  on: (done: number) => void | Promise<void>,
): Promise<Float32Array> {
  const rows = new Float32Array(texts.length * embedder.dimensions)
  for (let from = 0; from < texts.length; from += EMBED_BATCH) {
    signal?.throwIfAborted()
    const batch = texts.slice(from, from + EMBED_BATCH)
    const vectors = await embedder.embed(batch, "passage", signal)
    vectors.forEach((vector, i) => {
      if (vector.length !== embedder.dimensions) throw new Error(`${embedder.model} gave ${vector.length} dimensions`)
      rows.set(vector, (from + i) * embedder.dimensions)
    })
    await on(Math.min(texts.length, from + batch.length))
    await yieldToOthers()
  }
  return rows
}
