/** Knows whether the embedding model answers, for readiness and figures, from whatever is asked of it. */
import { Trouble } from "../log.ts"
import type { Cosines, Embedder } from "./backend.ts"

/** A model that failed is asked again after this, so that it counts as well again when nobody else asks. */
const RETRY_MS = 10_000

/**
 * States: `starting` until the first answer → `answering` ⇄ `failing`, with each call that succeeds or fails. While it is
 * failing it is asked for a trial vector now and then.
 */
export class WatchedEmbedder implements Embedder {
  state: "starting" | "answering" | "failing" = "starting"
  readonly model: string
  readonly dimensions: number
  readonly fusionWeight: number
  readonly languages: readonly string[] | null
  readonly cosines: Cosines | null
  readonly slope: number | undefined
  readonly fastShare: number | undefined
  readonly onServer: boolean
  private readonly retryMs: number
  private readonly trouble: Trouble
  private timer: Timer | undefined
  private closed = false

  constructor(
    private readonly embedder: Embedder,
    { retryMs = RETRY_MS, instead = "keywords" }: { retryMs?: number; instead?: string } = {},
  ) {
    this.retryMs = retryMs
    this.model = embedder.model
    this.dimensions = embedder.dimensions
    this.fusionWeight = embedder.fusionWeight
    this.languages = embedder.languages ?? null
    this.cosines = embedder.cosines ?? null
    this.slope = embedder.slope
    this.fastShare = embedder.fastShare
    const begins = `the embedding model does not answer; search falls back to ${instead}`
    this.trouble = new Trouble(
      { begins, ends: "the embedding model answers again", level: "error" },
      { model: this.model },
    )
    this.onServer = embedder.onServer ?? false
  }

  get isLoaded(): boolean {
    return this.embedder.isLoaded ?? true
  }

  async embed(texts: string[], role: "query" | "passage", signal?: AbortSignal): Promise<Float32Array[]> {
    try {
      const vectors = await this.embedder.embed(texts, role, signal)
      this.note("answering")
      return vectors
    } catch (error) {
      if (!signal?.aborted) this.note("failing", error)
      throw error
    }
  }

  /** Asks it now, and again later while it fails. */
  watch(): void {
    void this.embed(["ready"], "query").catch(() => {}) // noted
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    await this.embedder.close()
  }

  private note(state: "answering" | "failing", error?: unknown): void {
    if (this.closed) return
    this.state = state
    clearTimeout(this.timer)
    if (state === "answering") {
      this.trouble.clear()
      return
    }
    this.trouble.note(error)
    this.timer = setTimeout(() => this.watch(), this.retryMs)
    this.timer.unref()
  }
}
