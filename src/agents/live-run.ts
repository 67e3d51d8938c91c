/** A run that goes in this process: what ends it, who waits for it, who wants to hear of its steps. */
export class LiveRun {
  readonly controller = new AbortController()
  /** Settles when the run's last row is written. */
  ended: Promise<void> = Promise.resolve()
  /** Blocking calls that wait for it. */
  waiting = 0
  /** True when nobody needs to wait for it to go on. */
  detached = false
  private readonly listeners = new Set<() => void>()

  constructor(readonly id: string) {}

  /** Something new can be read of it. */
  notify(): void {
    for (const listener of [...this.listeners]) listener()
  }

  /** Resolves at the next `notify`, or when `signal` aborts. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        this.listeners.delete(wake)
        signal.removeEventListener("abort", wake)
        resolve()
      }
      this.listeners.add(wake)
      signal.addEventListener("abort", wake, { once: true })
    })
  }
}
