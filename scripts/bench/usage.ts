/**
 * What counting a request costs: the list of files through the application, with its journal and without, in turns of the
 * same run; and a line of the journal by itself.
 *
 *   bun scripts/bench/usage.ts
 */
import { wholeOf } from "../../src/access/view.ts"
import { Usage } from "../../src/governance/usage/usage.ts"
import { startTestApp } from "../../test/support/app.ts"

const ROUNDS = 40
const REQUESTS = 100

const app = await startTestApp()
const client = await app.client()
const counting = { ...Object.getOwnPropertyDescriptors(Usage.prototype) }
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!

async function round(): Promise<number> {
  const began = performance.now()
  for (let i = 0; i < REQUESTS; i++) await (await client.raw("GET", "/libraries")).arrayBuffer()
  return ((performance.now() - began) / REQUESTS) * 1_000
}

const times = { counted: [] as number[], uncounted: [] as number[] }
await round()
for (let i = 0; i < ROUNDS; i++) {
  times.counted.push(await round())
  Object.defineProperty(Usage.prototype, "takeRequest", { ...counting.takeRequest, value: async () => {} })
  times.uncounted.push(await round())
  Object.defineProperty(Usage.prototype, "takeRequest", counting.takeRequest!)
}
const [counted, uncounted] = [median(times.counted), median(times.uncounted)]
console.log(
  `a list of files: ${counted.toFixed(0)} µs counted, ${uncounted.toFixed(0)} µs not: ${(counted / uncounted).toFixed(3)}`,
)

const { openSqlite } = await import("../../src/storage/sqlite/open.ts")
const database = await openSqlite(app.data)
const usage = await Usage.open(database, { directory: `${app.data}/usage-bench` })
const view = wholeOf("ws_bench")
const began = performance.now()
for (let i = 0; i < 100_000; i++) usage.countRequest(view)
console.log(`a line of the journal: ${((performance.now() - began) / 100).toFixed(1)} µs`)
await usage[Symbol.asyncDispose]()
await database.destroy()
await app.stop()
process.exit()
