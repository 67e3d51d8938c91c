/** One node of a cluster: the product as a process of its own, on a host of its own, before engines that others started. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Glob } from "bun"
import type { ClusterUrls } from "../../scripts/cluster/engine.ts"
import { COMMAND } from "./daemon.ts"
import type { NetworkHost } from "./network.ts"
import { until } from "./until.ts"

export type Credentials = Record<"client-id" | "private-key" | "secret", string>

export interface NodeOptions {
  name: string
  host: NetworkHost
  /** Default 4747. */
  port?: number
  urls: ClusterUrls
  /** File with the secret of the cluster. */
  secretFile: string
  /** Beyond those that make it a node. */
  flags?: readonly string[]
  /** In place of what `COMMAND` names. */
  command?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Whether its clock can be stepped: takes libfaketime. */
  steppable?: boolean
}

const PORT = 4747
/** Path of the library that gives a process another time; undefined where it is not installed. */
export const FAKETIME = [
  ...new Glob("/usr/lib/*/faketime/libfaketimeMT.so.1").scanSync({ absolute: true, cwd: "/" }),
][0]

export interface Ended {
  code: number
  out: string
  err: string
}

export class ClusterNode {
  readonly name: string
  readonly data: string
  readonly url: string
  /** What it has written to its log. */
  readonly log: string
  private child: Bun.Subprocess | undefined

  constructor(private readonly options: NodeOptions) {
    this.name = options.name
    this.data = mkdtempSync(join(tmpdir(), `carrel-${options.name}-`))
    this.log = join(this.data, "log.txt")
    mkdirSync(join(this.data, "scratch"))
    this.url = `http://${options.host.address}:${options.port ?? PORT}`
    this.stepClock(0)
  }

  /** The settings that make it a node; passwords stand in the environment, where no process list shows them. */
  private get environment(): Record<string, string> {
    const { urls, env = {}, steppable = false, secretFile } = this.options
    return {
      PATH: Bun.env.PATH ?? "/usr/bin:/bin",
      HOME: this.data,
      CARREL_OLLAMA_HOST: "http://127.0.0.1:9",
      CARREL_EMBEDDING_TIER: "fast", // without the large model
      CARREL_RERANK: "off", // the same
      CARREL_DATABASE_URL: urls.database_url,
      CARREL_BLOB_URL: urls.blob_url,
      CARREL_SEARCH_URL: urls.search_url,
      CARREL_NODE_URL: this.url,
      CARREL_NODE_NAME: this.name,
      CARREL_CLUSTER_SECRET_FILE: secretFile,
      NODE_EXTRA_CA_CERTS: urls.ca_file,
      ...(steppable && FAKETIME
        ? {
            LD_PRELOAD: FAKETIME,
            FAKETIME_TIMESTAMP_FILE: join(this.data, "clock"),
            FAKETIME_DONT_FAKE_MONOTONIC: "1",
            FAKETIME_NO_CACHE: "1",
          }
        : {}),
      ...env,
    }
  }

  private spawn(args: readonly string[]): Bun.Subprocess<"ignore", "pipe", "pipe"> {
    const { host, command = COMMAND } = this.options
    return Bun.spawn([...host.under, ...command, ...args, "--data", join(this.data, "scratch")], {
      env: this.environment,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
  }

  /** Starts it and does not wait. */
  launch(): void {
    const { host, port = PORT, flags = [] } = this.options
    const settings = ["--host", host.address, "--port", String(port), "--log-format", "json"]
    const child = this.spawn(["serve", ...settings, ...flags])
    this.child = child
    void pour(child.stderr, this.log)
    void pour(child.stdout, this.log)
  }

  /** Resolves when it is ready. @throws with the end of its log when it ends first */
  async start(): Promise<void> {
    this.launch()
    await this.ready()
  }

  async ready(within?: number): Promise<void> {
    await until(
      async () => {
        if (!this.isRunning) throw new Error(`${this.name} ended with ${this.child?.exitCode}:\n${await this.logEnd()}`)
        return (await this.probe("/readyz")) === 200
      },
      { everyMs: 100, ...(within === undefined ? {} : { within }) },
    )
  }

  /** The status, or 0 where there is no answer. */
  async probe(path: string, timeoutMs = 2_000): Promise<number> {
    try {
      const response = await fetch(`${this.url}${path}`, { signal: AbortSignal.timeout(timeoutMs) })
      await response.arrayBuffer()
      return response.status
    } catch {
      return 0
    }
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null
  }

  get pid(): number {
    return this.child!.pid
  }

  /** The status it ends with; -1 for one that a signal ended. */
  async ended(within = 60_000): Promise<number> {
    await until(() => !this.isRunning, { within })
    return this.child!.exitCode ?? -1
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    if (this.isRunning) process.kill(this.pid, signal)
  }

  async kill(): Promise<void> {
    await this.signal("SIGKILL")
    await this.child?.exited
  }

  /** SIGTERM; the exit status. */
  async stop(): Promise<number> {
    await this.signal("SIGTERM")
    return (await this.child?.exited) ?? 0
  }

  /** Its wall clock goes wrong by so much, at once. Its measure of spans stays right, as a machine's does. */
  stepClock(seconds: number): void {
    writeFileSync(join(this.data, "clock"), `${seconds < 0 ? "" : "+"}${seconds}\n`)
  }

  /** A command of the product, with the settings of this node. */
  async run(...args: string[]): Promise<Ended> {
    const ran = this.spawn(args)
    const [out, err] = await Promise.all([new Response(ran.stdout).text(), new Response(ran.stderr).text()])
    return { code: await ran.exited, out, err }
  }

  async createKey(name = "test", ...flags: string[]): Promise<Credentials & { id: string }> {
    const { code, out, err } = await this.run("keys", "create", "--name", name, "--json", ...flags)
    if (code !== 0) throw new Error(`keys create ended with ${code}: ${err}${out}`)
    const key = JSON.parse(out)
    return { id: key.id, "client-id": key.client_id, "private-key": key.private_key, secret: key.secret }
  }

  async logEnd(): Promise<string> {
    return (
      await Bun.file(this.log)
        .text()
        .catch(() => "")
    ).slice(-4_000)
  }

  async remove(): Promise<void> {
    await this.kill()
    rmSync(this.data, { recursive: true, force: true })
  }
}

async function pour(from: ReadableStream<Uint8Array>, path: string): Promise<void> {
  for await (const bytes of from) appendFileSync(path, bytes)
}
