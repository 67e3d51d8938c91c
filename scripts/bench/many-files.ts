/**
 * One form of many small files beside the requests of others: how long it takes, how long they wait, what memory it costs.
 *
 *   [CARREL_BIN=dist/carrel] bun scripts/bench/many-files.ts [--files 33000] [--bytes 200]
 *
 * The others ask one after the other, before the form (the baseline) and beside it; files are indexed meanwhile.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { startDaemon } from "../../test/support/daemon.ts"

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "33000" },
    bytes: { type: "string", default: "200" },
  },
})
const FILES = Math.min(100_000, Number(values.files))
const BYTES = Math.min(1_000_000, Number(values.bytes))
const BASELINE_MS = 3_000

const daemon = await startDaemon()
const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, "utf8"))![1]) / 1024
const cpuSeconds = () => {
  const fields = readFileSync(`/proc/${daemon.pid}/stat`, "utf8").split(") ")[1]!.split(" ")
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const ASKED = {
  health: async () => void (await (await fetch(`${daemon.url}/healthz`)).text()),
  list: () => daemon.call("GET", "/libraries?page_size=10"),
  search: () => daemon.call("POST", "/search", { query: "ferry at noon" }),
  upload: () => daemon.upload(`${crypto.randomUUID()}.txt`, crypto.randomUUID()),
}

/** Waits of each kind in ms, until `done` settles. */
async function watch(done: Promise<unknown>): Promise<Record<string, number[]>> {
  let ended = false
  void done.finally(() => {
    ended = true
  })
  const waits: Record<string, number[]> = {}
  await Promise.all(
    Object.entries(ASKED).map(async ([kind, ask]) => {
      waits[kind] = []
      while (!ended) {
        const began = performance.now()
        await ask()
        waits[kind]!.push(performance.now() - began)
        await Bun.sleep(10)
      }
    }),
  )
  return waits
}

function report(title: string, waits: Record<string, number[]>): void {
  for (const [kind, times] of Object.entries(waits)) {
    const sorted = times.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1)
    console.log(
      `${title.padEnd(10)} ${kind.padEnd(8)} n ${String(sorted.length).padStart(5)}   p50 ${at(0.5)}   p99 ${at(0.99)}   max ${at(1)} ms`,
    )
  }
}

try {
  report("alone", await watch(Bun.sleep(BASELINE_MS)))
  const parts = Array.from({ length: FILES }, (_, i) => {
    const text = `File ${i}: ${"the ferry leaves at noon. ".repeat(Math.ceil(BYTES / 26))}`.slice(0, BYTES)
    return `--b\r\nContent-Disposition: form-data; name="files"; filename="many-${i}.txt"\r\n\r\n${text}\r\n`
  })
  const body = `${parts.join("")}--b--\r\n`
  let peakMb = 0
  const before = residentMb()
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb())
  }, 100)
  const cpu = cpuSeconds()
  const began = performance.now()
  const form = fetch(`${daemon.url}/external/upload`, {
    method: "POST",
    headers: { ...daemon.credentials, "content-type": "multipart/form-data; boundary=b" },
    body,
  }).then(async response => {
    const { files, rejected, error } = (await response.json()) as any
    return { status: response.status, files: files?.length, rejected: rejected?.length, error }
  })
  const beside = await watch(form)
  const tookMs = performance.now() - began
  clearInterval(sampling)
  report("beside", beside)
  console.log({
    ...(await form),
    seconds: Number((tookMs / 1000).toFixed(1)),
    cpuSeconds: Number((cpuSeconds() - cpu).toFixed(1)),
    bodyMb: Math.round(body.length / 2 ** 20),
    residentMb: [Math.round(before), Math.round(peakMb)],
  })
} finally {
  await daemon.remove()
}
