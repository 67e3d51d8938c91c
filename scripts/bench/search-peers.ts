/** Speed of the other engines on the passages of a kept directory, each in a process of its own. */
import { Database } from "bun:sqlite"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ENGINES } from "./peers/engines.ts"
import { preparePeers } from "./peers/install.ts"
import { clusteredEmbedder, queries } from "./search-speed.ts"

/** Building the engines over more takes longer than the measurement. */
const MOST_PASSAGES = 100_000
/** For one engine's build and its 200 queries: at 100 000 passages Orama needs 8 minutes. */
const TIMEOUT_MS = 15 * 60_000

/** A process each, so that memory is the engine's own, and one that bursts costs its own line only. */
export async function measurePeers(directory: string): Promise<void> {
  const count = passageCount(directory)
  if (count > MOST_PASSAGES) return console.log(`other engines: measured up to ${MOST_PASSAGES} passages`)
  preparePeers()
  for (const { name } of ENGINES) {
    const argv = [process.execPath, join(import.meta.dir, "search.ts"), "peer", directory, name]
    const child = Bun.spawn(argv, {
      stdio: ["ignore", "inherit", "inherit"],
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
    })
    const code = await child.exited
    if (child.signalCode)
      console.log(`${name}: not measured: stopped after ${TIMEOUT_MS / 60_000} minutes, or out of memory`)
    else if (code !== 0) console.log(`${name}: not measured: see above`)
  }
}

/** What `measurePeers` runs in each process. */
export async function measurePeer(directory: string, name: string): Promise<void> {
  const engine = ENGINES.find(engine => engine.name === name)
  if (!engine) throw new Error(`no engine ${name}; there are ${ENGINES.map(({ name }) => name).join(", ")}`)
  preparePeers()
  const embedder = clusteredEmbedder()
  const texts = readPassages(directory)
  const vectors = await embedder.embed(texts, "passage")
  const before = await residentBytes()
  const [wall, cpu] = [performance.now(), process.cpuUsage()]
  const peer = await engine.open({ texts, vectors, embedder })
  const { user, system } = process.cpuUsage(cpu)
  const seconds = ((performance.now() - wall) / 1000).toFixed(1)
  const grown = (((await residentBytes()) - before) / 2 ** 20).toFixed(0)
  console.log(`${name}: built in ${seconds} s, ${((user + system) / 1e6).toFixed(1)} CPU-s, memory +${grown} MB`)
  await queries(`${name}, 12 words`, 12, async query => {
    await peer.search(query)
    // An engine that answers at once would keep the clock of the loop's lag from ticking.
    await new Promise(setImmediate)
  })
  await peer.close()
}

function passageCount(directory: string): number {
  using db = new Database(join(directory, "carrel.db"), { readonly: true })
  return (db.query("select count(*) as count from chunks").get() as { count: number }).count
}

function readPassages(directory: string): string[] {
  using db = new Database(join(directory, "carrel.db"), { readonly: true })
  return (db.query("select text from chunks order by id").values() as [string][]).map(([text]) => text)
}

/** After a collection, and once the allocator gave back what it freed: only what is kept counts. */
async function residentBytes(): Promise<number> {
  Bun.gc(true)
  await Bun.sleep(2000)
  Bun.gc(true)
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) * 1024
}
