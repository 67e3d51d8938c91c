/** The thread that reads packs: hashing and inflating a repository takes seconds. */
import { Moved, serveThread } from "../../../threads/thread-side.ts"
import type { ObjectFormat } from "./objects.ts"
import { Pack } from "./pack.ts"
import type { PackTasks } from "./pack-thread.ts"
import { filesOf, type TreeFile } from "./tree-walk.ts"

interface Opened {
  pack: Pack
  format: ObjectFormat
  indexing: AsyncGenerator<void>
  files?: Generator<TreeFile>
}

const packs = new Map<number, Opened>()
let lastNumber = 0

function opened(number: number): Opened {
  const found = packs.get(number)
  if (!found) throw new Error("this pack is closed")
  return found
}

serveThread<PackTasks>({
  open: ({ path, format }) => {
    const pack = new Pack(path, format)
    packs.set(++lastNumber, { pack, format, indexing: pack.index() })
    return lastNumber
  },
  async index({ pack, forMs }) {
    const { indexing } = opened(pack)
    for (const end = performance.now() + forMs; performance.now() < end; )
      if ((await indexing.next()).done) return { isDone: true }
    return { isDone: false }
  },
  list({ pack, commit, folder }) {
    const of = opened(pack)
    of.files = filesOf(of.pack, { format: of.format, commit, folder })
  },
  files({ pack, count }) {
    const { files } = opened(pack)
    const found: TreeFile[] = []
    while (found.length < count) {
      const next = files!.next()
      if (next.done) return { found, isDone: true }
      found.push(next.value)
    }
    return { found, isDone: false }
  },
  has: ({ pack, id }) => opened(pack).pack.has(id),
  find({ pack, id }) {
    const found = opened(pack).pack.find(id)
    return "bytes" in found ? new Moved(found, [found.bytes.buffer]) : found
  },
  close(pack) {
    packs.get(pack)?.pack.close()
    packs.delete(pack)
  },
})
