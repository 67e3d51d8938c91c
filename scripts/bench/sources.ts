/**
 * A folder as a source: how soon many small files are searchable, what a sync costs that finds nothing new, how soon
 * a change is noticed, and how long others wait meanwhile. `npm run --silent … scripts/bench/sources.ts [files] [unchanged
 * files]`; 10 000 and 100 000 by default.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../../test/support/daemon.ts"
import { cpuSecondsOf } from "../../test/support/processes.ts"
import { until } from "../../test/support/until.ts"

const [files = 10_000, many = 100_000] = Bun.argv.slice(2).map(Number)
const PATIENCE = { within: 900_000, everyMs: 200 }
/** Made in a watched folder, one after the other. */
const CHANGES = 10
/** Between two of them: shortly after one sync the next one waits, so that changes without end leave time for others. */
const APART_MS = 6_000
/** Of the clock that the kernel counts processor time by. */

const root = realpathSync(mkdtempSync(join(tmpdir(), "carrel-bench-")))
const say = (what: string, value: string) => console.log(`${what.padEnd(64)} ${value}`)
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

function fill(name: string, count: number, ending: string): string {
  const folder = join(root, name)
  for (let i = 0; i < count; i++) {
    const below = join(folder, `d${Math.floor(i / 100)}`)
    if (i % 100 === 0) mkdirSync(below, { recursive: true })
    const text = `Note ${i} of the harbour master. The tide table of day ${i} lists ${i * 7} ships and ${i * 3} boats. `
    writeFileSync(join(below, `note-${i}.${ending}`), ending === "txt" ? text.repeat(4) : "x")
  }
  return folder
}

/** How soon the sync of a watched folder begins after a change, and how soon the change is searchable. */
async function notice({ call }: Daemon, sourceId: string, folder: string): Promise<void> {
  const syncs = async () => (await call("GET", `/sources/${sourceId}/history?page_size=1`)).pagination.total_items
  const known = await syncs()
  await call("PATCH", `/sources/${sourceId}`, { schedule: "1d" })
  await until(async () => (await syncs()) > known, PATIENCE) // the watch begins with a sync
  const [noticed, searchable]: [number[], number[]] = [[], []]
  for (let i = 0; i < CHANGES; i++) {
    await until(async () => (await call("GET", `/sources/${sourceId}`)).status !== "syncing", PATIENCE)
    await Bun.sleep(APART_MS)
    const changedAt = Date.now()
    writeFileSync(join(folder, `d${i}`, `change-${i}.txt`), `The warden notes word${i}change.`)
    await until(
      async () => {
        const { last_sync } = await call("GET", `/sources/${sourceId}`)
        const startedAt = Date.parse(last_sync.started_at)
        if (startedAt < changedAt) return false
        return noticed.push(startedAt - changedAt)
      },
      { ...PATIENCE, everyMs: 20 },
    )
    await until(
      async () => (await call("POST", "/search", { query: `word${i}change`, mode: "keyword" })).hits.length > 0,
      {
        ...PATIENCE,
        everyMs: 20,
      },
    )
    searchable.push(Date.now() - changedAt)
  }
  for (const [what, times] of Object.entries({ noticed, searchable })) {
    const sorted = times.sort((one, other) => one - other)
    say(
      `a change of the watched folder ${what}: median, longest of ${CHANGES}`,
      `${sorted[CHANGES >> 1]}, ${sorted.at(-1)} ms`,
    )
  }
}

const small = fill("small", files, "txt")
// Nothing of it is read: it is about knowing what is there.
const large = fill("large", many, "zzz")
const daemon = await startDaemon(["--source-root", root])
try {
  const { call } = daemon
  const create = async (name: string, path: string) =>
    (await call("POST", "/sources", { type: "folder", name, config: { path } })).id as string
  const idle = (id: string) =>
    until(async () => {
      const source = await call("GET", `/sources/${id}`)
      return source.status !== "syncing" && source
    }, PATIENCE)
  /** Longest answer to a plain request while something goes on. */
  const waits: number[] = []
  let asking = true
  const asked = (async () => {
    while (asking) {
      const began = performance.now()
      await call("GET", "/libraries?page_size=1")
      waits.push(performance.now() - began)
      await Bun.sleep(50)
    }
  })()

  const first = await create("small", small)
  let began = performance.now()
  await call("POST", `/sources/${first}/sync`, {})
  await until(async () => (await call("GET", `/sources/${first}/coverage?page_size=1`)).searchable === files, PATIENCE)
  say(`${files} small files searchable`, seconds(performance.now() - began))
  const { last_sync } = await idle(first)
  if (last_sync.added !== files) throw new Error(JSON.stringify(last_sync))

  const second = await create("large", large)
  for (const what of ["known for the first time", "unchanged"]) {
    began = performance.now()
    const before = cpuSecondsOf(daemon.pid)
    await call("POST", `/sources/${second}/sync`, {})
    const { last_sync: sync } = await idle(second)
    say(
      `${many} files ${what}`,
      `${seconds(performance.now() - began)}, ${(cpuSecondsOf(daemon.pid) - before).toFixed(1)} s of CPU`,
    )
    if (sync.skipped !== many) throw new Error(JSON.stringify(sync))
  }

  began = performance.now()
  const before = cpuSecondsOf(daemon.pid)
  await call("POST", `/sources/${first}/sync`, {})
  await idle(first)
  say(
    `${files} searchable files unchanged`,
    `${seconds(performance.now() - began)}, ${(cpuSecondsOf(daemon.pid) - before).toFixed(1)} s of CPU`,
  )
  asking = false
  await asked
  await notice(daemon, first, small)
  waits.sort((one, other) => one - other)
  const at = (share: number) => `${Math.round(waits[Math.floor((waits.length - 1) * share)]!)} ms`
  say(`another request meanwhile: median, p95, longest of ${waits.length}`, `${at(0.5)}, ${at(0.95)}, ${at(1)}`)
} finally {
  await daemon.remove()
  rmSync(root, { recursive: true, force: true })
}
