/**
 * What each SDK costs over a bare HTTP client of its language (`fetch`, httpx, net/http), call by call in turns against the
 * product's executable: small calls, a reply as a stream, a gigabyte up and down, a folder of 10 000 files. The folder is there
 * already, so that the server has the least to do; the bare client sends the same forms, as many at the same time, and keeps no manifest.
 *
 *   bun scripts/bench/sdk.ts [part of a client's name]
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Carrel } from "../../sdk/typescript/src/index.ts"
import { type Daemon, startDaemon } from "../../test/support/daemon.ts"
import { executableCommand } from "../../test/support/executable.ts"
import { goOfSdk, installTypescript, pythonWithHttpx } from "../../test/support/sdks.ts"
import { until } from "../../test/support/until.ts"

const ROOT = resolve(import.meta.dir, "../..")
const PROGRAMS = join(import.meta.dir, "sdk")
const WAITING = "/libraries?status=queued,indexing&page_size=1"
const INDEXING_MS = 1_800_000
const GIGABYTE = 1_000_000_000
const FILES = Number(Bun.env.FILES ?? 10_000)
/** How often each is measured. */
const ROUNDS = {
  calls: 600,
  replies: 60,
  gigabytes: 3,
  downloads: 6,
  folders: 3,
  ...JSON.parse(Bun.env.ROUNDS ?? "{}"),
}

const folder = mkdtempSync(join(tmpdir(), "carrel-bench-sdk-"))

interface Client {
  name: string
  bare: string
  /** Undefined where its tools are missing. */
  command: string[] | undefined
  env?: Record<string, string>
}

function clients(): Client[] {
  const python = pythonWithHttpx()
  const node = Bun.which("node")
  const go = goOfSdk()
  installTypescript(folder)
  const program = join(folder, "typescript.mjs")
  copyFileSync(join(PROGRAMS, "typescript.mjs"), program)
  const env = { PYTHONPATH: join(ROOT, "sdk/python/src"), PYTHONDONTWRITEBYTECODE: "1" }
  const ofPython = join(PROGRAMS, "python.py")
  return [
    { name: "TypeScript, Bun", bare: "fetch", command: [process.execPath, program] },
    { name: "TypeScript, Node", bare: "fetch", command: node ? [node, program] : undefined },
    { name: "Python", bare: "httpx.Client", command: python ? [python, ofPython] : undefined, env },
    {
      name: "Python, asyncio",
      bare: "httpx.AsyncClient",
      command: python ? [python, ofPython, "async"] : undefined,
      env,
    },
    { name: "Go", bare: "net/http", command: go ? [builtGo(go)] : undefined },
  ]
}

function builtGo(go: string): string {
  const program = join(folder, "go-program")
  const env = { ...process.env, GOFLAGS: "-mod=mod", GOPROXY: "off", GOTOOLCHAIN: "local" }
  const { exitCode, stderr } = Bun.spawnSync([go, "build", "-o", program, "."], { cwd: join(PROGRAMS, "go"), env })
  if (exitCode !== 0) throw new Error(`${stderr}`)
  return program
}

/** What the programs find there, and where. */
async function prepared(daemon: Daemon, token: string) {
  const carrel = new Carrel({ baseUrl: daemon.url, token, timeoutMs: 600_000 })
  const at = (name: string) => join(folder, name)
  writeFileSync(at("lease.txt"), "The notice period is six months.")
  // No text is in them, whatever their names say: nobody reads them.
  for (const name of ["large.pdf", "down.pdf"]) {
    writeFileSync(at(name), name)
    truncateSync(at(name), GIGABYTE)
  }
  for (let n = 0; n < FILES; n++) {
    if (n % 1_000 === 0) mkdirSync(at(`many/${n / 1_000}`), { recursive: true })
    writeFileSync(at(`many/${Math.floor(n / 1_000)}/note ${n}.txt`), `The note number ${n} of the folder.`)
  }
  const { files } = await carrel.files.upload([at("lease.txt"), at("down.pdf")])
  await carrel.files.waitUntilSearchable(files[0]!.id)
  await carrel.files.uploadDir(at("many"), { manifest: at("seeded.jsonl") })
  const indexed = async () => (await daemon.call("GET", WAITING)).pagination.total_items === 0
  await until(indexed, { within: INDEXING_MS, everyMs: 1_000 })
  return {
    ...{
      file: files[0]!.id,
      down: files[1]!.id,
      large: at("large.pdf"),
      many: at("many"),
      manifest: at("manifest.jsonl"),
    },
    rounds: ROUNDS,
  }
}

interface Measured {
  name: string
  sdk: number[]
  bare: number[]
}

async function measure({ name, bare, command, env = {} }: Client, given: Record<string, string>): Promise<void> {
  if (!command) return console.log(`${name}: its tools are not here`)
  const child = Bun.spawn(command, { env: { ...process.env, ...given, ...env }, stdout: "pipe", stderr: "inherit" })
  const out = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`${name} ended with ${child.exitCode}`)
  const load = loadavg()[0]!.toFixed(1)
  for (const line of out.trim().split("\n")) {
    const measured = JSON.parse(line) as Measured
    const ratio = (median(measured.sdk) / median(measured.bare)).toFixed(3)
    const times = `${ms(median(measured.sdk))} (${bare} ${ms(median(measured.bare))})`
    console.log(`${name}: ${measured.name}: ${ratio}   ${times}, ${measured.sdk.length} turns, load ${load}`)
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

function ms(value: number): string {
  return value > 5_000 ? `${(value / 1_000).toFixed(1)} s` : `${value.toFixed(2)} ms`
}

const daemon = await startDaemon([], { command: await executableCommand() })
try {
  const { "client-id": id, "private-key": key, secret } = daemon.credentials
  const token = [id, key, secret].join(".")
  const bench = await prepared(daemon, token)
  const given = { CARREL_URL: daemon.url, CARREL_TOKEN: token, CARREL_BENCH: JSON.stringify(bench) }
  for (const client of clients().filter(({ name }) => name.includes(process.argv[2] ?? "")))
    await measure(client, given)
} finally {
  await daemon.remove()
  rmSync(folder, { recursive: true })
}
process.exit()
