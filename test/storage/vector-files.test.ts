/** What a power failure leaves of the vectors, which LanceDB does not sync: files that are empty or end in zeros. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readdirSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Daemon, startDaemon } from "../support/daemon.ts"
import { until } from "../support/until.ts"

const TEXTS = ["The heron stands in the water.", "The otter swims by night.", "The kingfisher dives for fish."]
const LIMIT_MS = 60_000
let daemon: Daemon

beforeAll(async () => {
  daemon = await startDaemon()
  for (const [i, text] of TEXTS.entries()) await daemon.index(`${i}.txt`, text)
}, LIMIT_MS)
afterAll(() => daemon?.remove())

/** Oldest first. */
function vectorFiles(extension: string): string[] {
  const folder = join(daemon.data, "vectors")
  const paths = (readdirSync(folder, { recursive: true }) as string[]).map(name => join(folder, name))
  return paths
    .filter(path => path.endsWith(extension) && statSync(path).isFile())
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs)
}

const empty = (path: string) => truncateSync(path, 0)
const zero = (path: string) => writeFileSync(path, new Uint8Array(statSync(path).size))

test.each([
  ["the newest version", () => empty(vectorFiles(".manifest").at(-1)!)],
  ["the newest vectors", () => zero(vectorFiles(".lance").at(-1)!)],
  ["every version", () => vectorFiles(".manifest").forEach(empty)],
])(
  "%s lost to the disk: found by meaning again after the start, and files are indexed",
  async (what, damage) => {
    expect(await daemon.stop()).toBe(0)
    damage()
    await daemon.start()
    await daemon.index(`${what}.txt`, `A badger digs, ${what}.`)
    for (const query of [...TEXTS, `A badger digs, ${what}.`]) {
      const best = async () => (await daemon.call("POST", "/search", { query, mode: "semantic" })).hits[0]?.text
      await until(async () => (await best()) === query, { everyMs: 100 })
    }
    expect(await daemon.stop()).toBe(0)
    const { out } = await daemon.run("doctor", "--check")
    expect(out).toContain("search index: agrees with the database")
    await daemon.start()
  },
  LIMIT_MS,
)
