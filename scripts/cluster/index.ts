/** The engines of a cluster as one: installed, started and ended together. */
import { chownSync, lchownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { orAbort } from "../../src/threads/or-abort.ts"
import { type ClusterUrls, type Engine, LOOPBACK, type Package, type Site, type Unpackaged } from "./engine.ts"
import { opensearch } from "./opensearch.ts"
import { cacheFolder, homeOf, install, isInstalled } from "./packages.ts"
import { postgres } from "./postgres.ts"
import { end, endOf, gone, identify, isAlive, launch } from "./processes.ts"
import type { State, StateFile } from "./state.ts"
import { STORAGES, usualStorage } from "./storages.ts"
import { asUser, closedFolder, owner, runTool } from "./tools.ts"

export const ENGINES = {
  postgres: postgres(),
  storage: STORAGES[usualStorage()],
  opensearch: opensearch(),
} satisfies Record<string, Engine>

/** A machine that has nothing else to do takes a third of it. */
const START_MS = 180_000
const POLL_MS = 300

export const missingPackages = (wanted: readonly (Package | Unpackaged)[] = Object.values(ENGINES)): Package[] =>
  wanted.filter(each => each.package !== null).filter(({ package: name }) => !isInstalled(name))

/** What the machine lacks to run the engines, in words for a person. */
export function lacks(engines: readonly Pick<Engine, "lacks">[] = Object.values(ENGINES)): string[] {
  const found = engines.map(engine => engine.lacks())
  const platform = `${process.platform}-${process.arch}`
  if (platform !== "linux-x64") found.push(`there are packages of the engines for linux-x64 only, not for ${platform}`)
  const closed = closedFolder(cacheFolder())
  if (closed)
    found.push(`${closed} is closed to others than root, and the engines do not run as root: set XDG_CACHE_HOME`)
  return found.filter(each => each !== undefined)
}

export async function installMissing(
  tell: (line: string) => void,
  packages?: readonly (Package | Unpackaged)[],
): Promise<void> {
  for (const { package: name, unpack } of missingPackages(packages)) {
    tell(`fetching ${name} …`)
    await install(name, unpack)
  }
}

interface Wanted<Urls> {
  /** Of OpenSearch. */
  nodes: number
  engines?: Readonly<Record<string, Engine<Urls>>>
  /** Where each engine listens and runs, by its name; on the loopback where it is not named. */
  hosts?: Readonly<Record<string, Host>>
  /** Gives up, as if an engine had failed with its reason. */
  signal?: AbortSignal
}

/** A machine of its own, or what stands in for one. */
export interface Host {
  address: string
  /** What a command is put behind to run there. */
  under: readonly string[]
  /** Is called with the engine's empty folder before anything is in it. */
  prepare?(folder: string): Promise<void>
}

const HERE: Host = { address: LOOPBACK, under: [] }

/**
 * Starts what is in the cache, empty, and notes each process before the next step, so that `stop` finds it whatever happens.
 * @throws Error of the first engine that fails; the others are ended then, and nothing is left
 */
export async function start<Urls = ClusterUrls>(
  file: StateFile<Urls>,
  { nodes, engines = ENGINES as unknown as Record<string, Engine<Urls>>, hosts = {}, signal }: Wanted<Urls>,
): Promise<Urls> {
  const state: State<Urls> = { starter: identify(process.pid)!, folder: emptyFolder(), nodes, processes: [] }
  try {
    file.create(state)
  } catch (error) {
    rmSync(state.folder, { recursive: true })
    throw error
  }
  const failed = new AbortController()
  signal?.addEventListener("abort", () => failed.abort(signal.reason))
  const starting = Object.entries(engines).map(async ([name, engine]) => {
    const folder = join(state.folder, name)
    const host = hosts[name] ?? HERE
    try {
      mkdirSync(folder)
      await host.prepare?.(folder)
      return await engine.start(siteOf(engine, folder, nodes, { file, state, host, failed: failed.signal }))
    } catch (error) {
      failed.abort(error)
      throw error
    }
  })
  const settled = await Promise.allSettled(starting)
  if (failed.signal.aborted) {
    await stop(file)
    throw failed.signal.reason
  }
  const urls = Object.assign({}, ...settled.map(each => (each.status === "fulfilled" ? each.value : {}))) as Urls
  file.replace(Object.assign(state, { urls }))
  return urls
}

/** Starts again, on the data that it left, each process of the state file that has ended. */
export function startAgain<Urls>(file: StateFile<Urls>): void {
  const state = file.read()!
  state.processes = state.processes.map(each => (isAlive(each) ? each : launch(each.launch)[0]))
  file.replace(state)
}

/** The engines' user may read it, and root, but nobody else. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "carrel-cluster-"))
  const { uid, gid } = owner()
  chownSync(folder, uid, gid)
  return folder
}

/** Ends what the state file names, and removes it and all data. Does nothing where nothing runs. */
export async function stop<Urls>(file: StateFile<Urls>): Promise<void> {
  const state = file.read()
  if (!state) return
  if (state.starter.pid !== process.pid && !state.urls && isAlive(state.starter)) {
    // It ends what it has started by itself.
    process.kill(state.starter.pid, "SIGTERM")
    if (await gone(state.starter, START_MS)) return stop(file)
  }
  await end(state.processes)
  rmSync(state.folder, { recursive: true, force: true })
  file.remove()
}

interface Start<Urls> {
  file: StateFile<Urls>
  state: State<Urls>
  host: Host
  /** Says that another engine has failed. */
  failed: AbortSignal
}

function siteOf<Urls>(
  engine: Package | Unpackaged,
  folder: string,
  nodes: number,
  { file, state, host, failed }: Start<Urls>,
): Site {
  const ended = new AbortController()
  const deadline = AbortSignal.timeout(START_MS)
  const over = AbortSignal.any([failed, ended.signal, deadline])
  return {
    home: engine.package === null ? "" : homeOf(engine.package),
    folder,
    nodes,
    host: host.address,
    own: () => ownAll(folder),
    run: (command, input) => runTool([...host.under, ...asUser(command)], { cwd: folder, input, signal: over }),
    launch(wanted) {
      over.throwIfAborted()
      const [started, child] = launch({ ...wanted, under: host.under, cwd: folder })
      state.processes.push(started)
      file.replace(state)
      const { name, log } = started
      child.once("exit", code => ended.abort(new Error(`${name} ended with code ${code}:\n${endOf(log)}`)))
    },
    async until(what, check) {
      for (let last: unknown; ; await Bun.sleep(POLL_MS)) {
        try {
          await orAbort(check(), over)
          return
        } catch (error) {
          if (over.aborted && over.reason !== deadline.reason) throw over.reason
          const seconds = START_MS / 1000
          if (over.aborted)
            throw new Error(`${what} did not answer in ${seconds} s (${last}):\n${logEnds(state, folder)}`)
          last = error
        }
      }
    },
  }
}

const logEnds = ({ processes }: Pick<State, "processes">, folder: string): string =>
  processes
    .filter(({ log }) => log.startsWith(folder))
    .map(({ log }) => endOf(log))
    .join("\n")

function ownAll(folder: string): void {
  const { uid, gid } = owner()
  lchownSync(folder, uid, gid)
  for (const name of readdirSync(folder, { recursive: true }) as string[]) lchownSync(join(folder, name), uid, gid)
}
