/**
 * Random SIGKILL while files are uploaded, indexed, re-indexed, replaced and deleted, conversations held and agents run.
 * Whatever was acknowledged holds afterwards: every file is found exactly once, no deleted one returns, every message is
 * there once, nothing is left running or busy, and the stores agree. A failing run prints its seed; `STORM_SEED` repeats
 * it, `STORM_ROUNDS` makes it longer.
 */
import { afterAll, expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { LLAMA, type OllamaStandIn, startOllama } from "../support/ollama.ts"
import { chanceOf } from "./chance.ts"
import { FileStorm } from "./file-storm.ts"
import { TalkStorm } from "./talk-storm.ts"

const SEED = Number(Bun.env.STORM_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
const ROUNDS = Number(Bun.env.STORM_ROUNDS ?? 3)
/** Upper bound of the time between a start and the kill. */
const LIFE_MS = 1_500

let daemon: Daemon | undefined
let model: OllamaStandIn | undefined
afterAll(async () => {
  await daemon?.remove()
  model?.server.stop()
})

test(
  `what was acknowledged survives ${ROUNDS} kills`,
  async () => {
    console.log(`storm seed ${SEED}`)
    const chance = chanceOf(SEED)
    model = await startOllama([LLAMA])
    daemon = await startDaemon(["--ollama-host", model.server.url])
    const files = new FileStorm(daemon, chance)
    const talks = new TalkStorm(daemon, chance, model)
    for (let round = 0; round < ROUNDS; round++) {
      const work = Promise.all([
        ...Array.from({ length: 3 }, () => files.rage()),
        ...Array.from({ length: 3 }, () => talks.converse()),
        talks.runAgents(),
      ])
      await Bun.sleep(200 + chance(LIFE_MS))
      await daemon.kill()
      await work
      await daemon.start()
      await files.settled()
      await files.verify()
      await talks.verify()
    }
    const { pagination } = await daemon.call("GET", "/libraries?page_size=1")
    await daemon.stop()
    const doctor = await daemon.run("doctor", "--check", "--json")
    const problems = JSON.parse(doctor.out).findings.filter(
      ({ state, what }: { state: string; what: string }) =>
        state === "problem" && !["disk", "entity model"].includes(what),
    )
    expect(problems).toEqual([])
    // An upload or a deletion whose answer the kill cut off leaves a whole file or none.
    expect(pagination.total_items).toBeGreaterThanOrEqual(files.promised)
    expect(storedBlobs(daemon.data)).toBe(pagination.total_items)
  },
  { timeout: 60_000 + ROUNDS * 30_000 },
)

const storedBlobs = (data: string): number =>
  readdirSync(join(data, "blobs")).flatMap(folder => readdirSync(join(data, "blobs", folder))).length
