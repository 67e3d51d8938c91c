/**
 * Small files from upload until all are searchable, against the least that durable storage costs: the same bytes
 * written, synced and recorded in SQLite one by one.
 *
 *   [CARREL_BIN=dist/carrel] bun scripts/bench/ingest.ts [--files 2000] [--per-request 2000] [--load] [--brief]
 *
 * `--per-request` is how many files one form holds; eight requests are under way at a time. `--load` asks for searches
 * and lists meanwhile. Files uploaded alone, on the idle daemon, follow; then one large text: not with `--brief`. Rates are of wall time;
 * CPU time and the ratios are what counts on a machine that is shared.
 */
import { Database as Sqlite } from "bun:sqlite"
import { readdirSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, open, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Daemon, startDaemon } from "../../test/support/daemon.ts"

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "2000" },
    "per-request": { type: "string", default: "2000" },
    load: { type: "boolean", default: false },
    brief: { type: "boolean", default: false },
  },
})
const FILES = Math.min(50_000, Number(values.files))
const PER_REQUEST = Math.max(1, Number(values["per-request"]))
const PARALLEL_REQUESTS = 8
const ALONE = 30
const LARGE_BYTES = 20_000_000
/** `USER_HZ` of Linux. */
const TICKS = 100

const WORDS =
  "harbour ledger meadow copper window travel planet river garden office report winter supply engine letter market".split(
    " ",
  )
const phrase = (seed: number, words: number) =>
  Array.from({ length: words }, (_, i) => WORDS[(seed * 7 + i * (1 + (seed % 5)) + (i >> 3)) % WORDS.length]).join(" ")

interface SmallFile {
  name: string
  text: string
}

/** Notes, pages and records of some two to three kilobytes, each with a word that no other has. */
function smallFile(i: number, label: string): SmallFile {
  const body = `${phrase(i, 60)} ${label}${i}.`
  const kinds: (() => SmallFile)[] = [
    () => ({ name: `${label}-${i}.txt`, text: `${body}\n\n`.repeat(5) }),
    () => ({ name: `${label}-${i}.md`, text: `# ${phrase(i, 4)}\n\n${body}\n\n## Next\n\n${`${body}\n\n`.repeat(4)}` }),
    () => ({
      name: `${label}-${i}.json`,
      text: JSON.stringify(Array.from({ length: 5 }, (_, n) => ({ id: n, title: phrase(n, 4), body }))),
    }),
  ]
  return kinds[i % kinds.length]!()
}

async function bareStorage(files: SmallFile[]): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), "bench-ingest-"))
  await mkdir(join(directory, "to"))
  const db = new Sqlite(join(directory, "bare.db"), { create: true })
  db.run("pragma journal_mode = wal")
  db.run("pragma synchronous = full")
  db.run("create table files (name text primary key, size integer)")
  const began = performance.now()
  for (const { name, text } of files) {
    const temporary = join(directory, name)
    const handle = await open(temporary, "wx")
    await handle.write(Buffer.from(text))
    await handle.sync()
    await handle.close()
    await rename(temporary, join(directory, "to", name))
    const folder = await open(join(directory, "to"), "r")
    await folder.sync()
    await folder.close()
    db.query("insert into files values (?, ?)").run(name, text.length)
  }
  const tookMs = performance.now() - began
  db.close()
  await rm(directory, { recursive: true })
  return tookMs
}

/** CPU seconds of the daemon and of its readers, those that ended included. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")
  const own = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / TICKS
  const children = readdirSync(`/proc/${pid}/task`).flatMap(task =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  )
  return children.reduce((sum, child) => sum + cpuSeconds(child), own)
}

const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

async function upload(daemon: Daemon, files: SmallFile[]): Promise<string[]> {
  const form = new FormData()
  for (const { name, text } of files) form.append("files", new Blob([text]), name)
  const answer = await daemon.call("POST", "/upload", form)
  return answer.files.map((file: { id: string }) => file.id)
}

async function uploadAll(daemon: Daemon, files: SmallFile[]): Promise<void> {
  let next = 0
  const send = async () => {
    while (next < files.length) {
      const from = next
      next += PER_REQUEST
      await upload(daemon, files.slice(from, from + PER_REQUEST))
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_REQUESTS }, send))
}

async function settled(daemon: Daemon, everyMs: number): Promise<void> {
  const waiting = () => daemon.call("GET", "/libraries?status=queued,indexing&page_size=1")
  while ((await waiting()).pagination.total_items > 0) await Bun.sleep(everyMs)
}

/** Searches and lists, ten of each a second, until stopped. @returns their times in ms */
function otherLoad(daemon: Daemon): () => Promise<number[]> {
  const times: number[] = []
  const running = new Set<Promise<void>>()
  const timer = setInterval(() => {
    for (const ask of [
      () => daemon.call("POST", "/search", { query: phrase(Date.now() % 97, 3), limit: 10 }),
      () => daemon.call("GET", "/libraries?page_size=20"),
    ]) {
      const began = performance.now()
      const one: Promise<void> = ask()
        .then(() => void times.push(performance.now() - began))
        .finally(() => running.delete(one))
      running.add(one)
    }
  }, 100)
  return async () => {
    clearInterval(timer)
    await Promise.all(running)
    return times.sort((a, b) => a - b)
  }
}

const percentile = (sorted: number[], p: number) => sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))]!

async function alone(daemon: Daemon): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < ALONE; i++) {
    await Bun.sleep(100)
    const began = performance.now()
    const [id] = await upload(daemon, [smallFile(i, "alone")])
    while ((await daemon.call("GET", `/libraries/${id}`)).status !== "searchable") await Bun.sleep(1)
    times.push(performance.now() - began)
  }
  return times.sort((a, b) => a - b)
}

const daemon = await startDaemon()
try {
  const files = Array.from({ length: FILES }, (_, i) => smallFile(i, "small"))
  // The first file opens the stores and starts a reader.
  await upload(daemon, [smallFile(0, "first")])
  await settled(daemon, 20)
  const bareMs = await bareStorage(files)
  const before = { cpu: cpuSeconds(daemon.pid), memory: residentMb(daemon.pid) }
  const stopLoad = values.load ? otherLoad(daemon) : undefined
  const began = performance.now()
  await uploadAll(daemon, files)
  const acceptedMs = performance.now() - began
  await settled(daemon, 50)
  const tookMs = performance.now() - began
  const cpu = cpuSeconds(daemon.pid) - before.cpu
  console.log(
    `${FILES} files, ${PER_REQUEST} a request: ${((FILES / tookMs) * 1000).toFixed(0)} a second until searchable; accepted after ${(acceptedMs / 1000).toFixed(2)} s, all searchable after ${(tookMs / 1000).toFixed(2)} s`,
  )
  console.log(
    `daemon ${((cpu / FILES) * 1000).toFixed(2)} CPU-ms a file, readers included; bare storage ${(bareMs / FILES).toFixed(2)} ms a file; ratio ${(tookMs / bareMs).toFixed(2)}`,
  )
  console.log(`memory ${before.memory.toFixed(0)} → ${residentMb(daemon.pid).toFixed(0)} MB`)
  const times = await stopLoad?.()
  if (times?.length)
    console.log(
      `meanwhile ${times.length} searches and lists: p50 ${percentile(times, 0.5).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)} ms`,
    )
  const found = await daemon.call("POST", "/search", { query: `small${FILES - 1}`, mode: "keyword", limit: 1 })
  if (found.hits.length !== 1) throw new Error("the last file is not found")
  if (!values.brief) await rest(daemon)
} finally {
  await daemon.remove()
}

async function rest(daemon: Daemon): Promise<void> {
  const lone = await alone(daemon)
  console.log(
    `one file alone until searchable: p50 ${percentile(lone, 0.5).toFixed(1)}, p90 ${percentile(lone, 0.9).toFixed(1)} ms`,
  )
  const large = { name: "large.txt", text: `${phrase(3, 80)}.\n\n`.repeat(LARGE_BYTES / 600) }
  const largeBegan = { at: performance.now(), cpu: cpuSeconds(daemon.pid) }
  await upload(daemon, [large])
  await settled(daemon, 50)
  console.log(
    `a text of ${(large.text.length / 1e6).toFixed(0)} MB: ${((performance.now() - largeBegan.at) / 1000).toFixed(1)} s, daemon ${(cpuSeconds(daemon.pid) - largeBegan.cpu).toFixed(1)} CPU-s; memory ${residentMb(daemon.pid).toFixed(0)} MB`,
  )
}
