/** Many requests that are worked on in the background. */
import type { Batch } from "./generated.ts"
import { looked } from "./looks.ts"
import { Resource } from "./resource.ts"
import { jsonLines } from "./sse.ts"
import type { CallOptions, InputOf } from "./transport.ts"

const ENDED: readonly Batch["status"][] = ["completed", "failed", "expired", "cancelled"]

export class Batches extends Resource {
  create(body: InputOf<"startBatch">["body"], options?: CallOptions) {
    return this.transport.call("startBatch", { body }, options)
  }
  get(id: string, options?: CallOptions) {
    return this.transport.call("getStartedBatch", { path: { batch_id: id } }, options)
  }
  cancel(id: string, options?: CallOptions) {
    return this.transport.call("cancelStartedBatch", { path: { batch_id: id } }, options)
  }
  /** The batch, once it has ended. */
  wait(id: string, options: CallOptions = {}): Promise<Batch> {
    return looked(
      () => this.get(id, options),
      ({ status }) => ENDED.includes(status),
      options.signal,
    )
  }
  /** The lines of its output and error files, as they are read. */
  async *results(id: string, options: CallOptions = {}): AsyncGenerator<BatchResult, void> {
    const { output_file_id, error_file_id } = await this.get(id, options)
    for (const file_id of [output_file_id, error_file_id]) {
      if (!file_id) continue
      const stream = await this.transport.call("downloadFileObject", { path: { file_id } }, options)
      for await (const line of jsonLines(stream)) yield line as BatchResult
    }
  }
}

export interface BatchResult {
  id: string
  custom_id: string
  response: { status_code: number; request_id: string; body: unknown } | null
  error: { code: string; message: string } | null
}
