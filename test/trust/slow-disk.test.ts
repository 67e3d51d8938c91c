/** A disk on which every sync takes a sixth of a second, as a tracer makes it; skipped where nothing can be traced. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { statSync } from "node:fs"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { canInject, injectInto, injecting } from "../support/trouble.ts"
import { until } from "../support/until.ts"

const SYNC_MS = 150
const FILES = 24
const LIMIT_MS = 120_000
/** The daemon gives itself 10 s; to start the signal and to be gone takes a busy machine a moment. */
const STOPPED_WITHIN_MS = 15_000
if (!canInject) console.log("skipped: strace is not installed, or may not trace here")

describe.skipIf(!canInject)("a slow disk", () => {
  let daemon: Daemon
  const names = Array.from({ length: FILES }, (_, i) => `valve-${i}.txt`)
  beforeAll(async () => {
    daemon = await startDaemon([], { under: injecting("fsync,fdatasync", `delay_exit=${SYNC_MS * 1000}`) })
  }, LIMIT_MS)
  afterAll(() => daemon?.remove())

  const files = async () => (await daemon.call("GET", "/libraries?page_size=100")).data
  const lagSeconds = async () => {
    const text = await (await fetch(`${daemon.url}/metrics`)).text()
    return Number(/^carrel_event_loop_lag_max_seconds (\S+)/m.exec(text)?.[1])
  }

  test(
    "holds nobody up who does not write",
    async () => {
      await lagSeconds()
      let uploading = true
      const uploads = Promise.all(names.map(name => daemon.upload(name, `The ${name} closes at dusk.`))).finally(() => {
        uploading = false
      })
      while (uploading) {
        expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200)
        await daemon.call("POST", "/search", { query: "dusk" })
      }
      await uploads
      // Commits wait in a thread of their own; on this one all of them together would have taken longer than this.
      expect(await lagSeconds()).toBeLessThan((FILES * SYNC_MS) / 2_000)
    },
    LIMIT_MS,
  )

  test(
    "lets nobody who reads wait for those who write",
    async () => {
      let written = 0
      const changes = (await files()).map(async ({ id }: { id: string }) => {
        await daemon.call("PATCH", `/libraries/${id}`, { tags: ["dusk"] })
        written++
      })
      await until(() => written > 0) // all have been asked for
      await files()
      expect(written).toBeLessThan(FILES)
      await Promise.all(changes)
    },
    LIMIT_MS,
  )

  test(
    "answers chats and runs while files are indexed, and takes deletions",
    async () => {
      const chat = await daemon.call("POST", "/start-conversation", { message: "When does the valve close?" })
      expect(chat.messages[1].finish_reason).toBe("stop")
      const run = await daemon.call("POST", "/agents/run", { task: "When does the valve close?" })
      expect(run.status).toBe("completed")
      const [{ id, name }] = await files()
      await daemon.call("DELETE", `/libraries/${id}`)
      expect((await files()).map((file: { name: string }) => file.name)).not.toContain(name)
      names.splice(names.indexOf(name), 1)
    },
    LIMIT_MS,
  )

  test(
    "is measured: commits in the metrics, a sync by the doctor",
    async () => {
      const text = await (await fetch(`${daemon.url}/metrics`)).text()
      const count = (bound: string) =>
        Number(new RegExp(`^carrel_commit_seconds_bucket{le="${bound}"} (\\d+)`, "m").exec(text)?.[1])
      expect(count("\\+Inf") - count("0.1")).toBeGreaterThan(FILES)
      const doctor = await daemon.run("doctor")
      expect(doctor.out).toMatch(/note {4}disk sync: \d+\.\d ms: a slow disk/)
      expect(doctor.out).toContain("→ move the data directory to a local SSD")
    },
    LIMIT_MS,
  )

  test(
    "lets the daemon stop in time amid work, and nothing is lost, done twice or counted as a failure",
    async () => {
      const late = names.slice(0, 4).map(name => daemon.upload(`late-${name}`, `The late ${name} closes at dawn.`))
      names.push(...(await Promise.all(late)).map(file => file.name))
      const asked = performance.now()
      expect(await daemon.stop()).toBe(0)
      expect(performance.now() - asked).toBeLessThan(STOPPED_WITHIN_MS)
      await daemon.start()
      await daemon.settled()
      const all = await files()
      expect(all.map((file: { name: string }) => file.name).sort()).toEqual([...names].sort())
      for (const file of all) expect([file.name, file.status, file.attempts]).toEqual([file.name, "searchable", 1])
      expect(await daemon.stop()).toBe(0)
      expect((await daemon.run("doctor", "--check")).code).toBe(0)
    },
    LIMIT_MS,
  )
})

describe.skipIf(!canInject)("a disk that hangs", () => {
  /** A daemon that has one file, searchable. */
  async function startWithFile() {
    const daemon = await startDaemon()
    return { daemon, file: await daemon.index("tide.txt", "The tide turns at noon.") }
  }

  test(
    "holds up what waits for it and nobody else",
    async () => {
      const { daemon, file } = await startWithFile()
      try {
        const release = await injectInto(daemon.pid, "fsync,fdatasync", "delay_enter=30000000")
        let changed = false
        const change = daemon.call("PATCH", `/libraries/${file.id}`, { tags: ["noon"] }).then(() => {
          changed = true
        })
        for (let i = 0; i < 20; i++) {
          expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200)
          expect((await daemon.call("GET", "/libraries")).data).toHaveLength(1)
          expect((await daemon.call("POST", "/search", { query: "tide" })).hits).toHaveLength(1)
          await Bun.sleep(100)
        }
        expect(changed).toBe(false) // all of them were answered while the disk hung
        await release()
        await change
        expect((await daemon.call("GET", `/libraries/${file.id}`)).tags).toEqual(["noon"])
      } finally {
        await daemon.remove()
      }
    },
    LIMIT_MS,
  )

  test(
    "holds up no search, also when the index of words is what waits for it",
    async () => {
      const { daemon } = await startWithFile()
      try {
        const log = join(daemon.data, "keyword.db-wal")
        const release = await injectInto(daemon.pid, "fsync,fdatasync", "delay_enter=30000000", log)
        const large = await daemon.upload("large.txt", manyWords(12_000_000))
        let hung = 0
        const stateOf = async () => (await daemon.call("GET", `/libraries/${large.id}`)).status
        while ((await stateOf()) !== "searchable" && hung < 20) {
          const asked = performance.now()
          expect((await daemon.call("POST", "/search", { query: "tide", mode: "keyword" })).hits).toHaveLength(1)
          expect(performance.now() - asked).toBeLessThan(15_000)
          if (statSync(log).size > 4 * 2 ** 20) hung++
          await Bun.sleep(100)
        }
        expect(hung).toBeGreaterThan(5)
        await release()
        await daemon.settled()
        expect((await daemon.call("POST", "/search", { query: "w1 w2 w3", mode: "keyword" })).total).toBeGreaterThan(
          100,
        )
      } finally {
        await daemon.remove()
      }
    },
    LIMIT_MS,
  )
})

/** Text of about so many characters with a large vocabulary, which makes a large index. */
function manyWords(length: number): string {
  const words: string[] = []
  for (let i = 0, state = 1; i < length / 5; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    words.push(`w${(state % 40_000).toString(36)}${i % 100 === 99 ? "." : ""}`)
  }
  return words.join(" ")
}
