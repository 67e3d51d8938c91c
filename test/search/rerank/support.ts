/** A reranking model for tests, which does as it is told. */
import { AppError } from "../../../src/errors.ts"
import type { Judged, Reranker } from "../../../src/search/rerank/scorer.ts"

export interface TestReranker extends Reranker {
  /** What it was given, batch by batch. */
  readonly asked: { query: string; texts: string[] }[]
  /** Held back until it settles. */
  hold: Promise<void> | undefined
  failing: boolean
}

/** @param scoreOf 0..1; NaN for a text that is passed over */
export function testReranker(scoreOf: (text: string, query: string) => number): TestReranker {
  return {
    model: "test/reranker",
    asked: [],
    hold: undefined,
    failing: false,
    async score(query, texts): Promise<Judged> {
      this.asked.push({ query, texts })
      await this.hold
      if (this.failing) throw new AppError("model_unavailable", { message: "the model fails" })
      return { scores: Float32Array.from(texts, text => scoreOf(text, query)), tokens: texts.join(" ").length }
    },
    async close() {},
  }
}
