/** SIGKILL again and again while one and the same healthy file is being indexed. */
import { afterAll, expect, test } from "bun:test"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { until } from "../support/until.ts"

/** More than the attempts that a file has which fails, and one more than a job has before it goes alone. */
const KILLS = 6
const TEXT = Array.from({ length: 30_000 }, (_, i) => `Line ${i}: the heron counts the boats of the harbour.`).join(
  "\n",
)

let daemon: Daemon | undefined
afterAll(() => daemon?.remove())

test(`a file that was acknowledged is indexed after ${KILLS} deaths of the daemon amid its indexing`, async () => {
  daemon = await startDaemon()
  const { id } = await daemon.upload("long.txt", `${TEXT}\nThe last word is kittiwake.`)
  const record = () => daemon!.call("GET", `/libraries/${id}`)
  const reached = (...states: string[]) =>
    until(
      async () => {
        const { status, attempts } = await record()
        return states.includes(status) && { status, attempts }
      },
      { within: 120_000, everyMs: 10 },
    )
  for (let kill = 0; kill < KILLS; kill++) {
    expect((await reached("indexing", "searchable", "failed")).status).toBe("indexing")
    await daemon.kill()
    await daemon.start()
  }
  expect(await reached("searchable", "failed")).toEqual({ status: "searchable", attempts: 1 })
  const { hits } = await daemon.call("POST", "/search", { query: "kittiwake", mode: "keyword" })
  expect(hits.map((hit: { file: { id: string } }) => hit.file.id)).toEqual([id])
}, 300_000)
