/**
 * Random SIGKILL while files are uploaded and deleted and receivers are told. Afterwards each change stands in the feed
 * exactly once, none that did not happen does, and each receiver has had every event at least once, under its one id. A
 * failing run prints its seed; `STORM_SEED` repeats it, `STORM_ROUNDS` makes it longer.
 */
import { afterAll, expect, test } from "bun:test"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { startReceiver, type TestReceiver } from "../support/receiver.ts"
import { feedOf } from "../support/unattended.ts"
import { until } from "../support/until.ts"
import { type Chance, chanceOf } from "./chance.ts"

const SEED = Number(Bun.env.STORM_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
const ROUNDS = Number(Bun.env.STORM_ROUNDS ?? 4)
/** Upper bound of the time between a start and the kill. */
const LIFE_MS = 1_500

let daemon: Daemon | undefined
const receivers: TestReceiver[] = []
afterAll(async () => {
  await daemon?.remove()
  for (const receiver of receivers) receiver.stop()
})

test(
  `each change is told exactly once in the feed and at least once to each receiver, over ${ROUNDS} kills`,
  async () => {
    console.log(`storm seed ${SEED}`)
    const chance = chanceOf(SEED)
    daemon = await startDaemon()
    const [steady, shaky] = [await hooked(daemon), await hooked(daemon)]
    shaky.answer = () => new Response(null, { status: chance(20) === 0 ? 500 : 204 })
    const files: Files = { held: new Set(), deleted: new Set() }
    for (let round = 0; round < ROUNDS; round++) {
      const work = Promise.all(Array.from({ length: 3 }, () => rage(daemon!, chance, files)))
      await Bun.sleep(200 + chance(LIFE_MS))
      await daemon.kill()
      await work
      await daemon.start()
    }
    await daemon.settled()
    const events = await feedOf(daemon)
    const told = (type: string) => events.filter(event => event.type === type).map(({ data }) => data.id)
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    // Each file is indexed once, and deleted once at most: whatever was told twice would stand here twice.
    const [searchable, deleted] = [told("file.searchable").sort(), told("file.deleted").sort()]
    expect(searchable).toEqual([...new Set(searchable)])
    expect(deleted).toEqual([...new Set(deleted)])
    const gone = new Set(deleted)
    expect(searchable.filter(id => !gone.has(id))).toEqual(await idsOf(daemon))
    expect([...files.held].filter(id => gone.has(id) || !searchable.includes(id))).toEqual([])
    expect([...files.deleted].filter(id => !gone.has(id))).toEqual([])
    for (const receiver of [steady, shaky]) {
      const wanted = events.map(({ id, type, data }): [string, string] => [id, `${type} ${data.id}`])
      const taken = () => new Map(receiver.messages.map(({ id, type, data }) => [id, `${type} ${data.id}`]))
      await until(() => taken().size >= events.length).catch(() => {}) // the comparison says what is missing
      expect([...taken()].sort()).toEqual(wanted.sort())
      expect(receiver.refused).toEqual([])
    }
    const { data } = await daemon.call("GET", "/webhooks")
    expect(data.map(({ status }: { status: string }) => status)).toEqual(["active", "active"])
  },
  { timeout: 120_000 + ROUNDS * 30_000 },
)

interface Files {
  /** Acknowledged, and nobody asked for their deletion. */
  held: Set<string>
  /** Acknowledged. */
  deleted: Set<string>
}

/** Uploads and deletes until the daemon is gone. */
async function rage(daemon: Daemon, chance: Chance, files: Files): Promise<void> {
  try {
    for (;;) {
      const [oldest] = files.held
      if (oldest && chance(3) === 0) {
        files.held.delete(oldest) // whether it goes is not known before the answer
        await daemon.call("DELETE", `/libraries/${oldest}`)
        files.deleted.add(oldest)
        continue
      }
      const form = new FormData()
      for (let left = 1 + chance(8); left > 0; left--) {
        const name = `${crypto.randomUUID()}.txt`
        form.append("files", new Blob([`The file ${name}. ${"Filler. ".repeat(chance(100))}`]), name)
      }
      const { files: uploaded } = await daemon.call("POST", "/upload", form)
      for (const { id } of uploaded) files.held.add(id)
    }
  } catch {
    // killed amid the request: not acknowledged
  }
}

async function hooked(daemon: Daemon): Promise<TestReceiver> {
  const receiver = startReceiver()
  receivers.push(receiver)
  receiver.secret = (await daemon.call("POST", "/webhooks", { url: receiver.url })).secret
  return receiver
}

async function idsOf(daemon: Daemon): Promise<string[]> {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = await daemon.call("GET", `/libraries?page_size=100&page=${page}`)
    ids.push(...data.map(({ id }: { id: string }) => id))
    if (!pagination.has_next) return ids.sort()
  }
}
