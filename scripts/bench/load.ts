/**
 * A daemon under a fixed arrival rate: requests start when their time comes, whether or not earlier ones are done, so
 * that a slow answer shows as waiting and not as less load. Searches, lists, streamed chats, uploads with indexing.
 *
 *   [CARREL_BIN=dist/carrel] bun scripts/bench/load.ts [--rate 50] [--seconds 30] [--soak]
 *
 * With --soak uploads replace a fixed set of files, so that nothing grows but what leaks: memory in the last quarter is
 * set against the second, and more than a quarter more ends with status 1.
 *
 * The first tenth, at a tenth of the rate, is the baseline: ratios against it are what counts on a noisy machine.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { startDaemon } from "../../test/support/daemon.ts"
import { LLAMA, startOllama } from "../../test/support/ollama.ts"

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "50" },
    seconds: { type: "string", default: "30" },
    soak: { type: "boolean", default: false },
  },
})
const RATE = Math.min(2_000, Number(values.rate))
const SECONDS = Math.min(3_600, Number(values.seconds))

/** Files that a soak replaces over and over. */
const SOAK_FILES = 40
/** Memory of the last quarter against the second from which on it counts as a leak. */
const LEAK_RATIO = 1.25

type Kind = "models" | "list" | "search" | "chat" | "upload"
/** Shares of the mix; the rest of 100 are searches. */
const SHARES: [Kind, number][] = [
  ["models", 20],
  ["list", 20],
  ["chat", 15],
  ["upload", 5],
  ["search", 40],
]
const WORDS =
  "harbour ledger meadow copper window travel planet river garden office report winter supply engine letter market".split(
    " ",
  )

const { server: model } = await startOllama()
model.scenes.add("load", () => ({ text: phrase(40), firstDelayMs: 50, delayMs: 10 }))
const daemon = await startDaemon(["--ollama-host", model.url])
const times = new Map<string, number[]>()
const outcomes = new Map<string, number>()
let serial = 0

const phrase = (words: number) =>
  Array.from({ length: words }, () => WORDS[Math.floor(Math.random() * WORDS.length)]).join(" ")

async function ask(kind: Kind): Promise<Response> {
  const json = (path: string, body: unknown, accept = "application/json") =>
    fetch(`${daemon.url}/external${path}`, {
      method: "POST",
      headers: { ...daemon.credentials, "content-type": "application/json", accept },
      body: JSON.stringify(body),
    })
  switch (kind) {
    case "models":
      return fetch(`${daemon.url}/external/models`, { headers: daemon.credentials })
    case "list":
      return fetch(`${daemon.url}/external/libraries?page_size=20`, { headers: daemon.credentials })
    case "search":
      return json("/search", { query: phrase(3), limit: 10 })
    case "chat":
      return json(
        "/conversations",
        { message: `case-load What of the ${phrase(4)}?`, model: LLAMA.name },
        "text/event-stream",
      )
    case "upload": {
      const form = new FormData()
      form.append(
        "files",
        new Blob([`${phrase(60)}.\n\n`.repeat(20)]),
        `load-${values.soak ? serial++ % SOAK_FILES : serial++}.txt`,
      )
      if (values.soak) form.append("on_duplicate", "replace")
      return fetch(`${daemon.url}/external/upload`, { method: "POST", headers: daemon.credentials, body: form })
    }
  }
}

function draw(): Kind {
  let at = Math.random() * 100
  for (const [kind, share] of SHARES) {
    at -= share
    if (at < 0) return kind
  }
  return "search"
}

async function phase(label: string, rate: number, seconds: number): Promise<void> {
  const running = new Set<Promise<void>>()
  const began = performance.now()
  for (let i = 0; i < rate * seconds; i++) {
    const due = began + (i / rate) * 1000
    const wait = due - performance.now()
    if (wait > 0) await Bun.sleep(wait)
    const kind = draw()
    const one = ask(kind)
      .then(async response => {
        await response.text() // `arrayBuffer` of Bun 1.4 says of a stream that it was read
        count(`${label} ${response.status}`)
        // From the time it was due, so that a late start counts as waiting.
        record(`${label} ${kind}`, performance.now() - due)
      })
      .catch(() => void count(`${label} failed`))
      .finally(() => running.delete(one))
    running.add(one)
  }
  await Promise.all(running)
  count(`${label} seconds`, (performance.now() - began) / 1000)
}

const count = (name: string, by = 1) => void outcomes.set(name, (outcomes.get(name) ?? 0) + by)
const record = (name: string, ms: number) => void (times.get(name) ?? times.set(name, []).get(name)!).push(ms)
const percentile = (sorted: number[], p: number) => sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))]!
const resident = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, "utf8"))?.[1] ?? 0) / 1024
const metric = async (name: string) =>
  Number(
    new RegExp(`^${name} (\\S+)`, "m").exec(await (await fetch(`${daemon.url}/metrics`)).text())?.[1] ?? Number.NaN,
  )

/** Resident memory in MB at each second of a phase, until the returned function is called. */
function watchMemory(): () => number[] {
  const samples: number[] = []
  const timer = setInterval(() => samples.push(resident()), 1_000)
  return () => {
    clearInterval(timer)
    return samples
  }
}

const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length)

/** Least squares over samples one second apart, per minute. */
function slopePerMinute(samples: number[]): number {
  const [centre, average] = [(samples.length - 1) / 2, mean(samples)]
  const covariance = samples.reduce((sum, sample, i) => sum + (i - centre) * (sample - average), 0)
  return (60 * covariance) / samples.reduce((sum, _, i) => sum + (i - centre) ** 2, 0)
}

function reportMemory(samples: number[]): void {
  const quarter = Math.floor(samples.length / 4)
  const [second, last] = [mean(samples.slice(quarter, 2 * quarter)), mean(samples.slice(-quarter))]
  const ratio = last / second
  console.log(
    `memory second quarter ${second.toFixed(0)} MB, last ${last.toFixed(0)} MB: ratio ${ratio.toFixed(3)}, slope of the second half ${slopePerMinute(samples.slice(2 * quarter)).toFixed(1)} MB/min`,
  )
  if (values.soak && ratio > LEAK_RATIO) {
    console.log("memory keeps growing: a leak")
    process.exitCode = 1
  }
}

try {
  await Promise.all(
    Array.from({ length: 50 }, (_, i) => daemon.upload(`seed-${i}.txt`, `${phrase(80)}.\n\n`.repeat(30))),
  )
  while ((await daemon.call("GET", "/libraries?status=queued,indexing&page_size=1")).pagination.total_items > 0)
    await Bun.sleep(100)
  const before = resident()
  await metric("carrel_event_loop_lag_max_seconds")
  await phase("base", Math.max(2, RATE / 10), Math.max(3, SECONDS / 10))
  const quietLag = await metric("carrel_event_loop_lag_max_seconds")
  const watched = watchMemory()
  await phase("load", RATE, SECONDS)
  const samples = watched()
  const loadLag = await metric("carrel_event_loop_lag_max_seconds")
  console.log(`rate ${RATE}/s for ${SECONDS} s, ${outcomes.get("load seconds")?.toFixed(1)} s until the last answer`)
  console.log(
    `memory ${before.toFixed(0)} → ${resident().toFixed(0)} MB; event loop late by at most ${(quietLag * 1000).toFixed(0)} ms quiet, ${(loadLag * 1000).toFixed(0)} ms loaded`,
  )
  reportMemory(samples)
  console.log("request      n      p50      p99     p999  ms   p50 against base")
  for (const [kind] of SHARES) {
    const loaded = (times.get(`load ${kind}`) ?? []).sort((a, b) => a - b)
    const base = (times.get(`base ${kind}`) ?? []).sort((a, b) => a - b)
    if (loaded.length === 0) continue
    const cells = [0.5, 0.99, 0.999].map(p => percentile(loaded, p).toFixed(1).padStart(8))
    const ratio = base.length > 0 ? (percentile(loaded, 0.5) / percentile(base, 0.5)).toFixed(2) : "-"
    console.log(`${kind.padEnd(8)}${String(loaded.length).padStart(6)} ${cells.join(" ")}       ${ratio}`)
  }
  console.log(
    [...outcomes]
      .filter(([name]) => name.startsWith("load ") && !name.endsWith("seconds"))
      .map(([name, n]) => `${name.slice(5)}: ${n}`)
      .join(", "),
  )
} finally {
  await daemon.remove()
  await model.stop()
}
