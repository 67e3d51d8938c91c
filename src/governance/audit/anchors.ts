/**
 * Where each chain ends, kept outside of the table, so that a tail that was cut is missed. An anchor never runs ahead of the
 * rows: after a kill it may lag behind them, by rows that were not answered. On one machine it is a file in the data
 * directory, with two places that are written in turn, so that a write which was cut leaves the other; of several machines
 * a row of its own, written with the rows.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import type { Executor } from "../../storage/database.ts"
import { type ChainEnd, macOf } from "./chain.ts"

export interface Anchor extends ChainEnd {
  /** Id of that row; null before the first. */
  id: string | null
  /** Up to this number retention may have removed rows. */
  forgotten: number
}

export interface Anchors {
  /** Written within the transaction of the rows, else after it. */
  readonly withRows: boolean
  /** Texts as they were written, the last two at most, in no order; none for a chain that has not begun. */
  read(executor: Executor, workspaceId: string): Promise<string[]>
  /** How the records came to their place, until it is told: see `arrived`. */
  arrival(executor: Executor): Promise<Arrival | undefined>
  forgetArrival(executor: Executor): Promise<void>
  remove(executor: Executor, workspaceId: string): Promise<void>
  /** @param seq of the anchor */
  write(executor: Executor, workspaceId: string, text: string, seq: number): Promise<void>
}

/** Records without their anchors were brought there on purpose: the log says so, and goes on from where they end. */
export type Arrival = "backup.restore" | "installation.move"

const ARRIVALS: readonly string[] = ["backup.restore", "installation.move"] satisfies Arrival[]
const arrivalOf = (text: string | undefined) => (ARRIVALS.includes(text ?? "") ? (text as Arrival) : undefined)

/** In the place of an anchor: no workspace has that id. */
const ARRIVAL = "arrival"

/** Notes that the records of a data directory were brought there. */
export function arrivedAt(data: string, how: Arrival): void {
  mkdirSync(join(data, FOLDER), { recursive: true, mode: 0o700 })
  writeFileSync(join(data, FOLDER, ARRIVAL), how, { mode: 0o600 })
}

/** The same, noted in the records themselves. */
export const arrivedIn = (database: Executor, how: Arrival): Promise<void> => rows.write(database, ARRIVAL, how)

export const spelled = (key: Buffer, workspaceId: string, anchor: Anchor): string =>
  JSON.stringify({ ...anchor, mac: macAbout(key, workspaceId, anchor) })

/** Undefined for a text that is not ours. */
export function understood(key: Buffer, workspaceId: string, text: string): Anchor | undefined {
  try {
    const { mac, ...anchor } = JSON.parse(text) as Anchor & { mac: string }
    return mac === macAbout(key, workspaceId, anchor) ? anchor : undefined
  } catch {
    return undefined // cut off, or written over
  }
}

const macAbout = (key: Buffer, workspaceId: string, { seq, hash, id, forgotten }: Anchor) =>
  macOf(key, "anchor", workspaceId, seq, hash, id, forgotten)

/** Of one place in a file; an anchor has some 300. */
const PLACE_BYTES = 512
const FOLDER = "audit"

export class FileAnchors implements Anchors, Disposable {
  readonly withRows = false
  private readonly folder: string
  /** Stays open: a row is answered where no further file can be opened, too. */
  private last: { workspaceId: string; file: number } | undefined

  constructor(data: string) {
    this.folder = join(data, FOLDER)
  }

  async read(_executor: Executor, workspaceId: string): Promise<string[]> {
    const path = join(this.folder, workspaceId)
    if (!existsSync(path)) return []
    return this.textOf(workspaceId, path)
      .split("\n")
      .map(text => text.replaceAll("\0", "").trim())
      .filter(Boolean)
  }

  /** Of the file that is open, unless another has come in its place: no further one may be to be had. */
  private textOf(workspaceId: string, path: string): string {
    const { last } = this
    if (last?.workspaceId !== workspaceId || fstatSync(last.file).ino !== statSync(path).ino)
      return readFileSync(path, "utf8")
    const bytes = Buffer.alloc(2 * PLACE_BYTES)
    return bytes.toString("utf8", 0, readSync(last.file, bytes, 0, bytes.length, 0))
  }

  async arrival(executor: Executor): Promise<Arrival | undefined> {
    const path = join(this.folder, ARRIVAL)
    return (existsSync(path) ? arrivalOf(readFileSync(path, "utf8")) : undefined) ?? rows.arrival(executor)
  }

  async remove(_executor: Executor, workspaceId: string): Promise<void> {
    if (this.last?.workspaceId === workspaceId) this[Symbol.dispose]()
    rmSync(join(this.folder, workspaceId), { force: true })
  }

  async forgetArrival(executor: Executor): Promise<void> {
    rmSync(join(this.folder, ARRIVAL), { force: true })
    await rows.forgetArrival(executor)
  }

  async write(_executor: Executor, workspaceId: string, text: string, seq: number): Promise<void> {
    const file = this.opened(workspaceId)
    writeSync(file, `${text.padEnd(PLACE_BYTES - 1)}\n`, (seq % 2) * PLACE_BYTES)
  }

  private opened(workspaceId: string): number {
    if (this.last?.workspaceId === workspaceId) return this.last.file
    this[Symbol.dispose]()
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const file = openSync(join(this.folder, workspaceId), constants.O_RDWR | constants.O_CREAT, 0o600)
    this.last = { workspaceId, file }
    return file
  }

  [Symbol.dispose](): void {
    if (this.last) closeSync(this.last.file)
    this.last = undefined
  }
}

export class RowAnchors implements Anchors {
  readonly withRows = true

  async arrival(executor: Executor): Promise<Arrival | undefined> {
    return arrivalOf((await this.read(executor, ARRIVAL))[0])
  }

  forgetArrival(executor: Executor): Promise<void> {
    return this.remove(executor, ARRIVAL)
  }

  async remove(executor: Executor, workspaceId: string): Promise<void> {
    await executor.deleteFrom("audit_anchors").where("workspace_id", "=", workspaceId).execute()
  }

  async read(executor: Executor, workspaceId: string): Promise<string[]> {
    const rows = await executor
      .selectFrom("audit_anchors")
      .select("anchor")
      .where("workspace_id", "=", workspaceId)
      .execute()
    return rows.map(({ anchor }) => anchor)
  }

  async write(executor: Executor, workspaceId: string, anchor: string): Promise<void> {
    await executor
      .insertInto("audit_anchors")
      .values({ workspace_id: workspaceId, anchor })
      .onConflict(conflict => conflict.column("workspace_id").doUpdateSet({ anchor }))
      .execute()
  }
}

const rows = new RowAnchors()
