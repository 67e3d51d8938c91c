/** One walk of a new user through the executable. Started by `executable.test.ts`, in an empty network where possible. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cpuSecondsOf } from "../support/processes.ts"
import { until } from "../support/until.ts"
import { bringLoopbackUp } from "./loopback.ts"
import { smallPdf } from "./small-pdf.ts"

/** The first start unpacks 250 MB; with other tests beside it that takes a while. */
const FIRST_READY_MS = 60_000
/** Contract: 1 s on an idle machine; this one may be slow and have much else to do. */
const READY_AGAIN_MS = 15_000
const IDLE_MEMORY_BYTES = 250e6
setDefaultTimeout(FIRST_READY_MS + 10_000)

const asRoot = process.getuid?.() === 0 && isRealRoot()
/** Nobody else's, so that every file it writes anywhere can be found. */
const UID = 20_000 + (process.pid % 40_000)
const root = mkdtempSync(join(tmpdir(), "carrel-alone-"))
const folders = { app: join(root, "app"), home: join(root, "home"), tmp: join(root, "tmp"), cwd: join(root, "cwd") }
const executable = join(folders.app, "carrel")
const url = `http://127.0.0.1:${20_000 + (process.pid % 30_000)}`

let daemon: Bun.Subprocess<"ignore", "pipe", "pipe"> | undefined
let credentials: Record<string, string>
let fileId: string

beforeAll(() => {
  bringLoopbackUp()
  chmodSync(root, 0o755)
  for (const folder of Object.values(folders)) {
    mkdirSync(folder)
    if (asRoot && folder !== folders.app) chownSync(folder, UID, UID)
  }
  copyFileSync(process.env.CARREL_EXECUTABLE!, executable)
  chmodSync(executable, 0o755)
  // Beside the executable and in the working folder: neither may change what it does.
  for (const folder of [folders.app, folders.cwd]) {
    writeFileSync(join(folder, ".env"), "CARREL_PORT=1\nCARREL_DATA=/nowhere\n")
    writeFileSync(join(folder, "bunfig.toml"), 'preload = ["./nowhere.ts"]\n')
  }
})

afterAll(() => {
  daemon?.kill("SIGKILL")
  rmSync(root, { recursive: true, force: true })
})

test("prints its version and the commit it was built from", async () => {
  const { version } = await import("../../package.json")
  const { exitCode, stdout } = carrel("version")
  expect(stdout.toString()).toContain(version)
  expect(exitCode).toBe(0)
})

test("starts in an empty folder and becomes ready", async () => {
  await start(FIRST_READY_MS)
})

test("makes an API key beside the running daemon", () => {
  const { exitCode, stdout, stderr } = carrel("keys", "create", "--name", "walk", "--json")
  expect(stderr.toString()).toBe("")
  expect(exitCode).toBe(0)
  const key = JSON.parse(stdout.toString())
  credentials = { "client-id": key.client_id, "private-key": key.private_key, secret: key.secret }
})

test("lists the built-in model as available", async () => {
  const models = await (await call("GET", "/models")).json()
  expect(models).toContainEqual(expect.objectContaining({ value: "builtin/extractive", available: true }))
})

test("takes a PDF and makes it searchable", async () => {
  const form = new FormData()
  const pages = ["Introduction to the rental agreement.", "The notice period for the green garage is eleven weeks."]
  form.append("files", new Blob([smallPdf(pages)], { type: "application/pdf" }), "rental.pdf")
  const accepted = await call("POST", "/upload", form)
  expect(accepted.status).toBe(202)
  fileId = (await accepted.json()).files[0].id
  const file = await until(async () => {
    const record = await (await call("GET", `/libraries/${fileId}`)).json()
    return ["searchable", "failed"].includes(record.status) && record
  })
  expect(file).toMatchObject({ status: "searchable", page_count: 2, error: null })
})

test("finds the sentence on its page, by meaning and by words", async () => expectHit())

test("answers with streamed text that cites the page", async () => {
  const reply = await call("POST", "/conversations", { message: "What is the notice period for the green garage?" })
  expect(reply.headers.get("content-type")).toContain("text/event-stream")
  const events = [...(await reply.text()).matchAll(/^event: (\w+)\ndata: (.*)$/gm)]
  const dataOf = (kind: string) => events.filter(([, event]) => event === kind).map(([, , json]) => JSON.parse(json!))
  expect(
    dataOf("message_delta")
      .map(({ text }) => text)
      .join(""),
  ).toContain("eleven weeks")
  const [{ citations }] = dataOf("message_completed")
  expect(citations[0]).toMatchObject({ file_id: fileId, position: { page: 2 } })
  expect(events.at(-1)![1]).toBe("done")
})

test.each(["/", "/external-docs/docs", "/graphql"])("serves the page %s and everything it loads", async path => {
  const html = await (await fetch(url + path, { headers: { accept: "text/html" } })).text()
  const loaded = [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, address]) => address!)
  const assets = loaded.filter(address => !address.startsWith("data:"))
  expect(assets.filter(address => /^(https?:)?\/\//.test(address))).toEqual([])
  expect(assets).not.toEqual([])
  for (const asset of assets) {
    const answer = await fetch(new URL(asset, url + path))
    expect([asset, answer.status]).toEqual([asset, 200])
    expect((await answer.text()).length).toBeGreaterThan(0)
  }
})

test("answers a GraphQL query, and begins the threads of its editor", async () => {
  const answer = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { ...credentials, "content-type": "application/json" },
    body: JSON.stringify({ query: `{ file(id: "${fileId}") { name passages { nodes { text } } } }` }),
  })
  const { data } = (await answer.json()) as { data: { file: { passages: { nodes: { text: string }[] } } } }
  expect(data.file.passages.nodes.map(({ text }) => text).join(" ")).toContain("eleven weeks")
  for (const worker of ["editor.worker", "json.worker", "graphql.worker"])
    expect((await fetch(`${url}/graphql/assets/${worker}.js`)).status).toBe(200)
})

test("stops on SIGTERM with exit code 0, is ready again at once and still finds the sentence", async () => {
  expect(await stop()).toBe(0)
  await start(READY_AGAIN_MS)
  await expectHit()
})

test("holds at most 250 MB when idle", async () => {
  await until(async () => {
    const { index } = await (await call("POST", "/search", { query: "notice period" })).json()
    return index.vectors.tier === "quality" && index.vectors.done === index.vectors.total
  })
  expect(await stop()).toBe(0)
  await start(READY_AGAIN_MS)
  await idle(daemon!.pid)
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon!.pid}/status`, "utf8"))!
  expect(Number(kilobytes) * 1024).toBeLessThan(IDLE_MEMORY_BYTES)
})

test("has written nothing outside its data directory", async () => {
  expect(await stop()).toBe(0)
  expect(readdirSync(folders.home)).toEqual([])
  expect(readdirSync(folders.tmp)).toEqual([])
  expect(readdirSync(folders.cwd).sort()).toEqual([".env", "bunfig.toml", "data"])
  expect(readdirSync(folders.app).sort()).toEqual([".env", "bunfig.toml", "carrel"])
  if (!asRoot) return
  const owned = Bun.spawnSync([
    "find",
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "-uid",
    String(UID),
    "-not",
    "-path",
    `${root}/*`,
  ])
  expect(owned.stdout.toString()).toBe("")
})

/** The command line of an ordinary user with nothing in the environment. */
function commandLine(words: string[]): string[] {
  const environment = ["PATH=/usr/bin:/bin", `HOME=${folders.home}`, `TMPDIR=${folders.tmp}`]
  const user = asRoot ? ["setpriv", `--reuid=${UID}`, `--regid=${UID}`, "--clear-groups"] : []
  return [...user, "env", "-i", ...environment, executable, ...words]
}

const carrel = (...words: string[]) => Bun.spawnSync(commandLine(words), { cwd: folders.cwd })

async function start(limitMs: number): Promise<void> {
  const argv = commandLine(["serve", "--port", new URL(url).port])
  daemon = Bun.spawn(argv, { cwd: folders.cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const isReady = async () => {
    if (daemon!.exitCode !== null) throw new Error(`ended: ${await new Response(daemon!.stderr).text()}`)
    return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok
  }
  await until(isReady, { within: limitMs })
}

/** What a start leaves to do is done: hardly any work in two seconds. */
async function idle(pid: number): Promise<void> {
  await Bun.sleep(2_000) // stored vectors are loaded a little later
  await until(async () => {
    const before = cpuSecondsOf(pid)
    await Bun.sleep(2_000)
    return cpuSecondsOf(pid) - before <= 0.1
  })
}

async function stop(): Promise<number> {
  daemon!.kill("SIGTERM")
  return daemon!.exited
}

async function expectHit(): Promise<void> {
  for (const mode of ["hybrid", "keyword", "semantic"]) {
    const { hits } = await (await call("POST", "/search", { query: "notice period green garage", mode })).json()
    expect(hits[0]).toMatchObject({ file: { id: fileId }, position: { page: 2 } })
    expect(hits[0].text).toContain("eleven weeks")
  }
}

function call(method: string, path: string, body?: object): Promise<Response> {
  const form = body instanceof FormData
  return fetch(`${url}/external-docs/external${path}`, {
    method,
    headers: { ...credentials, ...(body && !form ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: form ? body : JSON.stringify(body) } : {}),
  })
}

/** Root of the machine, not of a user namespace, which could not become another user. */
function isRealRoot(): boolean {
  return /^\s*0\s+0\s+4294967295/.test(readFileSync("/proc/self/uid_map", "utf8"))
}
