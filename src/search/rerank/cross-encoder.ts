/** A transformer that reads query and passage together and says how well the one answers the other. */
import { ModelThread, ModelUnusable, UNLOAD_IDLE_MS } from "../../backends/model-thread.ts"
import { AppError } from "../../errors.ts"
import type { CrossEncoderBatch, CrossEncoderPlace } from "./cross-encoder-worker.ts"
import type { Judged, Reranker, RerankerOptions, RerankFolder } from "./scorer.ts"

export function openCrossEncoder(folder: RerankFolder, { nativeDirectory, startWorker }: RerankerOptions): Reranker {
  const { name: model, directory, languages } = folder
  const thread = new ModelThread<CrossEncoderPlace, CrossEncoderBatch, Judged>({
    model,
    entry: "search/rerank/cross-encoder-worker",
    open: { directory, languages, nativeDirectory },
    startWorker,
    idleMs: UNLOAD_IDLE_MS,
  })
  return {
    model,
    async score(query, texts, foreign, signal) {
      signal?.throwIfAborted()
      try {
        return await thread.run({ query, texts, foreign }, signal)
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        throw unavailable(model, error as Error)
      }
    },
    close: () => thread.close(),
  }
}

const unavailable = (model: string, cause: Error): AppError =>
  new AppError("model_unavailable", {
    message: `the reranking model "${model}" ${cause instanceof ModelUnusable ? cause.why : "failed"}`,
    cause,
  })
