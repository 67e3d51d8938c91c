/** What a node of several says of itself while an engine is down. */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ReadinessParts, readinessOf } from "../../src/app/readiness.ts"
import { type Engine, EngineError } from "../../src/errors.ts"
import { healthRoutes } from "../../src/http/routes/health.ts"
import type { Services } from "../../src/http/services.ts"
import { setLogSink } from "../../src/log.ts"
import { metricsText, watchGauge } from "../../src/metrics.ts"
import type { Database } from "../../src/storage/database.ts"
import { DiskWatch } from "../../src/storage/disk-watch.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { StoreWatch } from "../../src/storage/store-watch.ts"

setLogSink(() => {})
const data = mkdtempSync(join(tmpdir(), "carrel-readiness-"))
mkdirSync(join(data, "tmp"))
const database = await openSqlite(data)
afterAll(async () => {
  await database.destroy()
  rmSync(data, { recursive: true })
})

const down = new Set<Engine>()
const ask = (engine: Engine) => async () => {
  if (down.has(engine)) throw new Error("ECONNREFUSED")
}
let stores: StoreWatch
let parts: ReadinessParts
beforeEach(() => {
  down.clear()
  stores = new StoreWatch({ database: ask("database"), blobs: ask("blobs"), search: ask("search") })
  const embedder = { state: "answering", onServer: false } as const
  parts = { database, disk: new DiskWatch(data), stores, node: { isMember: true }, embedders: { fast: embedder } }
})
afterEach(() => stores.close())

/** Status and body of `/readyz`. */
async function ready(changed: Partial<ReadinessParts> = {}) {
  const services = { readiness: () => readinessOf({ ...parts, ...changed }) } as Services
  const response = await healthRoutes(services).handle(new Request("http://localhost/readyz"))
  return [response.status, await response.json()]
}

test("a node with all its engines is ready and misses nothing; one machine says nothing of engines", async () => {
  expect(await ready()).toEqual([200, { status: "ready", missing: [] }])
  expect(await ready({ stores: undefined })).toEqual([200, { status: "ready" }])
})

test.each(["blobs", "search"] as const)("a node without %s is of use and says so", async engine => {
  down.add(engine)
  expect(await ready()).toEqual([200, { status: "degraded", missing: [engine] }])
})

test("a node without the database is not ready", async () => {
  down.add("database")
  down.add("search")
  expect(await ready()).toEqual([503, { status: "without_database", missing: ["database", "search"] }])
})

test("a database that fails what is asked of it counts as missing, also between two looks at it", async () => {
  const refusing = {
    getExecutor: () => {
      throw new EngineError("database", "Connection terminated")
    },
  } as unknown as Database
  expect(await ready({ database: refusing })).toEqual([503, { status: "without_database", missing: [] }])
})

test("a node that others may take for dead is not ready", async () => {
  expect(await ready({ node: { isMember: false } })).toEqual([503, { status: "cut_off", missing: [] }])
})

test("a missing engine hides no other trouble", async () => {
  down.add("search")
  const failed = { state: "failing", onServer: false } as const
  expect(await ready({ embedders: { fast: failed } })).toEqual([503, { status: "model_failed", missing: ["search"] }])
})

test("figures of an engine that is down are left out, and the others told", async () => {
  const refused = Promise.reject(new EngineError("database", "ECONNREFUSED"))
  const ends = [
    watchGauge("carrel_test_away", "Of the database", [], () => refused),
    watchGauge("carrel_test_there", "Of this process", [], async () => [[{}, 1]]),
  ]
  try {
    const text = await metricsText()
    expect(text).toContain("carrel_test_there 1")
    expect(text).not.toMatch(/^carrel_test_away \d/m)
  } finally {
    for (const end of ends) end()
  }
})
