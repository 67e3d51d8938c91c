/** Bytes under way to a key with a quota of them: they take their room while they come, so that uploads at the same time do not all find the same. */
import type { View } from "../../access/view.ts"
import type { Database } from "../../storage/database.ts"
import { exceeded, roomOf } from "./quotas.ts"

export class HeldRoom {
  /** Bytes under way on this node, by key. */
  private readonly coming = new Map<string, number>()

  constructor(private readonly database: Database) {}

  /** @throws AppError quota_exceeded where nothing more fits */
  async enter(view: View): Promise<Coming> {
    const id = view.author?.type === "key" ? view.author.id : ""
    const { room, limit } = await roomOf(this.database, view)
    const add = (bytes: number) => this.coming.set(id, (this.coming.get(id) ?? 0) + bytes)
    const left = () => room - (this.coming.get(id) ?? 0)
    if (room !== Number.POSITIVE_INFINITY && left() <= 0) throw exceeded("bytes_stored", limit)
    let own = 0
    return {
      async *through(bytes) {
        for await (const part of bytes) {
          if (room !== Number.POSITIVE_INFINITY) {
            if (part.byteLength > left()) throw exceeded("bytes_stored", limit)
            own += part.byteLength
            add(part.byteLength)
          }
          yield part
        }
      },
      [Symbol.dispose]: () => {
        if (own > 0) add(-own)
        if (this.coming.get(id) === 0) this.coming.delete(id)
      },
    }
  }
}

/** One upload; its end gives the room back, for what was stored is counted then. */
export interface Coming extends Disposable {
  through(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
}
