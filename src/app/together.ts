/** Parts that finish their work at the same time when the daemon stops: a slow one takes no time from the others. */
export class Together implements AsyncDisposable {
  private readonly ends: (() => Promise<unknown>)[] = []

  add(end: () => Promise<unknown>): void {
    this.ends.push(end)
  }

  /** @throws the first failure, once all have ended */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = await Promise.allSettled(this.ends.splice(0).map(end => end()))
    for (const outcome of ended) if (outcome.status === "rejected") throw outcome.reason
  }
}
