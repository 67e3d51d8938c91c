/**
 * Random SIGKILL while files are uploaded, indexed, re-indexed, replaced and deleted. Whatever was acknowledged holds
 * afterwards: every file is found exactly once, no deleted one returns, and the stores agree. A failing run prints its
 * seed; `STORM_SEED` repeats it, `STORM_ROUNDS` makes it longer.
 */
import { afterAll, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../support/daemon.ts"

const SEED = Number(Bun.env.STORM_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
const ROUNDS = Number(Bun.env.STORM_ROUNDS ?? 4)
/** Upper bound of the time between a start and the kill. */
const LIFE_MS = 1_500

let daemon: Daemon | undefined
afterAll(() => daemon?.remove())

/** Small and fast generator (mulberry32): the same seed gives the same storm. */
function generator(seed: number): (below: number) => number {
  let state = seed >>> 0
  return below => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** What the daemon has promised: file id → the one word that its present version holds. */
interface Promises {
  held: Map<string, string>
  deleted: Map<string, string>
  /** Asked for, never acknowledged: may hold or not. */
  doubtful: Set<string>
}

test(
  `what was acknowledged survives ${ROUNDS} kills`,
  async () => {
    console.log(`storm seed ${SEED}`)
    const random = generator(SEED)
    daemon = await startDaemon()
    const promises: Promises = { held: new Map(), deleted: new Map(), doubtful: new Set() }
    let serial = 0
    for (let round = 0; round < ROUNDS; round++) {
      const work = Promise.all(
        Array.from({ length: 3 }, () => busy(daemon!, promises, random, () => `stormword${serial++}`)),
      )
      await Bun.sleep(200 + random(LIFE_MS))
      await daemon.kill()
      await work
      await daemon.start()
      await settled(daemon)
      await verify(daemon, promises)
    }
    await daemon.stop()
    const doctor = await daemon.run("doctor", "--check", "--json")
    const problems = JSON.parse(doctor.out).findings.filter(
      (finding: { state: string; what: string }) => finding.state === "problem",
    )
    expect(problems.filter((finding: { what: string }) => !["disk", "entity model"].includes(finding.what))).toEqual([])
    const stored = readdirSync(join(daemon.data, "blobs")).flatMap(folder =>
      readdirSync(join(daemon!.data, "blobs", folder)),
    )
    expect(stored.length).toBe(promises.held.size + (await undecided(daemon, promises)))
  },
  { timeout: 180_000 },
)

/** Uploads, replaces, re-indexes and deletes until the daemon is gone, keeping account of what was acknowledged. */
async function busy(
  target: Daemon,
  promises: Promises,
  random: (below: number) => number,
  newWord: () => string,
): Promise<void> {
  for (;;) {
    const [id, word] = [...promises.held][random(Math.max(1, promises.held.size))] ?? []
    const action = random(10)
    try {
      if (!id || !word || action < 5) {
        const fresh = newWord()
        const answer = await target.upload(
          `${fresh}.txt`,
          `The ${fresh} stands in this file.\n\n${"Filler about the harbour. ".repeat(random(200))}`,
        )
        promises.held.set(answer.id, fresh)
      } else if (action < 7) {
        promises.held.delete(id)
        promises.doubtful.add(id)
        await target.call("DELETE", `/libraries/${id}`)
        promises.deleted.set(id, word)
        promises.doubtful.delete(id)
      } else await target.call("POST", `/libraries/${id}/reindex`)
    } catch {
      return // killed amid the request: not acknowledged
    }
  }
}

async function settled(target: Daemon): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await Bun.sleep(100)) {
    const { pagination } = await target.call("GET", "/libraries?status=queued,indexing&page_size=1")
    if (pagination.total_items === 0) return
  }
  const { data } = await target.call("GET", "/libraries?status=queued,indexing&page_size=5")
  throw new Error(`files stayed queued or indexing after a restart: ${JSON.stringify(data)}`)
}

async function verify(target: Daemon, { held, deleted, doubtful }: Promises): Promise<void> {
  for (const [id, word] of held) {
    const { hits } = await target.call("POST", "/search", { query: word, mode: "keyword", limit: 20 })
    const mine = hits.filter((hit: { text: string }) => new RegExp(`\\b${word}\\b`).test(hit.text))
    expect({ word, found: mine.map((hit: { file: { id: string } }) => hit.file.id) }).toEqual({ word, found: [id] })
  }
  for (const [id, word] of deleted) {
    const { hits } = await target.call("POST", "/search", { query: word, mode: "keyword", limit: 20 })
    expect(hits.filter((hit: { file: { id: string } }) => hit.file.id === id)).toEqual([])
  }
  // A deletion that was never acknowledged has happened whole or not at all.
  for (const id of doubtful) {
    const record = await target.call("GET", `/libraries/${id}`).catch(() => undefined)
    if (record) expect(record.status).toBe("searchable")
  }
}

/** Files that exist without a promise: an upload or a deletion whose answer the kill cut off. */
async function undecided(target: Daemon, promises: Promises): Promise<number> {
  await target.start()
  const { pagination } = await target.call("GET", "/libraries?page_size=1")
  await target.stop()
  return pagination.total_items - promises.held.size
}
