/**
 * Backups that the daemon keeps in one folder of the operator's: written on request or when the last one is old enough, the
 * oldest removed beyond a number. One at a time. Files of other names in the folder are left alone.
 */
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "../errors.ts"
import { log } from "../log.ts"
import { pause } from "../threads/or-abort.ts"

export interface BackupRecord {
  name: string
  created_at: string
  bytes: number
}

export interface BackupState {
  /** Null where the operator named none: there are no backups by the daemon then. */
  folder: string | null
  /** Null: on request alone. */
  every_hours: number | null
  keep: number
  /** When the next one is due by itself; null where none is. */
  next_at: string | null
  running: { started_at: string; written_bytes: number; estimated_bytes: number | null } | null
  /** Of the last one, where it failed. */
  failure: { at: string; message: string } | null
  data: BackupRecord[]
}

interface BackupOptions {
  /** Absolute; empty for none. */
  folder: string
  /** 0: on request alone. */
  everyHours: number
  keep: number
  /** Writes one; the file appears when it is whole, and grows before under its name with `.partial` behind it. */
  write(file: string, signal: AbortSignal): Promise<void>
  /** How large one will be, about; null where nobody knows. */
  estimate(): Promise<number | null>
}

interface Running {
  startedAt: Date
  file: string
  estimated: number | null
  done: Promise<void>
}

const NAME = /^carrel-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)Z\.tar$/
const PARTIAL = ".partial"
const HOUR_MS = 3_600_000
/** Between looks at whether one is due. */
const LOOK_MS = 60_000
/** One that failed is tried again after that, not at the next look. */
const PATIENCE_MS = HOUR_MS

export class Backups {
  private readonly stopping = new AbortController()
  private running: Running | undefined
  private failure: BackupState["failure"] = null

  constructor(private readonly options: BackupOptions) {}

  async state(): Promise<BackupState> {
    const { folder, everyHours, keep } = this.options
    const data = await this.list()
    const { running, failure } = this
    return {
      folder: folder || null,
      every_hours: everyHours || null,
      keep,
      next_at: everyHours ? new Date(Math.max(this.dueAt(data), Date.now())).toISOString() : null,
      running: running
        ? {
            started_at: running.startedAt.toISOString(),
            written_bytes: await sizeOf(running.file + PARTIAL),
            estimated_bytes: running.estimated,
          }
        : null,
      failure,
      data,
    }
  }

  /** Begins one, and answers without waiting for its end. @throws AppError conflict where one is being written, or no folder is named */
  async start(): Promise<BackupState> {
    if (!this.options.folder)
      throw new AppError("conflict", {
        message: "no folder for backups is set",
        hint: "start the daemon with --backup-dir DIR",
      })
    if (this.running) throw new AppError("conflict", { message: "a backup is being written already" })
    await this.begin()
    return this.state()
  }

  /** Writes those that are due, as long as this node leads. */
  async keepWriting(signal: AbortSignal): Promise<void> {
    if (!this.options.folder || !this.options.everyHours) return
    while (!signal.aborted) {
      if (!this.running && Date.now() >= this.dueAt(await this.list())) await (await this.begin()).done
      await pause(LOOK_MS, signal).catch(() => {})
    }
  }

  private async begin(): Promise<Running> {
    const startedAt = new Date()
    const file = join(this.options.folder, nameAt(startedAt))
    const done = this.write(file).finally(() => {
      this.running = undefined
    })
    const running: Running = { startedAt, file, estimated: null, done }
    this.running = running
    running.estimated = await this.options.estimate()
    return running
  }

  async close(): Promise<void> {
    this.stopping.abort()
    await this.running?.done
  }

  private async write(file: string): Promise<void> {
    try {
      await this.removeLeftovers()
      await this.options.write(file, this.stopping.signal)
      this.failure = null
      log.info("a backup is written", { file, bytes: await sizeOf(file) })
      for (const { name } of (await this.list()).slice(this.options.keep)) await rm(join(this.options.folder, name))
    } catch (error) {
      if (this.stopping.signal.aborted) return
      this.failure = { at: new Date().toISOString(), message: (error as Error).message }
      log.warn("a backup failed", { error })
    }
  }

  /** Of backups that a kill ended. */
  private async removeLeftovers(): Promise<void> {
    for (const name of await readdir(this.options.folder))
      if (name.endsWith(PARTIAL) && NAME.test(name.slice(0, -PARTIAL.length)))
        await rm(join(this.options.folder, name), { force: true })
  }

  /** Newest first. A folder that cannot be read has none. */
  private async list(): Promise<BackupRecord[]> {
    const { folder } = this.options
    if (!folder) return []
    const names = (await readdir(folder).catch((): string[] => [])).filter(name => NAME.test(name))
    const found = names.map(async name => ({ name, created_at: timeIn(name), bytes: await sizeOf(join(folder, name)) }))
    return (await Promise.all(found)).sort((a, b) => (a.name < b.name ? 1 : -1))
  }

  private dueAt([newest]: BackupRecord[]): number {
    const due = newest ? Date.parse(newest.created_at) + this.options.everyHours * HOUR_MS : 0
    return this.failure ? Math.max(due, Date.parse(this.failure.at) + PATIENCE_MS) : due
  }
}

const nameAt = (time: Date): string =>
  `carrel-${time.toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-")}Z.tar`

const timeIn = (name: string): string => {
  const [, year, month, day, hour, minute, second] = NAME.exec(name)!
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  )
