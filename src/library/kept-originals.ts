import { AppError } from "../errors.ts"
import type { Blobs, LocalFile } from "../storage/blobs/blobs.ts"

/** Whoever looks at a page looks at the next one soon. */
const KEPT_MS = 60_000
/** Copies that nobody uses at the moment: each may have the size of the largest upload. */
const MOST_KEPT = 4

/** An original on this machine's disk. */
export interface KeptOriginal extends LocalFile {
  /** Bytes. */
  size: number
}

/**
 * Originals that pages are drawn from, held for a while after their use: where they lie in object storage each is a copy,
 * and making it takes longer than drawing.
 */
export class KeptOriginals implements AsyncDisposable {
  /** Those that nobody uses now, the longest first. */
  private readonly resting = new Map<string, { original: KeptOriginal; timer: Timer }>()
  private isClosed = false

  constructor(private readonly blobs: Blobs) {}

  /** Not to be used once it is disposed. @throws AppError not_found, store_unavailable; the reason of `signal` */
  async get(blob: string, signal: AbortSignal): Promise<KeptOriginal> {
    const original = this.take(blob) ?? (await this.open(blob, signal))
    return { path: original.path, size: original.size, [Symbol.asyncDispose]: () => this.rest(blob, original) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true
    await Promise.all([...this.resting.keys()].map(blob => this.take(blob)?.[Symbol.asyncDispose]()))
  }

  private async open(blob: string, signal: AbortSignal): Promise<KeptOriginal> {
    const stored = await this.blobs.findOriginal(blob)
    if (!stored) throw new AppError("not_found") // deleted meanwhile
    return Object.assign(await stored.local(signal), { size: stored.size })
  }

  private take(blob: string): KeptOriginal | undefined {
    const known = this.resting.get(blob)
    if (!known) return undefined
    clearTimeout(known.timer)
    this.resting.delete(blob)
    return known.original
  }

  private async rest(blob: string, original: KeptOriginal): Promise<void> {
    if (this.isClosed || this.resting.has(blob)) return original[Symbol.asyncDispose]()
    const timer = setTimeout(() => void this.take(blob)?.[Symbol.asyncDispose](), KEPT_MS)
    timer.unref()
    this.resting.set(blob, { original, timer })
    const [longest] = this.resting.keys()
    if (this.resting.size > MOST_KEPT) await this.take(longest!)?.[Symbol.asyncDispose]()
  }
}
