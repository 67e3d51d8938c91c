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
import { cpuSecondsOf } from "../../test/support/processes.ts"
import { Beside, formOf } from "./beside.ts"

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
const beside = new Beside(daemon)
const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, "utf8"))![1]) / 1024
const cpuSeconds = () => cpuSecondsOf(daemon.pid)

try {
  await beside.watch("alone", Bun.sleep(BASELINE_MS))
  const { body, contentType } = formOf(FILES, BYTES)
  let peakMb = 0
  const before = residentMb()
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb())
  }, 100)
  const cpu = cpuSeconds()
  const began = performance.now()
  const form = fetch(`${daemon.url}/external/upload`, {
    method: "POST",
    headers: { ...daemon.credentials, "content-type": contentType },
    body,
  }).then(async response => {
    const { files, rejected, error } = (await response.json()) as any
    return { status: response.status, files: files?.length, rejected: rejected?.length, error }
  })
  await beside.watch("beside", form)
  const tookMs = performance.now() - began
  clearInterval(sampling)
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
