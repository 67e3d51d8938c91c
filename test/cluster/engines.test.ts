/**
 * `npm run cluster`: PostgreSQL, storage and OpenSearch, started from the cache of their packages. Where they have not been
 * fetched yet (`npm run cluster -- install`), nothing is fetched here either, and only what needs none of them is tested.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { Engine } from "../../scripts/cluster/engine.ts"
import { lacks, missingPackages, start, stop } from "../../scripts/cluster/index.ts"
import { findJava } from "../../scripts/cluster/java.ts"
import { end, gone, identify, isAlive, launch } from "../../scripts/cluster/processes.ts"
import { type State, StateFile } from "../../scripts/cluster/state.ts"

const SCRIPT = resolve(import.meta.dir, "../../scripts/cluster.ts")
const folder = mkdtempSync(join(tmpdir(), "engines-test-"))
const reasons = [...lacks(), ...missingPackages().map(({ package: name }) => `${name} has not been fetched`)]
const canStart = reasons.length === 0
if (!canStart) console.log(`engines: not started, because ${reasons.join("; ")}`)
/** Three servers on a machine that runs other tests beside them. */
const START_TIMEOUT_MS = 200_000

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the search engine answers to a search, or to a deletion. */
interface Answer {
  hits: { hits: { _score: number }[] }
  deleted: number
}

async function cluster(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([process.execPath, SCRIPT, ...args, "--state", join(folder, "up.json")], {
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

/** Command lines of the processes that work in `path`, or name it. */
function processesOf(path: string): string[] {
  return readdirSync("/proc")
    .filter(pid => /^\d+$/.test(pid))
    .flatMap(pid => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
        return line.includes(path) || readlinkSync(`/proc/${pid}/cwd`).startsWith(path) ? [line] : []
      } catch {
        return [] // ended meanwhile
      }
    })
}

describe.skipIf(!canStart)("engines", () => {
  const file = new StateFile(join(folder, "up.json"))
  let urls: Record<"database_url" | "blob_url" | "search_url" | "ca_file", string>
  let state: State

  beforeAll(async () => {
    const { code, out, err } = await cluster("up", "--json")
    expect(code, err).toBe(0)
    urls = JSON.parse(out)
    state = file.read()!
  }, START_TIMEOUT_MS)

  afterAll(() => stop(file), START_TIMEOUT_MS)

  const withPassword = (url: string, password: string): string => url.replace(/:[^:@/]+@/, `:${password}@`)
  const select = async (url: string): Promise<unknown> => {
    const sql = new Bun.SQL(url, { max: 1 })
    const query = sql`select current_database() as name, current_setting('server_version_num')::int / 10000 as version`
    return [...(await query.finally(() => sql.close()))]
  }
  const bucket = (url: string): Bun.S3Client => {
    const { username, password, hostname, searchParams } = new URL(url)
    const [endpoint, region] = [searchParams.get("endpoint")!, searchParams.get("region")!]
    return new Bun.S3Client({ accessKeyId: username, secretAccessKey: password, bucket: hostname, endpoint, region })
  }
  const search = (url: string, path = "", init: RequestInit = {}): Promise<Response> => {
    const { username, password, origin } = new URL(url)
    const authorization = `Basic ${btoa(`${username}:${password}`)}`
    const headers = { authorization, "content-type": "application/json" }
    return fetch(`${origin}/${path}`, { ...init, headers, tls: { ca: Bun.file(urls.ca_file) } })
  }

  test("the database answers with its password and to no other", async () => {
    expect(await select(urls.database_url)).toEqual([{ name: "carrel", version: 18 }])
    await expect(select(withPassword(urls.database_url, "wrong"))).rejects.toThrow("password")
  })

  test("the storage keeps objects of many parts for its key, and for no other", async () => {
    const bytes = Buffer.alloc(20_000_000, "carrel")
    await bucket(urls.blob_url).write("large", bytes, { partSize: 5 << 20 })
    expect(Buffer.from(await bucket(urls.blob_url).file("large").arrayBuffer()).equals(bytes)).toBe(true)
    await bucket(urls.blob_url).delete("large")
    await expect(bucket(withPassword(urls.blob_url, "wrong")).list()).rejects.toThrow()
    const { hostname, searchParams } = new URL(urls.blob_url)
    expect((await fetch(`${searchParams.get("endpoint")}/${hostname}`)).status).toBe(403)
  })

  test("the search engine answers with its password and to no other, and has the plug-ins", async () => {
    const found = await (await search(urls.search_url, "_cat/plugins?format=json&h=component")).json()
    expect(found).toEqual([{ component: "opensearch-knn" }, { component: "opensearch-security" }])
    expect((await search(withPassword(urls.search_url, "wrong"))).status).toBe(401)
    const { origin } = new URL(urls.search_url)
    expect((await fetch(origin, { tls: { ca: Bun.file(urls.ca_file) } })).status).toBe(401)
  })

  test("the search engine cuts words, runs scripts and deletes what a query finds", async () => {
    const send = async (method: string, path: string, body: object): Promise<Answer> =>
      (await search(urls.search_url, path, { method, body: JSON.stringify(body) })).json() as Promise<Answer>
    const analysis = { analyzer: { terms: { type: "custom", tokenizer: "whitespace" } } }
    const properties = { t: { type: "text", analyzer: "terms" }, n: { type: "integer" } }
    await send("PUT", "passages", { settings: { number_of_replicas: 0, analysis }, mappings: { properties } })
    for (const n of [1, 2]) await send("PUT", `passages/_doc/${n}?refresh=true`, { t: "one,two three", n })
    const script = { source: "termFreq('t', 'one,two') + doc['n'].value" }
    const found = await send("POST", "passages/_search", {
      query: { script_score: { query: { match_all: {} }, script } },
    })
    expect(found.hits.hits.map(({ _score }) => _score)).toEqual([3, 2])
    const { deleted } = await send("POST", "passages/_delete_by_query", { query: { term: { n: 1 } } })
    expect(deleted).toBe(1)
  })

  test("only the owner reads the file with the passwords, and no process shows one", () => {
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
    const secrets = [urls.database_url, urls.blob_url, urls.search_url].map(url => new URL(url).password)
    const lines = processesOf(state.folder)
    expect(lines.length).toBeGreaterThanOrEqual(3)
    expect(lines.filter(line => secrets.some(secret => line.includes(secret)))).toEqual([])
  })

  test("up again gives the same engines, and status names what runs", async () => {
    expect(JSON.parse((await cluster("up", "--json")).out)).toEqual(urls)
    expect(file.read()).toEqual(state)
    const { code, err } = await cluster("up", "--nodes", "2")
    expect([code, err]).toEqual([1, expect.stringContaining("has 1 node(s), not 2")])
    const { ready, processes } = JSON.parse((await cluster("status", "--json")).out)
    expect(ready).toBe(true)
    expect(processes.map(({ name }: { name: string }) => name).sort()).toEqual([
      "opensearch node1",
      "postgres",
      "storage",
    ])
  })

  test(
    "down leaves neither process nor file",
    async () => {
      expect((await cluster("down")).code).toBe(0)
      expect(state.processes.filter(isAlive)).toEqual([])
      expect(processesOf(state.folder)).toEqual([])
      expect([state.folder, file.path, ...state.processes.flatMap(({ strays }) => strays)].filter(existsSync)).toEqual(
        [],
      )
      expect(JSON.parse((await cluster("status", "--json")).out)).toEqual({ ready: false, processes: [] })
    },
    START_TIMEOUT_MS,
  )
})

test("Java is the one that is named, if the engine runs on it, else the newest that it runs on", () => {
  const java = (name: string, version: string): string => {
    const home = join(folder, "jvm", name)
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, "release"), `IMPLEMENTOR="x"\nJAVA_VERSION="${version}"\n`)
    return home
  }
  const [old, middle] = [java("java-17", "17.0.15"), java("java-21", "21.0.2")]
  const newest = java("java-25", "25")
  const modern = { oldest: 21 }
  expect(findJava(modern, middle, join(folder, "jvm"))).toEqual({ home: middle, major: 21 })
  expect(findJava(modern, old, join(folder, "jvm"))).toEqual({ home: newest, major: 25 })
  expect(findJava(modern, old, join(folder, "nowhere"))).toBeUndefined()
  expect(findJava({ oldest: 11, newest: 23 }, newest, join(folder, "jvm"))).toEqual({ home: middle, major: 21 })
})

describe.skipIf(process.platform !== "linux")("starting and ending", () => {
  const sleeper = (name: string, seconds: number, log = join(folder, `${name}.log`)) =>
    launch({ name, command: ["sleep", String(seconds)], log, cwd: folder })[0]
  /** Stands in for an engine: a process, and what becomes of it. */
  const standIn = (command: string[], ready: () => Promise<unknown>): Engine => ({
    package: "seaweedfs-4.48",
    lacks: () => undefined,
    unpack: async () => undefined,
    async start(site) {
      site.own()
      site.launch({ name: command[0]!, command, log: join(site.folder, "log") })
      await site.until("it", ready)
      return {}
    },
  })

  test("an engine that ends while it starts ends the others, and its last words are told", async () => {
    const file = new StateFile(join(folder, "failing.json"))
    let state: State | undefined
    const lasting = standIn(["sleep", "60"], async () => {
      state = file.read()
      throw new Error("not yet")
    })
    const failing = standIn(["sh", "-c", "sleep .5; echo no room left; exit 3"], () => new Promise(() => undefined))
    await expect(start(file, { nodes: 1, engines: { lasting, failing } })).rejects.toThrow(/code 3:\nno room left/)
    expect(state!.processes).toHaveLength(2)
    expect(state!.processes.filter(isAlive)).toEqual([])
    expect([state!.folder, file.path].filter(existsSync)).toEqual([])
  })

  test("a process is ended only if it is still the one that was started", async () => {
    const started = sleeper("other", 60)
    const other = { ...started, startedAt: String(Number(started.startedAt) - 1) }
    await end([other])
    expect(isAlive(started)).toBe(true)
    await end([started])
    expect(await gone(started, 0)).toBe(true)
  })

  test("of two starts at a time the second is refused, and what the first has noted stays", async () => {
    const file = new StateFile(join(folder, "claimed.json"))
    const state: State = { starter: identify(process.pid)!, folder: join(folder, "none"), nodes: 1, processes: [] }
    file.create(state)
    const never = standIn(["sleep", "60"], async () => undefined)
    await expect(start(file, { nodes: 1, engines: { never } })).rejects.toThrow("EEXIST")
    expect(file.read()).toEqual(state)
  })

  test("a start that is interrupted ends what it has started", async () => {
    const file = new StateFile(join(folder, "interrupted.json"))
    const interrupted = new AbortController()
    let state: State | undefined
    const engine = standIn(["sleep", "60"], async () => {
      state = file.read()
      interrupted.abort(new Error("interrupted"))
      throw new Error("not yet")
    })
    await expect(start(file, { nodes: 1, engines: { engine }, signal: interrupted.signal })).rejects.toThrow(
      "interrupted",
    )
    expect(state!.processes).toHaveLength(1)
    expect(state!.processes.filter(isAlive)).toEqual([])
    expect([state!.folder, file.path].filter(existsSync)).toEqual([])
  })
})
