/**
 * Brings files of a place to the daemon: small ones many to a form, because a key has so many requests a minute; large ones
 * alone and streamed. A few forms are under way at the same time.
 */
import { OperatorError } from "../../errors.ts"
import { type Connector, type Entry, Outage } from "../../sources/connector.ts"
import { type Body, type Daemon, Refusal } from "./daemon.ts"
import { formOf, Gone, type ReadPiece, streamedForm } from "./form.ts"
import { openPiece, readPiece } from "./pieces.ts"
import { rest } from "./rest.ts"

const FORMS = 4
/** What is sent once more where a connection is lost; and four of them are in memory. */
const FORM_BYTES = 8 * 2 ** 20
/** Two text parts each; a form has at most 1 000. */
const FORM_FILES = 200
/** Of files whose place does not tell their size. */
const GUESSED_BYTES = 64 * 1024
/** Rejections that are about the moment, and how often a file is brought again after one. */
const PASSING = new Set(["insufficient_storage", "store_unavailable", "overloaded", "internal_error"])
const TRIES = 3
const AGAIN_MS = 5_000

export interface Reason {
  code: string
  message: string
}

export interface Failed {
  key: string
  error: Reason
}

/** What became of the files. */
export interface Taken {
  /** With those whose bytes the daemon had already. */
  accepted: number
  failed: Failed[]
  /** Gone since the listing. */
  gone: string[]
}

interface Answer {
  files: { source: { key: string } | null }[]
  rejected: Rejected[]
}

interface Rejected {
  source_key?: string | null
  error: Reason
}

export interface UploadPlan {
  daemon: Daemon
  sourceId: string
  connector: Connector
  /** Called whenever some have been dealt with. */
  onProgress(files: number, bytes: number): void
}

export async function uploadAll(plan: UploadPlan, entries: readonly Entry[]): Promise<Taken> {
  const uploads = new UploadLine(plan, entries)
  await Promise.all(Array.from({ length: FORMS }, () => uploads.work()))
  return uploads.taken
}

class UploadLine {
  readonly taken: Taken = { accepted: 0, failed: [], gone: [] }
  private readonly small: Entry[] = []
  private readonly large: Entry[] = []
  private readonly tries = new Map<string, number>()
  private doneFiles = 0
  private doneBytes = 0

  constructor(
    private readonly plan: UploadPlan,
    entries: readonly Entry[],
  ) {
    for (const entry of entries.toReversed()) (sizeOf(entry) > FORM_BYTES ? this.large : this.small).push(entry)
  }

  /** Sends form after form until nothing is left. */
  async work(): Promise<void> {
    for (;;) {
      const group = this.nextGroup()
      const entry = group.length === 0 ? this.large.pop() : undefined
      const again = entry ? await this.sendLarge(entry) : await this.sendSmall(group)
      if (!entry && group.length === 0) return
      if (again.length === 0) continue
      await rest(AGAIN_MS, this.plan.daemon.signal)
      for (const each of again) (sizeOf(each) > FORM_BYTES ? this.large : this.small).push(each)
    }
  }

  private nextGroup(): Entry[] {
    const group: Entry[] = []
    for (let bytes = 0; group.length < FORM_FILES && bytes < FORM_BYTES; ) {
      const entry = this.small.pop()
      if (!entry) break
      group.push(entry)
      bytes += sizeOf(entry)
    }
    return group
  }

  /** @returns those to be brought again, as of `sendLarge` */
  private async sendSmall(group: readonly Entry[]): Promise<Entry[]> {
    const { sourceId } = this.plan
    const read = await this.readAll(group)
    if (read.length === 0) return []
    const entries = read.map(({ entry }) => entry)
    const pieces = read.map(({ piece }) => piece)
    const again = await this.send(entries, formOf(sourceId, pieces))
    if (again) return again
    const each: Entry[] = []
    for (const { entry, piece } of read) each.push(...((await this.send([entry], formOf(sourceId, [piece]))) ?? []))
    return each
  }

  /** Those that are not among the results are dealt with, or have turned out to be larger and go alone. */
  private async readAll(group: readonly Entry[]): Promise<{ entry: Entry; piece: ReadPiece }[]> {
    const read: { entry: Entry; piece: ReadPiece }[] = []
    const left = group.toReversed()
    let room = FORM_BYTES
    const readNext = async () => {
      for (let entry = left.pop(); entry; entry = left.pop()) {
        const piece = await this.readSmall(entry, Math.max(room, sizeOf(entry)))
        if (!piece) continue
        room -= piece.bytes.length
        read.push({ entry, piece })
      }
    }
    const together = Math.ceil((this.plan.connector.parallel ?? FORMS) / FORMS)
    await Promise.all(Array.from({ length: together }, readNext))
    return read
  }

  private async readSmall(entry: Entry, room: number): Promise<ReadPiece | undefined> {
    const { connector, daemon } = this.plan
    try {
      const piece = await readPiece(connector, entry, room, daemon.signal)
      if (!piece) this.lost(entry)
      else if (piece.bytes) return { ...piece, bytes: piece.bytes }
      else this.large.push(entry)
    } catch (error) {
      this.unread(entry, error)
    }
    return undefined
  }

  /** @throws as `Daemon.request`; OperatorError where the place cannot be read any more */
  private async sendLarge(entry: Entry): Promise<Entry[]> {
    const { connector, daemon, sourceId } = this.plan
    try {
      const form = streamedForm(sourceId, () => openPiece(connector, entry, daemon.signal))
      return (await this.send([entry], form)) ?? []
    } catch (error) {
      if (error instanceof OperatorError) throw error
      if (error instanceof Gone) this.lost(entry)
      else this.unread(entry, error)
      return []
    }
  }

  /** @returns those to be brought again; undefined where they are to be sent one by one */
  private async send(sent: readonly Entry[], form: Body): Promise<Entry[] | undefined> {
    const answer = await answerTo(this.plan.daemon, form, sent)
    if (!answer) return undefined
    const { files, rejected } = answer
    this.taken.accepted += files.length
    const byKey = new Map(sent.map(entry => [entry.key, entry]))
    const again: Entry[] = []
    for (const { source_key, error } of rejected) {
      const entry = byKey.get(source_key ?? "")
      if (!entry) continue
      const tries = (this.tries.get(entry.key) ?? 0) + 1
      this.tries.set(entry.key, tries)
      if (PASSING.has(error.code) && tries < TRIES) again.push(entry)
      else this.taken.failed.push({ key: entry.key, error })
    }
    this.progress(sent.filter(entry => !again.includes(entry)))
    return again
  }

  private lost(entry: Entry): void {
    this.taken.gone.push(entry.key)
    this.progress([entry])
  }

  /** @throws the reason of the signal; OperatorError where the trouble is not this file's alone */
  private unread(entry: Entry, error: unknown): void {
    this.plan.daemon.signal.throwIfAborted()
    if (error instanceof Outage)
      throw new OperatorError(`the place cannot be read: ${error.message}`, {
        hint: "run the command again when it can: it goes on from there",
        cause: error,
      })
    const message = `cannot be read: ${error instanceof Error ? error.message : String(error)}`
    this.taken.failed.push({ key: entry.key, error: { code: "unreadable", message } })
    this.progress([entry])
  }

  private progress(entries: readonly Entry[]): void {
    this.doneFiles += entries.length
    for (const { size = 0 } of entries) this.doneBytes += size
    this.plan.onProgress(this.doneFiles, this.doneBytes)
  }
}

/** About files of a form, whatever else it holds. */
const OF_FILES = new Set([400, 413, 415])

/** Undefined where a form of several was refused and it is not said for which. @throws as `Daemon.request` where more than its files is refused */
async function answerTo(daemon: Daemon, form: Body, sent: readonly Entry[]): Promise<Answer | undefined> {
  try {
    return await daemon.request<Answer>("POST", "/upload", form)
  } catch (error) {
    if (!(error instanceof Refusal) || !OF_FILES.has(error.status)) throw error
    const { code, message, details } = error
    if (sent.length === 1) return { files: [], rejected: [{ source_key: sent[0]!.key, error: { code, message } }] }
    // A form of which no file is taken is refused whole, and says of each file why.
    const rejected = details.map(each => ({
      source_key: String(each.source_key),
      error: { code: String(each.code), message: String(each.message) },
    }))
    const keys = new Set(rejected.map(({ source_key }) => source_key))
    return sent.every(({ key }) => keys.has(key)) ? { files: [], rejected } : undefined
  }
}

const sizeOf = ({ size }: Entry): number => size ?? GUESSED_BYTES
