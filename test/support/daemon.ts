/** The daemon as a process of its own, so that tests can kill it: from source, or the executable that CARREL_BIN names. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { holdToDocument } from "./documented.ts"
import { until } from "./until.ts"

const MAIN = resolve(import.meta.dir, "../../src/main.ts")
/** What runs the product's commands: the executable that CARREL_BIN names, else the source. */
export const COMMAND: readonly string[] = Bun.env.CARREL_BIN ? [Bun.env.CARREL_BIN] : [Bun.argv[0]!, MAIN]

export interface Daemon {
  url: string
  data: string
  pid: number
  /** @param more flags of this start alone */
  start(...more: string[]): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** SIGTERM; the exit status. */
  stop(): Promise<number>
  /** Kills and removes the data. */
  remove(): Promise<void>
  run(...args: string[]): Promise<{ code: number; out: string; err: string }>
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every route
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: a file record
  upload(name: string, text: string, fields?: Record<string, string>): Promise<any>
  /** Uploads and waits until the file is searchable; its record. @throws for one that fails */
  // biome-ignore lint/suspicious/noExplicitAny: a file record
  index(name: string, text: string): Promise<any>
  /** Waits until no file is queued or being indexed. */
  settled(): Promise<void>
  credentials: Record<string, string>
}

/** What a client knows of a product that runs somewhere. */
export type Reached = Pick<Daemon, "url" | "credentials" | "call" | "upload" | "settled">

export interface DaemonOptions {
  /** A program that runs the commands of the product, such as a tracer that ends with what it traces. */
  under?: readonly string[]
  data?: string
  /** In place of `COMMAND`. */
  command?: readonly string[]
  env?: Record<string, string>
}

export async function startDaemon(
  flags: string[] = [],
  { under = [], data = mkdtempSync(join(tmpdir(), "carrel-daemon-")), command = COMMAND, env = {} }: DaemonOptions = {},
): Promise<Daemon> {
  holdToDocument()
  let child: Bun.Subprocess | undefined
  let pid = 0
  let url = ""
  const environment = {
    PATH: Bun.env.PATH ?? "/usr/bin:/bin",
    HOME: data,
    CARREL_OLLAMA_HOST: "http://127.0.0.1:9",
    // Without the large model, but for a test that names one or a tier.
    ...(flags.some(flag => flag.startsWith("--embedding-model")) ? {} : { CARREL_EMBEDDING_TIER: "fast" }),
    CARREL_RERANK: "off", // the same
    CARREL_STORAGE_LOW_MB: "0", // whatever this machine has left
    ...env,
  }

  const run: Daemon["run"] = async (...args) => {
    const ran = Bun.spawn([...under, ...command, ...args, "--data", data], {
      env: environment,
      stdout: "pipe",
      stderr: "pipe",
    })
    const [out, err, code] = await Promise.all([
      new Response(ran.stdout).text(),
      new Response(ran.stderr).text(),
      ran.exited,
    ])
    return { code, out, err }
  }

  const start = async (...more: string[]) => {
    rmSync(join(data, "daemon.json"), { force: true }) // of one that was killed
    const settings = ["--data", data, "--port", "0", "--rate-limit-per-minute", "1000000", "--log-level", "error"]
    const started = Bun.spawn([...under, ...command, "serve", ...settings, ...flags, ...more], {
      env: environment,
      stdout: "ignore",
      stderr: "inherit",
    })
    child = started
    const running = await until(() => {
      if (started.exitCode !== null) throw new Error(`the daemon ended with ${started.exitCode}`)
      return runningIn(data)
    })
    pid = running.pid
    url = `http://127.0.0.1:${new URL(running.url).port}`
    await until(async () => (await fetch(`${url}/readyz`)).ok)
  }

  const end = async (signal: NodeJS.Signals) => {
    if (pid !== 0 && child?.exitCode === null && child.signalCode === null) process.kill(pid, signal)
    else child?.kill(signal)
    pid = 0
    return (await child?.exited) ?? 0
  }

  const remove = async () => {
    await end("SIGKILL")
    rmSync(data, { recursive: true, force: true })
  }

  const firstKey = async () => {
    await start()
    const created = await run("keys", "create", "--name", "test", "--json")
    if (created.code !== 0) throw new Error(created.err)
    return JSON.parse(created.out)
  }

  const key = await firstKey().catch(async error => {
    await remove() // nobody else knows of it, and it would outlive the tests
    throw error
  })
  const credentials = { "client-id": key.client_id, "private-key": key.private_key, secret: key.secret }

  const call: Daemon["call"] = async (method, path, body, headers = {}) => {
    const isForm = body instanceof FormData
    const response = await fetch(`${url}/external${path}`, {
      method,
      headers: {
        ...credentials,
        ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`)
    return text ? JSON.parse(text) : null
  }

  const upload: Daemon["upload"] = async (name, text, fields = {}) => {
    const form = new FormData()
    for (const [field, value] of Object.entries(fields)) form.append(field, value)
    form.append("files", new Blob([text]), name)
    return (await call("POST", "/upload", form)).files[0]
  }

  return {
    get url() {
      return url
    },
    get pid() {
      return pid
    },
    data,
    credentials,
    start,
    run,
    call,
    upload,
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
    remove,
    async index(name, text) {
      const { id } = await upload(name, text)
      return until(async () => {
        const record = await call("GET", `/libraries/${id}`)
        if (record.status === "failed") throw new Error(`${name} failed: ${JSON.stringify(record.error)}`)
        return record.status === "searchable" && record
      })
    },
    async settled() {
      const waiting = () => call("GET", "/libraries?status=queued,indexing&page_size=1")
      await until(async () => (await waiting()).pagination.total_items === 0, { everyMs: 50 })
    },
  }
}

/** What the daemon of a directory says of itself once it listens. */
function runningIn(data: string): { url: string; pid: number } | undefined {
  try {
    return JSON.parse(readFileSync(join(data, "daemon.json"), "utf8"))
  } catch {
    return undefined
  }
}
