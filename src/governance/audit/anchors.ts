/**
 * Where each chain ends, kept outside of the table, so that a tail that was cut is missed. An anchor never runs ahead of the
 * rows: after a kill it may lag behind them, by rows that were not answered. On one machine it is a file in the data
 * directory, with two places that are written in turn, so that a write which was cut leaves the other; of several machines
 * a row of its own, written with the rows.
 */
import { closeSync, constants, existsSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs"
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
  /** @param seq of the anchor */
  write(executor: Executor, workspaceId: string, text: string, seq: number): Promise<void>
}

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

export class FileAnchors implements Anchors {
  readonly withRows = false
  private readonly folder: string

  constructor(data: string) {
    this.folder = join(data, "audit")
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
  }

  async read(_executor: Executor, workspaceId: string): Promise<string[]> {
    const path = join(this.folder, workspaceId)
    if (!existsSync(path)) return []
    return readFileSync(path, "utf8")
      .split("\n")
      .map(text => text.replaceAll("\0", "").trim())
      .filter(Boolean)
  }

  async write(_executor: Executor, workspaceId: string, text: string, seq: number): Promise<void> {
    const file = openSync(join(this.folder, workspaceId), constants.O_RDWR | constants.O_CREAT, 0o600)
    try {
      writeSync(file, `${text.padEnd(PLACE_BYTES - 1)}\n`, (seq % 2) * PLACE_BYTES)
    } finally {
      closeSync(file)
    }
  }
}

export class RowAnchors implements Anchors {
  readonly withRows = true

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
