/** What is used is counted once, whenever the daemon is killed. */
import { afterAll, expect, test } from "bun:test"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { startDaemon } from "../support/daemon.ts"
import { chanceOf } from "./chance.ts"

const ROUNDS = Number(Bun.env.STORM_ROUNDS ?? 5)
const chance = chanceOf(7)
const daemon = await startDaemon()
afterAll(() => daemon.remove())

test(
  "after a storm of kills requests, bytes, searches and tokens are what was answered",
  async () => {
    const sure = { requests: 0, searches: 0, bytes_in: 0 }
    const cut = { requests: 0, searches: 0, bytes_in: 0 }
    let stopped = false
    const one = async (path: string, body: unknown, counts: Partial<typeof sure>) => {
      const add = (to: typeof sure) => {
        to.requests++
        to.searches += counts.searches ?? 0
        to.bytes_in += counts.bytes_in ?? 0
      }
      const isForm = body instanceof FormData
      try {
        const response = await fetch(`${daemon.url}/external${path}`, {
          method: body === undefined ? "GET" : "POST",
          headers: { ...daemon.credentials, ...(isForm ? {} : { "content-type": "application/json" }) },
          ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        })
        await response.text()
        if (response.status < 300) add(sure)
        else throw new Error(`${path} answered ${response.status}`)
      } catch {
        add(cut)
        await Bun.sleep(5)
      }
    }
    const form = (i: number) => {
      const data = new FormData()
      data.append("files", new Blob([`Herons nest in tall trees, ${i}.`.padEnd(100 + (i % 50), "x")]), `${i}.txt`)
      return { data, bytes: 100 + (i % 50) }
    }
    let count = 0
    const worker = async () => {
      while (!stopped) {
        const i = ++count
        const { data, bytes } = form(i)
        if (i % 4 === 0) await one("/upload", data, { bytes_in: bytes })
        else if (i % 4 === 1) await one("/search", { query: "herons" }, { searches: 1 })
        else if (i % 4 === 2) await one("/libraries", undefined, {})
        else await one("/start-conversation", { message: "Where do herons nest?", model: "builtin/extractive" }, {})
      }
    }
    for (let round = 0; round < ROUNDS; round++) {
      stopped = false
      const workers = Array.from({ length: 6 }, worker)
      await Bun.sleep(300 + chance(1_200))
      await daemon.kill()
      stopped = true
      await Promise.all(workers)
      await daemon.start()
    }
    const query = new URLSearchParams({ from: new Date(Date.now() - 7_200_000).toISOString(), bucket: "month" })
    const { data } = await daemon.call("GET", `/usage?${query}`)
    const [used] = data
    await daemon.settled()
    await daemon.stop()
    expect(used.bytes_stored).toBe(bytesIn(join(daemon.data, "blobs")))
    expect(sure.requests).toBeGreaterThan(20)
    for (const name of ["requests", "searches", "bytes_in"] as const) {
      const asked = name === "requests" ? used[name] - 1 : used[name]
      expect(asked).toBeGreaterThanOrEqual(sure[name])
      expect(asked).toBeLessThanOrEqual(sure[name] + cut[name])
    }
    const database = await openSqlite(daemon.data)
    const said = await database
      .selectFrom("messages")
      .select(eb => [
        eb.fn.sum<number>("prompt_tokens").as("prompt"),
        eb.fn.sum<number>("completion_tokens").as("written"),
      ])
      .executeTakeFirstOrThrow()
    const held = await database
      .selectFrom("files")
      .select(eb => eb.fn.sum<number>("size").as("bytes"))
      .executeTakeFirstOrThrow()
    await database.destroy()
    expect(used).toMatchObject({
      prompt_tokens: said.prompt,
      completion_tokens: said.written,
      bytes_stored: held.bytes,
    })
  },
  60_000 + ROUNDS * 12_000,
)

/** No two files of the storm are alike, so each has bytes of its own. */
const bytesIn = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
