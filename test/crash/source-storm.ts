/**
 * Random SIGKILL through syncs of a source whose place changes meanwhile. In the end the library holds what the place holds: no
 * file lost, doubled or deleted by mistake, nothing left on the disk, and every sync that ended is told of once.
 */
import { expect } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { filesOfSource, type HeldFile } from "../support/unattended.ts"
import { until } from "../support/until.ts"
import { type Chance, chanceOf } from "./chance.ts"

export const SEED = Number(Bun.env.STORM_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
export const ROUNDS = Number(Bun.env.STORM_ROUNDS ?? 4)
/** Upper bound of the time between the begin of a sync and the kill. */
const LIFE_MS = 900
/** Written, and removed, in one change. */
const WRITTEN = 20
const REMOVED = 10

/** Where a source looks, which anybody may change. */
export interface Place extends AsyncDisposable {
  /** Flags of the daemon that may look there. */
  flags: string[]
  source: { type: string; config: object; credentials?: object }
  /** Names that come or are replaced with what stands in them, and names that go. */
  change(written: ReadonlyMap<string, string>, removed: readonly string[]): Promise<void>
  /** The bytes of what was written, where they are not the text itself. */
  bytesOf?(name: string, text: string): string
}

/** What the place holds, as the storm knows it: nobody touches the calm ones, which are to stay what they are. */
class Held {
  private serial = 0
  readonly texts = new Map<string, string>()

  constructor(
    private readonly place: Place,
    private readonly chance: Chance,
    private readonly files: number,
  ) {}

  private text = () => `stormword${this.serial++} stands here. ${"Filler about the harbour. ".repeat(this.chance(60))}`
  private wild = () => [...this.texts.keys()].filter(name => !name.startsWith("calm"))

  async begin(): Promise<void> {
    const calm = Math.floor(this.files / 4)
    await this.write([
      ...Array.from({ length: calm }, (_, i) => `calm-${i}.txt`),
      ...Array.from({ length: this.files - calm }, (_, i) => `wild-${i}.txt`),
    ])
  }

  async change(): Promise<void> {
    const names = Array.from({ length: WRITTEN }, () => `wild-${this.chance(this.files)}.txt`)
    const gone = this.wild().filter(name => !names.includes(name))
    await this.write(names, gone.slice(0, this.chance(REMOVED)))
  }

  writeAllWild(): Promise<void> {
    return this.write(this.wild())
  }

  /** Of each file, and whether it is a calm one. */
  digests(): Map<string, boolean> {
    const of = (name: string, text: string) => sha256(this.place.bytesOf?.(name, text) ?? text)
    return new Map([...this.texts].map(([name, text]) => [of(name, text), name.startsWith("calm")]))
  }

  private async write(names: readonly string[], removed: readonly string[] = []): Promise<void> {
    const written = new Map(names.map(name => [name, this.text()]))
    await this.place.change(written, removed)
    for (const [name, text] of written) this.texts.set(name, text)
    for (const name of removed) this.texts.delete(name)
  }
}

/** @param files that the place holds at most, a quarter of them calm */
export async function stormOver(place: Place, files: number, rounds = ROUNDS): Promise<void> {
  console.log(`storm seed ${SEED}`)
  const chance = chanceOf(SEED)
  const held = new Held(place, chance, files)
  await held.begin()
  const daemon = await startDaemon(place.flags)
  try {
    const { id } = await daemon.call("POST", "/sources", { name: "storm", ...place.source })
    const calm = await killAmidSyncs({ daemon, id, held, chance, rounds })
    await inSync({ daemon, id }, held.texts.size)
    await holdsWhatIsThere({ daemon, id, held, calm })
    await toldOnce({ daemon, id })
    await held.writeAllWild()
    await removalIsCarriedOut({ daemon, id, chance })
  } finally {
    await daemon.remove()
  }
}

interface Kept {
  daemon: Daemon
  /** Of the source. */
  id: string
}

/** @returns ids of calm files by their digests */
async function killAmidSyncs({
  daemon,
  id,
  held,
  chance,
  rounds,
}: Kept & { held: Held; chance: Chance; rounds: number }) {
  const calm = new Map<string, string>()
  for (let round = 0; round < rounds; round++) {
    await daemon.call("POST", `/sources/${id}/sync`, { force: chance(2) === 0 }).catch(() => {}) // guarded, perhaps
    const killed = Bun.sleep(chance(LIFE_MS))
    await held.change()
    await killed
    await daemon.kill()
    await held.change()
    await daemon.start()
    const digests = held.digests()
    for (const file of await filesOfSource(daemon, id)) {
      if (!digests.get(file.sha256)) continue
      expect([file.key, calm.get(file.sha256) ?? file.id]).toEqual([file.key, file.id])
      calm.set(file.sha256, file.id)
    }
  }
  return calm
}

/** Until a sync finds nothing to do. */
async function inSync({ daemon, id }: Kept, count: number): Promise<void> {
  const last = await until(async () => {
    const asked = await daemon.call("POST", `/sources/${id}/sync`, { force: true })
    const source = await until(async () => {
      const found = await daemon.call("GET", `/sources/${id}`)
      return found.status !== "syncing" && found
    })
    const { added, updated, deleted, error } = source.last_sync
    return asked && error === null && added + updated + deleted === 0 && source
  })
  expect(last.last_sync).toMatchObject({ unchanged: count, failed: 0, skipped: 0 })
  await daemon.settled()
}

async function holdsWhatIsThere({ daemon, id, held, calm }: Kept & { held: Held; calm: Map<string, string> }) {
  const files: HeldFile[] = await filesOfSource(daemon, id)
  expect(files.map(file => file.sha256).sort()).toEqual([...held.digests().keys()].sort())
  expect(new Set(files.map(file => file.key)).size).toBe(files.length)
  expect(files.filter(({ status }) => status !== "searchable")).toEqual([])
  for (const { id: fileId, sha256 } of files) if (calm.has(sha256)) expect(calm.get(sha256)).toBe(fileId)
  // What the last kill left is swept from the start on, beside all else.
  await until(() => storedBy(daemon) <= files.length)
  expect(storedBy(daemon)).toBe(files.length)
}

async function toldOnce({ daemon, id }: Kept): Promise<void> {
  const { data: syncs } = await daemon.call("GET", `/sources/${id}/history?page_size=100`)
  const { data: events } = await daemon.call(
    "GET",
    "/events?types=source.synced,source.failed,source.guarded&limit=1000",
  )
  const told = events.map((event: { data: { sync_id: string } }) => event.data.sync_id)
  // One that is guarded again, as the one before it, is not told of again.
  expect(new Set(told).size).toBe(told.length)
  for (const { sync_id, guarded } of syncs) if (guarded === 0) expect(told).toContain(sync_id)
}

/** One that is cut off amid a sync, and amid its files. */
async function removalIsCarriedOut({ daemon, id, chance }: Kept & { chance: Chance }): Promise<void> {
  await daemon.call("POST", `/sources/${id}/sync`, { force: true })
  await Bun.sleep(chance(200))
  const removal = daemon.call("DELETE", `/sources/${id}?delete_files=true`).catch(() => {}) // killed
  await Bun.sleep(20 + chance(150))
  await daemon.kill()
  await removal
  await daemon.start()
  await daemon.call("DELETE", `/sources/${id}?delete_files=true`).catch(() => {}) // gone already, perhaps
  await until(async () => (await filesOfSource(daemon, id)).length === 0)
  await until(() => storedBy(daemon) === 0)
  expect((await daemon.call("GET", "/sources")).data).toEqual([])
}

const sha256 = (bytes: string) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex")

/** Stored bytes of files, in pieces as they lie. */
const storedBy = ({ data }: Daemon): number =>
  readdirSync(join(data, "blobs"), { recursive: true, withFileTypes: true }).filter(each => each.isFile()).length
