/** What every embedder must do, whatever runs the model. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Embedder } from "../../src/backends/backend.ts"
import { rejection } from "../support/rejection.ts"

export function embedderConformance(name: string, open: () => Promise<Embedder>): void {
  describe(`${name} as an embedder`, () => {
    let embedder: Embedder

    beforeAll(async () => {
      embedder = await open()
    })
    afterAll(() => embedder.close())

    test("gives one unit vector of its dimensions per text, in order", async () => {
      const texts = ["red stone", "a much longer text about a green river and a blue stone", "blue"]
      const together = await embedder.embed(texts, "passage")
      expect(together).toHaveLength(3)
      for (const [row, vector] of together.entries()) {
        expect(vector).toHaveLength(embedder.dimensions)
        expect(Math.hypot(...vector)).toBeCloseTo(1, 4)
        const [alone] = await embedder.embed([texts[row]!], "passage")
        expect(cosine(vector, alone!)).toBeCloseTo(1, 4)
      }
      expect(cosine(together[0]!, together[2]!)).toBeLessThan(0.999)
    })

    test("takes many texts, an empty one, odd characters and none at all", async () => {
      const texts = Array.from({ length: 150 }, (_, i) => "stone ".repeat(i % 40))
      const vectors = await embedder.embed([...texts, "", "\u0000\ud800", "🙂"], "passage")
      for (const [i, vector] of vectors.entries()) {
        const length = Math.hypot(...vector)
        // Zeros say that the model knows nothing of a text.
        if (length > 0 || texts[i]?.trim()) expect(length).toBeCloseTo(1, 4)
      }
      expect(await embedder.embed([], "query")).toEqual([])
    })

    test("takes a text far longer than the model's window", async () => {
      const [vector] = await embedder.embed(["green river ".repeat(20_000)], "passage")
      expect(Math.hypot(...vector!)).toBeCloseTo(1, 4)
    })

    test("names its model and a weight for fusion", () => {
      expect(embedder.model).not.toBe("")
      expect(embedder.fusionWeight).toBeGreaterThan(0)
      expect(embedder.fusionWeight).toBeLessThanOrEqual(1)
    })

    test("does not begin when the signal is already aborted", async () => {
      const reason = new Error("nobody waits any more")
      expect(await rejection(embedder.embed(["red"], "query", AbortSignal.abort(reason)))).toBe(reason)
    })
  })
}

export function cosine(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, at) => sum + value * right[at]!, 0)
}

/** Each question is nearer to its own passage, the one in the same place, than to any other. */
export async function expectNearest(
  embedder: Pick<Embedder, "embed">,
  questions: string[],
  passages: string[],
): Promise<void> {
  const asked = await embedder.embed(questions, "query")
  const vectors = await embedder.embed(passages, "passage")
  for (const [at, question] of asked.entries())
    for (const [other, vector] of vectors.entries())
      if (other !== at) expect(cosine(question, vectors[at]!)).toBeGreaterThan(cosine(question, vector))
}
