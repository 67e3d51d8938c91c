/**
 * Retention of many files beside the requests of others: how long it takes, and how long they wait.
 *
 *   [CARREL_BIN=dist/carrel] bun scripts/bench/retention.ts [--files 100000] [--bytes 200]
 *
 * The files are made a year older in the database while the daemon is stopped. The others ask before the rules are set (the
 * baseline), and while they are applied.
 */
import { Database as Sqlite } from "bun:sqlite"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { startDaemon } from "../../test/support/daemon.ts"
import { until } from "../../test/support/until.ts"
import { Beside, formOf } from "./beside.ts"

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "100000" },
    bytes: { type: "string", default: "200" },
  },
})
const FILES = Math.min(1_000_000, Number(values.files))
const BYTES = Math.min(1_000_000, Number(values.bytes))
const PER_FORM = 10_000
const BASELINE_MS = 5_000
const HOURS_MS = 12 * 3_600_000

const daemon = await startDaemon(["--max-queued-files", "1000000"])
const beside = new Beside(daemon)
try {
  for (let first = 0; first < FILES; first += PER_FORM) {
    const { body, contentType } = formOf(Math.min(PER_FORM, FILES - first), BYTES, first)
    const headers = { ...daemon.credentials, "content-type": contentType }
    const { status } = await fetch(`${daemon.url}/external/upload`, { method: "POST", headers, body })
    if (status !== 202) throw new Error(`a form was answered with ${status}`)
  }
  const waiting = async () => (await daemon.call("GET", "/libraries?status=queued,indexing&page_size=1")).pagination
  await until(async () => (await waiting()).total_items === 0, { within: HOURS_MS, everyMs: 1_000 })
  await daemon.stop()
  const database = new Sqlite(join(daemon.data, "carrel.db"))
  database.run("update files set updated_at = '2020-01-01T00:00:00.000Z'")
  database.close()
  await daemon.start()
  await beside.watch("alone", Bun.sleep(BASELINE_MS))
  await daemon.call("PUT", "/retention", { rules: [{ kind: "files", after_days: 365 }] })
  const applied = until(async () => (await daemon.call("GET", "/retention")).last_applied, {
    within: HOURS_MS,
    everyMs: 500,
  })
  await beside.watch("beside", applied)
  const { started_at, finished_at, counts } = await applied
  const seconds = (Date.parse(finished_at) - Date.parse(started_at)) / 1_000
  console.log({ counts, seconds: Number(seconds.toFixed(1)), perSecond: Math.round(counts.files / seconds) })
} finally {
  await daemon.remove()
}
