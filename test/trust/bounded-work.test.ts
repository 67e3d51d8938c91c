/** What callers and models bring may be written to cost much: it costs its own request, and nobody else waits for it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { schemaBombs } from "../agents/bombs.ts"
import { type Daemon, startDaemon } from "../support/daemon.ts"

let daemon: Daemon
beforeAll(async () => {
  daemon = await startDaemon()
}, 60_000)
afterAll(() => daemon?.remove())

/** Longest answer of /healthz while the work goes on. The daemon shares its processors with the work: a late thread, not a held one. */
async function slowestWhile(work: Promise<unknown>): Promise<number> {
  let slowest = 0
  let going = true
  const done = work.finally(() => {
    going = false
  })
  while (going) {
    const started = performance.now()
    expect((await fetch(`${daemon.url}/healthz`)).ok).toBe(true)
    slowest = Math.max(slowest, performance.now() - started)
    await Bun.sleep(5)
  }
  await done
  return slowest
}

const ask = async (path: string, body: unknown, signal: AbortSignal | null = null) => {
  const response = await fetch(`${daemon.url}/external${path}`, {
    method: "POST",
    headers: { ...daemon.credentials, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  })
  return { status: response.status, body: await response.json() }
}

/** A main thread that was held for the seconds that the work takes would be seen; scheduling on a busy machine is not. */
const NOT_HELD_MS = 1_000

test("schemas that are bombs are refused by name, or harm nobody", async () => {
  const asked = Promise.all(schemaBombs.map(([, output_schema]) => ask("/agents/run", { task: "x", output_schema })))
  expect(await slowestWhile(asked)).toBeLessThan(NOT_HELD_MS)
  for (const { status, body } of await asked) {
    if (status === 400) expect(body.error.details[0].field).toBe("output_schema")
    else expect([200, 422, 503]).toContain(status)
  }
  expect((await asked)[0]!.body.error.message).toContain("output_schema: is too complex")
}, 120_000)
