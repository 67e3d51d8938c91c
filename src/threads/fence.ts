/**
 * The fence around every child process of Carrel, for the day a parser is taken over by what it reads. It is put up in
 * two steps, because part of it holds for one thread only, and the runtime has several before the first line of ours runs:
 *
 * 1. `enterFence` runs in the process that the daemon starts: end with the daemon, a session of its own, limits, no
 *    capability, Landlock; then it executes Carrel anew, with an empty environment and without descriptors but the
 *    given ones. `execve` leaves one thread, so everything that comes after is inside.
 * 2. `closeFence` runs in the new program before it takes its first request: the list of allowed system calls, for all
 *    threads. It could not be earlier, because `execve` is not on the list.
 *
 * Each part that the kernel lacks is left out and told in the report, which `carrel doctor` shows.
 */

import { ptr } from "bun:ffi"
import { readFileSync, realpathSync, writeFileSync } from "node:fs"
import { runtimeFiles } from "../native/self.ts"
import { landlockVersion, openOnly, type Rights } from "./landlock.ts"
import { cString, libc, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, systemCall } from "./linux.ts"
import { allowListedCallsOnly } from "./seccomp.ts"
import { MACHINES } from "./system-calls.ts"

/** What the daemon tells the first step, as JSON in an argument. */
export interface FencePlan {
  /** Argument vector of the second step; the report of the first is added. */
  command: string[]
  /** Process id of the daemon. */
  parent: number
  /** Files and folders that may be read beside the program itself. */
  readable: string[]
  /** Largest file that may be written through a given descriptor, bytes. */
  fileBytes: number
  /** Writable memory that may be had beyond what the runtime reserves at its start, bytes. */
  memoryBytes: number
  environment: Record<string, string>
}

/** Which parts hold; sent by a child with its first message. */
export interface FenceReport {
  /** The kernel's version of Landlock; 0 where the files are not fenced. */
  landlock: number
  seccomp: boolean
  /** Null where the first step did not run: the child was started by hand. */
  limits: boolean | null
}

type FirstReport = Omit<FenceReport, "seccomp">

const SIGKILL = 9
const LAST_CAPABILITY = 63
/** Root's right to pass by the modes of files: a daemon that runs as root reads what another user owns. Landlock stands behind it. */
const KEPT_CAPABILITIES = new Set([1, 2])
const RLIMIT = { fsize: 1, data: 2, core: 4, nofile: 7 }
const CLOSE_ON_EXEC = 4
const PRIO_PROCESS = 0
/** Whoever waits for an answer of the daemon goes before work in the background. */
const NICENESS = 5
/** Requests, replies, nothing, files of a request. */
const FIRST_CLOSED_DESCRIPTOR = 4
/** The runtime has about ten of its own. */
const MAX_DESCRIPTORS = 64

/** Never returns but by an error: this process becomes the one of the plan. */
export function enterFence(plan: FencePlan): never {
  const { prctl, setsid, setpriority, execve } = libc()
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
  if (process.ppid !== plan.parent) process.exit(1) // it ended before the line above
  setsid()
  setpriority(PRIO_PROCESS, 0, NICENESS)
  preferToBeKilled()
  const limits = setLimits(plan)
  const closeRange = MACHINES[process.arch]?.closeRange
  if (closeRange) systemCall(closeRange, FIRST_CLOSED_DESCRIPTOR, 0x7fffffff, CLOSE_ON_EXEC)
  for (let capability = 0; capability <= LAST_CAPABILITY; capability++)
    if (!KEPT_CAPABILITIES.has(capability)) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) // refused to all but root, who needs it
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
  const version = landlockVersion()
  const fenced = openOnly(rightsOf(plan), version)
  const report: FirstReport = { landlock: fenced ? version : 0, limits }
  const path = cString(plan.command[0]!)
  const variables = Object.entries(plan.environment).map(([name, value]) => `${name}=${value}`)
  execve(ptr(path), vector([...plan.command, JSON.stringify(report)]), vector(variables))
  throw new Error("the fenced process could not be started")
}

/** Before the first request. @param told the argument that the first step added */
export function closeFence(told: string | undefined): FenceReport {
  const first: FirstReport = told ? JSON.parse(told) : { landlock: 0, limits: null }
  return { ...first, seccomp: process.platform === "linux" && allowListedCallsOnly() }
}

/** Without memory the system ends the child rather than the daemon. */
function preferToBeKilled(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000")
  } catch {
    // without /proc the system chooses for itself
  }
}

function setLimits({ fileBytes, memoryBytes }: FencePlan): boolean {
  const set = (limit: number, value: number) =>
    libc().setrlimit(limit, new BigUint64Array([BigInt(value), BigInt(value)])) === 0
  return [
    set(RLIMIT.core, 0),
    set(RLIMIT.nofile, MAX_DESCRIPTORS),
    set(RLIMIT.fsize, fileBytes),
    set(RLIMIT.data, memoryOfRuntime() + memoryBytes),
  ].every(Boolean)
}

/** Address space for data that the runtime reserved at its start; next to nothing of it is memory. */
function memoryOfRuntime(): number {
  const status = readFileSync("/proc/self/status", "latin1")
  return Number(/^VmData:\s+(\d+)/m.exec(status)?.[1] ?? 8e6) * 1024
}

function rightsOf({ readable }: FencePlan): Rights {
  const runtime = runtimeFiles()
  return {
    // The loader's list of libraries, the time zone, and what the runtime asks about itself and the machine.
    readable: [
      ...readable,
      ...runtime.readable,
      "/etc/ld.so.cache",
      "/etc/localtime",
      "/usr/share/zoneinfo",
      "/dev/urandom",
      `/proc/${process.pid}`,
      "/sys/devices/system/cpu",
    ],
    listed: runtime.listed,
    executable: mappedFiles(),
    writableFiles: ["/dev/null"],
  }
}

/** The program and the libraries that it was linked with. */
function mappedFiles(): string[] {
  const lines = readFileSync("/proc/self/maps", "utf8").split("\n")
  const paths = new Set(lines.map(line => line.slice(line.indexOf("/"))).filter(path => path.startsWith("/")))
  return [...paths, realpathSync(process.execPath)]
}

/** A list of strings as C has it: addresses, then zero. What it points to is kept until `execve`. */
function vector(texts: string[]): BigUint64Array {
  kept.push(...texts.map(cString))
  const own = kept.slice(-texts.length || kept.length)
  return new BigUint64Array([...own.map(bytes => BigInt(ptr(bytes))), 0n])
}
const kept: Buffer[] = []
