/** A model in a thread of its own: onnxruntime's `run()` blocks the thread that calls it. */
import { useNativeDirectory } from "../native/native.ts"
import { type Moved, serveThread } from "../threads/thread-side.ts"
import type { ModelTasks } from "./model-thread.ts"

export type Library = typeof import("@huggingface/transformers")

type RunBatch<Batch, Answer> = (batch: Batch) => Promise<Answer | Moved<Answer>>

/** Opens one model, then answers batches, one at a time. */
export function serveModel<Open, Batch, Answer>(open: (how: Open) => Promise<RunBatch<Batch, Answer>>): void {
  let run: RunBatch<Batch, Answer>
  serveThread<ModelTasks<Open, Batch, Answer>>({
    open: async how => {
      run = await open(how)
      return undefined
    },
    run: batch => run(batch),
  })
}

/** transformers.js, reading from folders on disk alone. @param nativeDirectory `<data>/native` */
export async function loadLibrary(nativeDirectory: string): Promise<Library> {
  useNativeDirectory(nativeDirectory)
  // Not a static import: loading the library loads onnxruntime, which must find its directory and its telemetry off.
  const library = await import("@huggingface/transformers")
  library.env.allowRemoteModels = false
  library.env.allowLocalModels = true
  library.env.useFSCache = false
  library.env.localModelPath = ""
  return library
}
