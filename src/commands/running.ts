/** Where the daemon of a data directory can be reached: written by it, read by commands beside it. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isHeld } from "../storage/sqlite/lock.ts"

export interface Running {
  /** Address for browsers, as the setup link has it. */
  url: string
  pid: number
  version: string
  started_at: string
  /** One of several machines: the directory is scratch, and holds no records. */
  is_node?: boolean
}

const FILE = "daemon.json"

/** Call while holding the directory's lock, as for `forgetRunning`. */
export function noteRunning(dataDirectory: string, running: Running): void {
  const path = join(dataDirectory, FILE)
  writeFileSync(`${path}.new`, `${JSON.stringify(running, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** A command that keeps the daemon from being started calls it as well: a killed one may have left its note. */
export function forgetRunning(dataDirectory: string): void {
  try {
    rmSync(join(dataDirectory, FILE), { force: true })
  } catch {
    // A disk that cannot be written keeps it; without its lock nobody believes it.
  }
}

/** Undefined where no daemon runs: a killed one leaves its note, but not its lock. */
export function findRunning(dataDirectory: string): Running | undefined {
  if (!isHeld(dataDirectory)) return undefined
  try {
    const running = JSON.parse(readFileSync(join(dataDirectory, FILE), "utf8")) as Partial<Running>
    return typeof running.url === "string" ? (running as Running) : undefined
  } catch {
    return undefined
  }
}
