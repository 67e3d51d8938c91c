/**
 * Random SIGKILL through syncs of a folder that changes meanwhile. In the end the library holds what the folder holds: no
 * file lost, doubled or deleted by mistake, and every sync that ended is told of once. A failing run prints its seed;
 * `STORM_SEED` repeats it, `STORM_ROUNDS` makes it longer.
 */
import { afterAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { filesOfSource } from "../support/unattended.ts"
import { until } from "../support/until.ts"
import { chanceOf } from "./chance.ts"

const SEED = Number(Bun.env.STORM_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
const ROUNDS = Number(Bun.env.STORM_ROUNDS ?? 4)
/** Upper bound of the time between the begin of a sync and the kill. */
const LIFE_MS = 900
const FILES = 240
/** Nobody touches these: they are to stay what they are. */
const CALM = 60

const root = realpathSync(mkdtempSync(join(tmpdir(), "carrel-storm-")))
let daemon: Daemon | undefined
afterAll(async () => {
  await daemon?.remove()
  rmSync(root, { recursive: true, force: true })
})

const sha256 = (bytes: Uint8Array | string) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex")

test(
  `a folder is in sync after ${ROUNDS} kills`,
  async () => {
    console.log(`storm seed ${SEED}`)
    const chance = chanceOf(SEED)
    const folder = join(root, "folder")
    mkdirSync(folder)
    let serial = 0
    const text = () => `stormword${serial++} stands here. ${"Filler about the harbour. ".repeat(chance(60))}`
    const write = (name: string) => writeFileSync(join(folder, name), text())
    const wild = () => readdirSync(folder).filter(name => !name.startsWith("calm"))
    const change = () => {
      for (let left = 20; left > 0; left--) write(`wild-${chance(FILES)}.txt`)
      for (const name of wild().slice(0, chance(10))) rmSync(join(folder, name))
    }
    for (let i = 0; i < CALM; i++) write(`calm-${i}.txt`)
    for (let i = 0; i < FILES - CALM; i++) write(`wild-${i}.txt`)
    daemon = await startDaemon(["--source-root", root])
    const { call } = daemon
    const { id } = await call("POST", "/sources", { type: "folder", name: "storm", config: { path: folder } })
    const calm = new Map<string, string>()
    for (let round = 0; round < ROUNDS; round++) {
      await call("POST", `/sources/${id}/sync`, { force: chance(2) === 0 }).catch(() => {}) // guarded, perhaps
      const killed = Bun.sleep(chance(LIFE_MS))
      change()
      await killed
      await daemon.kill()
      change()
      await daemon.start()
      for (const { id: fileId, key } of await filesOfSource(daemon, id)) {
        if (!key.startsWith("calm")) continue
        expect([key, calm.get(key) ?? fileId]).toEqual([key, fileId])
        calm.set(key, fileId)
      }
    }
    const last = await until(async () => {
      const asked = await call("POST", `/sources/${id}/sync`, { force: true })
      const source = await until(async () => {
        const found = await call("GET", `/sources/${id}`)
        return found.status !== "syncing" && found
      })
      const { added, updated, deleted, error } = source.last_sync
      return asked && error === null && added + updated + deleted === 0 && source
    })
    expect(last.last_sync).toMatchObject({ unchanged: readdirSync(folder).length, failed: 0, skipped: 0 })
    await daemon.settled()
    const files = await filesOfSource(daemon, id)
    const there = readdirSync(folder).map(name => [name, sha256(readFileSync(join(folder, name)))])
    expect(files.map(file => [file.key, file.sha256]).sort()).toEqual(there.sort())
    expect(files.filter(({ status }) => status !== "searchable")).toEqual([])
    for (const { id: fileId, key } of files) if (calm.has(key)) expect(calm.get(key)).toBe(fileId)
    const { data } = daemon
    const blobs = () => readdirSync(join(data, "blobs"), { recursive: true, withFileTypes: true })
    const stored = () => blobs().filter(each => each.isFile()).length
    // What the last kill left is swept from the start on, beside all else.
    await until(() => stored() <= files.length)
    expect(stored()).toBe(files.length)
    const { data: syncs } = await call("GET", `/sources/${id}/history?page_size=100`)
    const { data: events } = await call("GET", "/events?types=source.synced,source.failed,source.guarded&limit=1000")
    const told = events.map((event: { data: { sync_id: string } }) => event.data.sync_id)
    // One that is guarded again, as the one before it, is not told of again.
    expect(new Set(told).size).toBe(told.length)
    for (const { sync_id, guarded } of syncs) if (guarded === 0) expect(told).toContain(sync_id)
    // A removal that was cut off amid a sync, and amid its files, is carried out whole.
    const writes = () => {
      for (const name of wild()) write(name)
    }
    writes()
    await call("POST", `/sources/${id}/sync`, { force: true })
    await Bun.sleep(chance(200))
    const removal = call("DELETE", `/sources/${id}?delete_files=true`).catch(() => {}) // killed
    await Bun.sleep(20 + chance(150))
    await daemon.kill()
    await removal
    await daemon.start()
    await call("DELETE", `/sources/${id}?delete_files=true`).catch(() => {}) // gone already, perhaps
    await until(async () => (await filesOfSource(daemon!, id)).length === 0)
    await until(() =>
      readdirSync(join(daemon!.data, "blobs"), { recursive: true, withFileTypes: true }).every(each => !each.isFile()),
    )
    expect((await call("GET", "/sources")).data).toEqual([])
  },
  { timeout: 120_000 + ROUNDS * 30_000 },
)
