/** Makes what was written visible to searches of the engine. Many who ask at once are served by one refresh. */
import { EngineError } from "../../errors.ts"
import type { OpenSearchClient } from "./client.ts"

/** With a graph of neighbors a refresh builds what was written since the last. */
const TIMEOUT_MS = 120_000

export class Refreshes {
  private written = new Set<string>()
  private running: Promise<void> | undefined
  private next: Promise<void> | undefined

  constructor(private readonly client: OpenSearchClient) {}

  /** Something was written to an index. */
  note(index: string): void {
    this.written.add(index)
  }

  /** Resolves when all that was noted before can be found. */
  settle(): Promise<void> {
    if (!this.running) return this.begin()
    // One that runs may have passed by what was just written.
    this.next ??= this.running
      .catch(() => {})
      .then(() => {
        this.next = undefined
        return this.begin()
      })
    return this.next
  }

  private begin(): Promise<void> {
    this.running = this.refresh().finally(() => {
      this.running = undefined
    })
    return this.running
  }

  private async refresh(): Promise<void> {
    const indexes = this.written
    if (indexes.size === 0) return
    this.written = new Set()
    try {
      const path = `${[...indexes].join(",")}/_refresh?ignore_unavailable=true`
      const answer = await this.client.ask<{ _shards: { failed: number } }>("POST", path, { timeoutMs: TIMEOUT_MS })
      if (answer._shards.failed > 0) throw new EngineError("search", "not every shard could be refreshed")
    } catch (error) {
      for (const index of indexes) this.written.add(index)
      throw error
    }
  }
}
