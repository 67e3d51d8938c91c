/**
 * Real model servers with real weights, for the files in `test/real/`, which `npm run test:real` runs. What all files share
 * is in `REAL`; a server that a test kills, or changes the models of, is one of its own: `ownServer`.
 */
import { afterAll } from "bun:test"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { start, startAgain, stop } from "../../scripts/cluster/index.ts"
import { isAlive } from "../../scripts/cluster/processes.ts"
import { StateFile } from "../../scripts/cluster/state.ts"
import { MODEL_SERVERS } from "../../scripts/real-models/index.ts"
import { LLAMA_CPP_MODELS, LLAMA_CPP_WINDOW } from "../../scripts/real-models/llama-cpp.ts"
import { OLLAMA_MODELS } from "../../scripts/real-models/ollama.ts"
import type { ModelUrls } from "../../scripts/real-models/urls.ts"
import { cpuSecondsOf } from "./processes.ts"
import { until } from "./until.ts"

/** A model may have to load first, on a slow machine. */
export const SLOW_MS = 300_000

/** Names without the provider: `ollama/` or `openai/` before them makes the value that requests name. */
export { LLAMA_CPP_MODELS, LLAMA_CPP_WINDOW, OLLAMA_MODELS }

/** Addresses of the servers that all files share: leave them, and their models, as they are. */
export const REAL: ModelUrls = given()

/** Flags for `startTestApp` with both shared servers. */
export const REAL_FLAGS: Record<string, string> = flagsFor(REAL)

export function flagsFor({ ollama_host = "", openai_base_url = "" }: Partial<ModelUrls>): Record<string, string> {
  return {
    ...(ollama_host ? { "ollama-host": ollama_host } : {}),
    ...(openai_base_url
      ? { "openai-base-url": openai_base_url, "openai-context-tokens": String(LLAMA_CPP_WINDOW) }
      : {}),
  }
}

function given(): ModelUrls {
  const text = Bun.env.CARREL_TEST_REAL_MODELS
  if (!text) throw new Error("these tests need model servers: npm run test:real starts them")
  return JSON.parse(text) as ModelUrls
}

export interface OwnServer {
  /** As the setting takes it: `ollama_host` or `openai_base_url`. */
  readonly url: string
  /** SIGKILL to the server and to what it runs models in. Resolves when all of them are gone. */
  kill(): Promise<void>
  /** At the same address, with the models that it had. Resolves when it answers. */
  startAgain(): Promise<void>
  /** Stops it where it is, with what it runs models in: it answers nothing, and its connections stay. */
  freeze(): void
  thaw(): void
  /** Of the processor, by the server and what it runs models in, since they started. */
  cpuSeconds(): number
}

/** A server of this file alone, with the models of the shared one; ended after the file, at whose top it is to be awaited. */
export async function ownServer(name: keyof typeof MODEL_SERVERS): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), "carrel-own-models-"))
  const file = new StateFile<Partial<ModelUrls>>(join(folder, "up.json"))
  afterAll(async () => {
    await stop(file)
    rmSync(folder, { recursive: true, force: true })
  }, SLOW_MS)
  const urls = await start(file, { nodes: 1, engines: { [name]: MODEL_SERVERS[name] } })
  const url = (urls.ollama_host ?? urls.openai_base_url)!
  const server = () => file.read()!.processes[0]!
  return {
    url,
    async kill() {
      const all = groupOf(server().pid)
      process.kill(-server().pid, "SIGKILL")
      await until(() => !isAlive(server()) && all.every(pid => !groupOf(server().pid).includes(pid)))
    },
    async startAgain() {
      startAgain(file)
      const path = name === "ollama" ? "/api/version" : "/models"
      await until(() =>
        fetch(url + path)
          .then(response => response.ok)
          .catch(() => false),
      )
    },
    freeze: () => void process.kill(-server().pid, "SIGSTOP"),
    thaw: () => void process.kill(-server().pid, "SIGCONT"),
    cpuSeconds: () => groupOf(server().pid).reduce((sum, pid) => sum + cpuSecondsOf(pid), 0),
  }
}

/** The processes of a group that live. */
function groupOf(leader: number): number[] {
  return readdirSync("/proc")
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => {
      try {
        const [state, , group] = readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /, "")
          .split(" ")
        return Number(group) === leader && state !== "Z"
      } catch {
        return false
      }
    })
}
