/** Contents of files by their ids, from a server that gives out single ones: those that are wanted at the same time come together. */
import { AppError } from "../../../errors.ts"
import { Outage } from "../../connector.ts"
import type { OpenPack } from "./pack-thread.ts"

type Content = AsyncIterable<Uint8Array>

interface Waiting {
  id: string
  give(content: Content | undefined): void
  fail(error: unknown): void
}

/** Those that ask at once do so a moment apart. */
const GATHER_MS = 5
const MAX_AT_ONCE = 200

export class Blobs {
  private waiting: Waiting[] = []
  private isFetching = false

  /** @param fetch a pack of the given objects */
  constructor(private readonly fetch: (ids: string[]) => Promise<OpenPack>) {}

  /** Undefined where the server has it no more. @throws AppError file_too_large; what `fetch` throws */
  read(id: string): Promise<Content | undefined> {
    return new Promise((give, fail) => {
      this.waiting.push({ id, give, fail })
      if (!this.isFetching) this.fetchAll()
    })
  }

  private async fetchAll(): Promise<void> {
    this.isFetching = true
    while (this.waiting.length > 0) {
      await Bun.sleep(GATHER_MS)
      const together = this.waiting.splice(0, MAX_AT_ONCE)
      await this.fetchTogether(together).catch(error => {
        for (const each of together) each.fail(error)
      })
    }
    this.isFetching = false
  }

  private async fetchTogether(together: Waiting[]): Promise<void> {
    try {
      const pack = await this.fetch([...new Set(together.map(({ id }) => id))])
      let left = together.length
      const done = async () => {
        if (--left === 0) await pack.close()
      }
      for (const { id, give } of together) give(read(pack, id, done))
    } catch (error) {
      const concernsOne = isGone(error) || (error instanceof AppError && error.code === "file_too_large")
      if (!concernsOne) throw error
      if (together.length > 1) for (const each of together) await this.fetchTogether([each]).catch(each.fail)
      else if (isGone(error)) together[0]!.give(undefined)
      else throw error
    }
  }
}

/** What a server answers that has removed the object since, after a forced push. */
const isGone = (error: unknown): boolean => error instanceof Outage && /not our ref|not found/i.test(error.message)

async function* read(pack: OpenPack, id: string, done: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    yield* pack.read(id)
  } finally {
    await done()
  }
}
