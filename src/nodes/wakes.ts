/**
 * Hints that something changed: whoever waits for it looks at once instead of a second later. A hint may come twice, for
 * nothing, or not at all; what is true stands in the database.
 */

/** `jobs`: work became due, no key. `file`: the file that the key names changed. */
export type Channel = "jobs" | "file"

export interface Wakes {
  /** After the commit of what changed. Does not wait for anybody. */
  publish(channel: Channel, key?: string): void
  /**
   * Calls back when the key of the channel is published, by this process or another, and from time to time where hints from
   * others may be lost. @returns ends that
   */
  listen(channel: Channel, key: string, listener: () => void): () => void
}

/** Among those of this process: all that one machine needs. */
export class LocalWakes implements Wakes {
  private readonly listeners = new Map<string, Set<() => void>>()

  publish(channel: Channel, key = ""): void {
    this.wake(nameOf(channel, key))
  }

  listen(channel: Channel, key: string, listener: () => void): () => void {
    const name = nameOf(channel, key)
    const known = this.listeners.get(name) ?? new Set()
    this.listeners.set(name, known.add(listener))
    return () => {
      known.delete(listener)
      if (known.size === 0 && this.listeners.get(name) === known) this.listeners.delete(name)
    }
  }

  wake(name: string): void {
    for (const listener of [...(this.listeners.get(name) ?? [])]) listener()
  }

  wakeAll(): void {
    for (const name of [...this.listeners.keys()]) this.wake(name)
  }
}

/** What is published, as one word: a channel holds no space. */
export const nameOf = (channel: Channel, key: string): string => `${channel} ${key}`
