/**
 * Does a piece of work for each item, so many at the same time, and yields what came of them as they end. Whoever stops
 * early, or is thrown at, leaves nothing behind: what still goes is aborted and waited for.
 */
export async function* atOnce<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): AsyncGenerator<Result> {
  const end = new AbortController()
  const stop = AbortSignal.any([signal, end.signal])
  const going = new Map<Item, Promise<[Item, Result]>>()
  const waiting = items.values()
  const fill = () => {
    while (going.size < most) {
      const { value: item, done } = waiting.next()
      if (done) return
      going.set(
        item,
        work(item, stop).then(result => [item, result]),
      )
    }
  }
  try {
    for (fill(); going.size > 0; fill()) {
      const [item, result] = await Promise.race(going.values())
      going.delete(item)
      yield result
      signal.throwIfAborted()
    }
  } finally {
    end.abort()
    await Promise.allSettled(going.values())
  }
}
