/** What runs, in one file that only its owner reads, because it holds the passwords: `down` and `status` know of nothing else. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { ClusterUrls } from "./engine.ts"
import type { EngineProcess, ProcessId } from "./processes.ts"

/** @typeParam Urls as engines tell them */
export interface State<Urls = ClusterUrls> {
  /** The `up` that starts or has started it. */
  starter: ProcessId
  /** Holds everything that the engines write. */
  folder: string
  /** Of OpenSearch. */
  nodes: number
  processes: EngineProcess[]
  /** There once all engines have answered. */
  urls?: Urls
}

export class StateFile<Urls = ClusterUrls> {
  constructor(readonly path: string) {}

  read(): State<Urls> | undefined {
    return existsSync(this.path) ? (JSON.parse(readFileSync(this.path, "utf8")) as State<Urls>) : undefined
  }

  /** @throws when there is one already: of two `up` at a time, one starts the engines */
  create(state: State<Urls>): void {
    mkdirSync(dirname(this.path), { recursive: true })
    writeFileSync(this.path, JSON.stringify(state), { flag: "wx", mode: 0o600 })
  }

  /** In one step: who reads beside it finds the old or the new one whole. */
  replace(state: State<Urls>): void {
    const written = `${this.path}.new`
    writeFileSync(written, JSON.stringify(state), { mode: 0o600 })
    renameSync(written, this.path)
  }

  remove(): void {
    rmSync(this.path, { force: true })
  }
}
