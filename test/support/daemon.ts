/** The daemon as a process of its own, so that tests can kill it: from source, or the executable that CARREL_BIN names. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { holdToDocument } from "./documented.ts"

const MAIN = resolve(import.meta.dir, "../../src/main.ts")
const COMMAND = Bun.env.CARREL_BIN ? [Bun.env.CARREL_BIN] : [Bun.argv[0]!, MAIN]
const READY_MS = 30_000

export interface Daemon {
  url: string
  data: string
  pid: number
  start(): Promise<void>
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
  credentials: Record<string, string>
}

/** `under` is a program that runs the commands of the product, such as a tracer that ends with what it traces. */
export async function startDaemon(
  flags: string[] = [],
  under: readonly string[] = [],
  data = mkdtempSync(join(tmpdir(), "carrel-daemon-")),
): Promise<Daemon> {
  holdToDocument()
  let child: Bun.Subprocess | undefined
  let pid = 0
  let url = ""
  const environment = { PATH: Bun.env.PATH ?? "/usr/bin:/bin", HOME: data, CARREL_OLLAMA_HOST: "http://127.0.0.1:9" }

  const run: Daemon["run"] = async (...args) => {
    const command = Bun.spawn([...under, ...COMMAND, ...args, "--data", data], {
      env: environment,
      stdout: "pipe",
      stderr: "pipe",
    })
    const [out, err, code] = await Promise.all([
      new Response(command.stdout).text(),
      new Response(command.stderr).text(),
      command.exited,
    ])
    return { code, out, err }
  }

  const start = async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    child = Bun.spawn(
      [
        ...under,
        ...COMMAND,
        "serve",
        "--data",
        data,
        "--port",
        String(port),
        "--rate-limit-per-minute",
        "1000000",
        "--log-level",
        "error",
        ...flags,
      ],
      {
        env: environment,
        stdout: "ignore",
        stderr: "inherit",
      },
    )
    for (const end = Date.now() + READY_MS; Date.now() < end; await Bun.sleep(50)) {
      if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}`)
      if (
        await fetch(`${url}/readyz`).then(
          answer => answer.ok,
          () => false,
        )
      ) {
        pid = under.length === 0 ? child.pid : childOf(child.pid)
        return
      }
    }
    throw new Error("the daemon did not become ready")
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
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
    remove,
    async upload(name, text, fields = {}) {
      const form = new FormData()
      for (const [field, value] of Object.entries(fields)) form.append(field, value)
      form.append("files", new Blob([text]), name)
      return (await call("POST", "/upload", form)).files[0]
    },
  }
}

function childOf(pid: number): number {
  return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"), 10)
}

async function freePort(): Promise<number> {
  const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() })
  const { port } = probe
  await probe.stop(true)
  return port!
}
