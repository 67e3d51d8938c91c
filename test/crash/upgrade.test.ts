/** The product as users have it, with both of its models: SIGKILL while the quality vectors of a file are made. */
import { afterAll, expect, test } from "bun:test"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { until } from "../support/until.ts"

/** More than are written at a time, of about a passage each. */
const PARAGRAPHS = 100
const TEXT = Array.from(
  { length: PARAGRAPHS },
  (_, i) => `Absatz ${i}. ${`Im Lager ${i} zählt jemand die Kisten auf dem Wagen Nummer ${i}. `.repeat(12)}`,
).join("\n\n")
const LEAVE = "Wer krank ist, meldet sich vor neun Uhr bei der Leitung und reicht am dritten Tag ein Attest ein."

let daemon: Daemon | undefined
afterAll(() => daemon?.remove())

test("after a kill amid the upgrade it goes on, loses and doubles nothing, and answers across languages", async () => {
  daemon = await startDaemon([], { env: { CARREL_EMBEDDING_TIER: "auto" } })
  await daemon.index("lager.txt", TEXT)
  const vectors = async () => {
    const { index } = await daemon!.call("POST", "/search", { query: "Lager", limit: 1 })
    return index.vectors as { done: number; total: number; tier: string }
  }
  const amid = await until(
    async () => {
      const { done, total, tier } = await vectors()
      return tier === "quality" && done > 0 && { done, total }
    },
    { within: 120_000, everyMs: 20 },
  )
  await daemon.kill()
  await daemon.start()
  await daemon.index("krank.txt", LEAVE)
  const whole = await until(
    async () => {
      const { done, total } = await vectors()
      return done > amid.done && done === total && total
    },
    { within: 240_000, everyMs: 200 },
  )
  expect(whole).toBe(amid.total + 1)
  const question = { query: "What must an employee do in case of illness?", limit: 3, mode: "semantic" }
  const { hits, degraded } = await daemon.call("POST", "/search", question)
  expect([hits[0].text, degraded]).toEqual([LEAVE, null])
  const all = await daemon.call("POST", "/search", { query: "Lager", limit: 100, mode: "semantic" })
  const ids = all.hits.map(({ id }: { id: string }) => id)
  expect([all.total, new Set(ids).size]).toEqual([whole, ids.length])
  await daemon.stop()
  const { code, out } = await daemon.run("doctor", "--check")
  expect([code, out]).toEqual([0, expect.stringContaining("agrees with the database")])
}, 600_000)
