import type { Embedder } from "../../src/backends/backend.ts"

/** Letters, all of them of the English alphabet. */
const ENGLISH = /^[^\p{L}]*[a-z](?:[^\p{L}]|[a-z])*$/iu

/** A model of many languages as one that knows English alone, and no other letters. */
export function englishOnly(model: Embedder): Embedder {
  return {
    model: "test/english",
    dimensions: model.dimensions,
    fusionWeight: model.fusionWeight,
    languages: ["en"],
    ...(model.cosines ? { cosines: model.cosines } : {}),
    async embed(texts, role, signal) {
      const vectors = await model.embed(texts, role, signal)
      return vectors.map((vector, at) => (ENGLISH.test(texts[at]!) ? vector : vector.fill(0)))
    },
    close: () => model.close(),
  }
}
