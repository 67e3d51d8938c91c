/** Work that is looked for after a while, and again when somebody says that there may be more; never twice at a time. */
export class Recurring {
  private running: Promise<void> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private again = false

  /** @param run never rejects */
  constructor(
    private readonly run: () => Promise<void>,
    private readonly signal: AbortSignal,
  ) {}

  /** Looks after a while, instead of when it was to look before. */
  later(delayMs: number): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.soon(delayMs)
  }

  /** Looks after a while, unless it is to look anyway. */
  soon(delayMs: number): void {
    if (this.signal.aborted || this.timer) return
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.again = true
      this.running ??= this.runAll().finally(() => {
        this.running = undefined
      })
    }, delayMs)
    this.timer.unref()
  }

  /** Waits for what is under way, which ends soon once the signal is aborted. */
  async close(): Promise<void> {
    clearTimeout(this.timer)
    await this.running
  }

  private async runAll(): Promise<void> {
    while (this.again && !this.signal.aborted) {
      this.again = false
      await this.run()
    }
  }
}
