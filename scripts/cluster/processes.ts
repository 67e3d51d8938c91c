/** Processes as the state file names them: by id and start time, because the system gives an id again after a while. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, statSync } from "node:fs"
import { asUser } from "./tools.ts"

export interface ProcessId {
  pid: number
  /** Clock ticks from the system's start to the process's. */
  startedAt: string
}

/** What runs of an engine. */
export interface EngineProcess extends ProcessId {
  name: string
  log: string
  /** Ends it. Data go with it, so only what leaves something behind when it is killed is asked to end. */
  signal: "SIGINT" | "SIGKILL"
  /** Files that it makes outside of its folder. */
  strays: string[]
  /** What it was started by. */
  launch: Launch
}

export interface Launch {
  name: string
  command: string[]
  /** What the command is put behind, as this user. */
  under?: readonly string[]
  /** Runs as who starts it, not as the engines' user: for programs that may lie in a folder of that user's own. */
  asSelf?: boolean
  /** Where its output goes. */
  log: string
  cwd: string
  env?: Record<string, string>
  signal?: EngineProcess["signal"]
  strays?: string[]
}

/** Enough to end in on a busy machine; what takes longer is killed. */
const END_MS = 15_000
const LOG_BYTES = 3_000

/** Starts it apart from the terminal and from this process, as the engines' user. */
export function launch(wanted: Launch): [EngineProcess, ChildProcess] {
  const { name, command, under = [], asSelf, log, cwd, env = {}, signal = "SIGKILL", strays = [] } = wanted
  const output = openSync(log, "a", 0o600)
  const [program, ...args] = [...under, ...(asSelf ? command : asUser(command))]
  // No more of this environment than a program needs: it may hold keys that are none of an engine's business.
  const { PATH = "", LANG = "C.UTF-8" } = process.env
  const child = spawn(program!, args, {
    cwd,
    env: { PATH, LANG, ...env },
    stdio: ["ignore", output, output],
    detached: true,
  })
  closeSync(output)
  const id = child.pid === undefined ? undefined : identify(child.pid)
  if (!id) throw new Error(`${name} could not be started: ${program} ended at once\n${endOf(log)}`)
  return [{ ...id, name, log, signal, strays, launch: wanted }, child]
}

/** A process that has ended, and waits to be taken note of, counts as gone. */
export function identify(pid: number): ProcessId | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // After the name, which may hold spaces and brackets: the state is field 3, the start time field 22 (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields[0] === "Z" ? undefined : { pid, startedAt: fields[19]! }
  } catch {
    return undefined
  }
}

export const isAlive = ({ pid, startedAt }: ProcessId): boolean => identify(pid)?.startedAt === startedAt

/** Ends them all. Resolves when none is left. */
export async function end(processes: readonly EngineProcess[]): Promise<void> {
  await Promise.all(
    processes.map(async each => {
      if (isAlive(each)) process.kill(each.pid, each.signal)
      if (!(await gone(each, END_MS))) process.kill(each.pid, "SIGKILL")
      if (!(await gone(each, END_MS))) throw new Error(`${each.name} (process ${each.pid}) cannot be ended`)
      for (const path of each.strays) rmSync(path, { force: true })
    }),
  )
}

export async function gone(id: ProcessId, withinMs: number): Promise<boolean> {
  for (const until = Date.now() + withinMs; isAlive(id); await Bun.sleep(50)) if (Date.now() > until) return false
  return true
}

/** The last lines of a log. */
export function endOf(log: string): string {
  if (!existsSync(log)) return ""
  const { size } = statSync(log)
  const bytes = Buffer.alloc(Math.min(size, LOG_BYTES))
  const file = openSync(log, "r")
  readSync(file, bytes, 0, bytes.length, size - bytes.length)
  closeSync(file)
  return bytes.toString("utf8").trim()
}
