/**
 * What events cost, and how long they take to their receivers. The first part: so many events a second, in transactions of
 * ten, to so many receivers in a process of their own, one of which hangs; milliseconds from an event's commit to its
 * arrival, and the CPU of this process, which writes, reads and sends. The second: how much longer a transaction takes that
 * publishes a file when it also writes the file's event.
 *
 *   bun scripts/bench/events.ts [--receivers 10] [--rate 1000] [--seconds 20]
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { ensureWorkspace } from "../../src/access/keys.ts"
import type { Principal } from "../../src/access/principal.ts"
import { wholeOf } from "../../src/access/view.ts"
import { allowListOf } from "../../src/egress/allow-list.ts"
import { Egress } from "../../src/egress/egress.ts"
import { webhookPolicy } from "../../src/egress/policy.ts"
import { Dispatcher } from "../../src/events/dispatcher.ts"
import { tellOfFiles } from "../../src/events/files.ts"
import { Pulse } from "../../src/events/pulse.ts"
import { Webhooks } from "../../src/events/webhooks.ts"
import { newId } from "../../src/id.ts"
import { joinAlone } from "../../src/nodes/nodes.ts"
import { Idempotency } from "../../src/storage/idempotency.ts"
import { Sealer } from "../../src/storage/sealed.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"

const { values } = parseArgs({
  options: {
    receive: { type: "boolean" },
    receivers: { type: "string", default: "10" },
    rate: { type: "string", default: "1000" },
    seconds: { type: "string", default: "20" },
  },
})
const [receivers, rate, seconds] = [values.receivers, values.rate, values.seconds].map(Number) as [
  number,
  number,
  number,
]
const PER_TRANSACTION = 10

/** The process of the receivers: paths are their names, `/0` hangs; `/figures` says how long the events of each took. */
function receive(): void {
  const delays = new Map<string, number[]>()
  const orders = new Map<string, { last: number; backwards: number }>()
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === "/figures") return Response.json({ delays: [...delays], orders: [...orders] })
      if (pathname === "/0") return new Promise<Response>(() => {})
      const { timestamp, data } = (await request.json()) as { timestamp: string; data: { external_id: string } }
      const list = delays.get(pathname) ?? []
      delays.set(pathname, list)
      list.push(Date.now() - Date.parse(timestamp))
      const order = orders.get(pathname) ?? { last: -1, backwards: 0 }
      orders.set(pathname, order)
      if (Number(data.external_id) <= order.last) order.backwards++
      order.last = Number(data.external_id)
      return new Response(null, { status: 204 })
    },
  })
  console.log(server.url.origin)
}

if (values.receive) receive()
else await measure()

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "carrel-bench-"))
  const database = await openSqlite(folder)
  const workspaceId = await ensureWorkspace(database)
  const child = Bun.spawn([process.execPath, import.meta.path, "--receive"], { stdout: "pipe", stderr: "inherit" })
  const base = new TextDecoder().decode((await child.stdout.getReader().read()).value).trim()
  const node = await joinAlone(database, { name: "bench", url: null, role: "all", version: "0" })
  const egress = new Egress({ policy: webhookPolicy(allowListOf([]), false) })
  const sealer = await Sealer.of(database)
  const holders = { find: async () => ({ view: wholeOf(workspaceId) }) }
  const dispatcher = new Dispatcher({ database, node, egress, sealer, holders, pulse: new Pulse(database) })
  const webhooks = new Webhooks({
    database,
    egress,
    sealer,
    idempotency: new Idempotency(database),
    wake: () => dispatcher.wake(),
  })
  const principal = { view: wholeOf(workspaceId), holderId: "key_bench" } as Principal
  for (let at = 0; at < receivers; at++) await webhooks.create(principal, { url: `${base}/${at}` })
  dispatcher.start()
  await Bun.sleep(2_000)

  const emitSome = (from: number) =>
    database.transaction().execute(trx =>
      tellOfFiles(
        trx,
        "file.searchable",
        Array.from({ length: PER_TRANSACTION }, (_, at) => ({
          ...{ id: newId("file"), workspace_id: workspaceId, context_id: null, acl: null },
          external_id: String(from + at),
        })),
      ),
    )
  const began = performance.now()
  const cpu = process.cpuUsage()
  const total = rate * seconds
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - began) / 1_000) * rate))
    for (; sent < due; sent += PER_TRANSACTION) await emitSome(sent)
    await Bun.sleep(2)
  }
  const written = performance.now() - began
  const wanted = total * (receivers - 1)
  type Figures = { delays: [string, number[]][]; orders: [string, { backwards: number }][] }
  const figures = async () => (await (await fetch(`${base}/figures`)).json()) as Figures
  let found = await figures()
  for (const end = performance.now() + 60_000; performance.now() < end; await Bun.sleep(500)) {
    found = await figures()
    if (found.delays.reduce((sum, [, list]) => sum + list.length, 0) >= wanted) break
  }
  const { user, system } = process.cpuUsage(cpu)
  const all = found.delays.flatMap(([, list]) => list).sort((a, b) => a - b)
  const at = (share: number) => all[Math.min(all.length - 1, Math.floor(all.length * share))]
  console.log(`${total} events in ${(written / 1_000).toFixed(1)} s to ${receivers} receivers, one of which hangs`)
  console.log(
    `arrived ${all.length} of ${wanted}; ms from commit to arrival: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, most ${all.at(-1)}`,
  )
  console.log(`out of order: ${found.orders.reduce((sum, [, { backwards }]) => sum + backwards, 0)}`)
  console.log(
    `CPU of this process: ${((user + system) / 1_000 / (total * (receivers - 1))).toFixed(3)} ms a delivery, ${((user + system) / 1e6 / (written / 1_000)).toFixed(2)} cores`,
  )
  await dispatcher.stop()
  child.kill()
  await ofTransactions()
  await database.destroy()
  rmSync(folder, { recursive: true })

  /** Turn about, so that the load of the machine falls on both. */
  async function ofTransactions(): Promise<void> {
    const times: [number[], number[]] = [[], []]
    for (let round = 0; round < 2_000; round++) {
      const isTold = round % 2
      const id = newId("file")
      const start = performance.now()
      await database.transaction().execute(async trx => {
        await trx
          .insertInto("jobs")
          .values({
            ...{ id, task: "bench", subject: id, workspace_id: workspaceId, lane: "ordinary", payload: "{}" },
            ...{ attempts: 0, max_attempts: 5, run_at: new Date().toISOString(), created_at: new Date().toISOString() },
          } as never)
          .execute()
        if (isTold)
          await tellOfFiles(trx, "file.searchable", [
            { id, workspace_id: workspaceId, context_id: null, acl: null, external_id: null },
          ])
        await trx.deleteFrom("jobs").where("id", "=", id).execute()
      })
      times[isTold]!.push(performance.now() - start)
    }
    const [without, withEvent] = times.map(list => list.sort((a, b) => a - b)[list.length / 2]!)
    console.log(
      `a transaction of two statements: median ${without!.toFixed(3)} ms, with an event ${withEvent!.toFixed(3)} ms`,
    )
  }
}
