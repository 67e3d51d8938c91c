/**
 * SIGKILL at random while batches and a schedule are at work: every line is answered once, what lines make is there once, every end is told
 * once. A failing run prints its seed; `STORM_SEED` repeats it, `STORM_ROUNDS` makes it longer.
 */
import { afterAll, expect, test } from "bun:test"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { MODEL } from "../support/talk.ts"
import { endedBatch, linesOf } from "../support/unattended.ts"
import { until } from "../support/until.ts"
import { chanceOf } from "./chance.ts"

const SEED = Number(Bun.env.STORM_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
const ROUNDS = Number(Bun.env.STORM_ROUNDS ?? 4)
const ANSWER = "The heron nests here."
/** Lines of each kind in each of two batches. */
const EACH = 12

let daemon: Daemon | undefined
let model: OllamaStandIn | undefined
afterAll(async () => {
  await daemon?.remove()
  model?.server.stop()
})

/** Each makes something that would be seen twice. */
const LINES = {
  conversation: (i: number) => ({ url: "/external/conversations", body: { model: MODEL, message: `case-slow ${i}` } }),
  response: (i: number) => ({ url: "/v1/responses", body: { model: MODEL, input: `case-slow ${i}` } }),
  completion: (i: number) => ({
    url: "/v1/chat/completions",
    body: { model: MODEL, store: true, messages: [{ role: "user", content: `case-slow ${i}` }] },
  }),
  run: (i: number) => ({
    url: "/external/agents/run",
    body: { model: MODEL, task: `case-slow ${i}`, tools: [] },
  }),
  search: (i: number) => ({ url: "/external/search", body: { query: `heron ${i}` } }),
}
const requests = Object.entries(LINES).flatMap(([kind, line]) =>
  Array.from({ length: EACH }, (_, i) => ({ custom_id: `${kind}-${i}`, method: "POST", ...line(i) })),
)

test(
  `two batches and a schedule are carried out once, over ${ROUNDS} kills`,
  async () => {
    console.log(`storm seed ${SEED}`)
    const chance = chanceOf(SEED)
    model = await startOllama([LLAMA])
    model.server.scenes.add("slow", { text: ANSWER, delayMs: 40 })
    daemon = await startDaemon(["--ollama-host", model.server.url, "--batch-concurrency", "3"])
    const { call } = daemon
    const ids: string[] = []
    for (let i = 0; i < 2; i++) ids.push((await call("POST", "/batches", { requests })).id)
    const schedule = await call("POST", "/schedules", { name: "beside", every: "1s", request: LINES.conversation(99) })
    for (let round = 0; round < ROUNDS; round++) {
      await Bun.sleep(300 + chance(2_500))
      await daemon.kill()
      await daemon.start()
    }
    await call("PATCH", `/schedules/${schedule.id}`, { paused: true })
    const batches = await Promise.all(ids.map(id => endedBatch(daemon!, id)))
    const scheduled = await until(async () => {
      const runs = await call("GET", `/schedules/${schedule.id}/runs?limit=100`)
      return runs.every(({ status }: { status: string }) => status !== "running") && runs
    })
    expect(scheduled.map(({ status }: { status: string }) => status)).toEqual(scheduled.map(() => "completed"))

    const total = requests.length
    const wanted = requests.map(({ custom_id }) => custom_id).sort()
    for (const batch of batches) {
      expect([batch.status, batch.request_counts]).toEqual(["completed", { total, completed: total, failed: 0 }])
      const lines = await linesOf(daemon, batch.output_file_id)
      expect(lines.map(({ custom_id }) => custom_id).sort()).toEqual(wanted)
      // A reply that a kill has cut off is no answer.
      const asked = lines.filter(({ custom_id }) => !custom_id.startsWith("search"))
      const cut = asked.filter(line => !JSON.stringify(line).includes(ANSWER))
      expect(cut).toEqual([])
    }
    // Nothing that a line was cut off at is left, and nothing was made twice.
    const count = async (path: string) => (await call("GET", `${path}?page_size=1`)).pagination.total_items
    expect(await count("/conversations")).toBe(2 * 3 * EACH + scheduled.length)
    expect(await count("/agents/runs")).toBe(2 * EACH)
    const events = await call("GET", "/events?types=batch.completed&limit=100")
    expect(events.data.map((event: { data: { id: string } }) => event.data.id).sort()).toEqual([...ids].sort())
    const files = await (await fetch(`${daemon.url}/v1/files`, { headers: daemon.credentials })).json()
    expect(files.data.filter(({ purpose }: { purpose: string }) => purpose === "batch_output").length).toBe(2)
  },
  { timeout: 120_000 + ROUNDS * 30_000 },
)
