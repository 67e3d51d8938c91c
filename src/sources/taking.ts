/**
 * Fetches what waits of a source and hands it to the library, some files at a time. What becomes of an entry is written with
 * its file in one transaction: a kill leaves it waiting, or done. An entry whose reading fails for no reason that is its own
 * is held against it only once another could be read; where one after the other fails the place is in trouble, and they wait.
 */
import type { Selectable } from "kysely"
import { isNarrow } from "../access/view.ts"
import { AppError, toErrorBody } from "../errors.ts"
import { heldAmong } from "../governance/holds/refuse.ts"
import { isQuickJob } from "../ingest/task.ts"
import type { LeasedJob } from "../jobs/worker.ts"
import type { FileRecord } from "../library/record.ts"
import type { NamedFile } from "../library/register.ts"
import type { Uploads } from "../library/uploads.ts"
import { log } from "../log.ts"
import type { Database, Trx } from "../storage/database.ts"
import type { SourceEntriesTable } from "../storage/sources.ts"
import { type Connector, type Entry, Outage } from "./connector.ts"
import { KEPT } from "./held-files.ts"
import type { Intake } from "./intake.ts"
import { statusOf } from "./judging.ts"
import { heldSource } from "./lease.ts"
import { ON_HOLD } from "./listing.ts"
import { filing, type SourceRow } from "./source.ts"
import { type Counted, count } from "./syncs.ts"

export interface TakingParts {
  database: Database
  uploads: Uploads
}

interface Taken {
  source: SourceRow
  syncId: string
  connector: Connector
  job: LeasedJob
  intake: Intake
}

/** What became of one entry. */
type Outcome = { entry: Waiting } & (
  | { file: NamedFile }
  | { error: { code: string; message: string } }
  /** It vanished meanwhile: the next listing says what is to be done. */
  | { vanished: true }
)

type Waiting = Selectable<SourceEntriesTable> & { file_id: string | null; held?: true }

/** Entries read from the table at a time, and recorded together. */
const PAGE = 256
const BATCH = 64
const PARALLEL = 4
const ATTEMPTS = 3
const RETRY_MS = 500
/** Longest wait for an entry to begin, and for its next piece. */
const SILENCE_MS = 180_000
/** So many one after the other are no accident. */
const MAX_FAILURES = 10

/** Of the disk, or of an engine: no fault of the entry, nor of its place. */
const OF_THE_HOUSE = new Set(["insufficient_storage", "store_unavailable", "overloaded"])

export class Taking {
  private readonly ready: Outcome[] = []
  /** Failures with none read since. */
  private readonly doubtful: Outcome[] = []
  private recording: Promise<void> = Promise.resolve()
  private readonly batch: number
  private readonly ends = new AbortController()
  private readonly signal: AbortSignal

  constructor(
    private readonly parts: TakingParts,
    private readonly taken: Taken,
  ) {
    // Where a filter may refuse one file it must not take others along.
    this.batch = isNarrow(filing(taken.source).view) ? 1 : BATCH
    this.signal = AbortSignal.any([taken.job.signal, this.ends.signal])
  }

  /**
   * @param until by `performance.now`; afterwards nothing more is begun
   * @returns whether nothing is left to be fetched
   * @throws Outage, Stopped, the reason of the job's signal
   */
  async run(until: number): Promise<boolean> {
    for (;;) {
      const page = await this.page()
      if (page.length === 0) return true
      const next = page.values()
      const workers = Array.from({ length: this.taken.connector.parallel ?? PARALLEL }, () => this.work(next, until))
      try {
        await Promise.all(workers)
      } catch (error) {
        this.ends.abort(error)
        await Promise.allSettled(workers)
        await this.recording
        try {
          // What was read before the place went away was read in full.
          while (error instanceof Outage && this.ready.length > 0) await this.record()
        } finally {
          await this.drop()
        }
        throw error
      }
      const isOver = performance.now() >= until
      if (!isOver) this.ready.push(...this.doubtful.splice(0))
      while (this.ready.length > 0) await this.record()
      if (isOver) return (await this.page(1)).length === 0
    }
  }

  /** Each takes the next entry as soon as it has room. */
  private async work(next: Iterator<Waiting>, until: number): Promise<void> {
    for (;;) {
      if (!(await this.taken.intake.room(until, this.signal))) return
      const { value: entry, done } = next.next()
      if (done) return
      await this.settle(entry)
      if (this.ready.length >= this.batch) await this.record()
    }
  }

  private async settle(entry: Waiting): Promise<void> {
    const { outcome, isOwnFault } = await this.fetch(entry)
    if (!isOwnFault) {
      this.doubtful.push(outcome)
      if (this.doubtful.length >= MAX_FAILURES) throw new Outage("one entry after the other could not be read")
      return
    }
    if ("file" in outcome) this.ready.push(...this.doubtful.splice(0))
    this.ready.push(outcome)
  }

  private async fetch(entry: Waiting): Promise<{ outcome: Outcome; isOwnFault: boolean }> {
    for (let attempt = 1; ; attempt++) {
      try {
        return { outcome: await this.read(entry), isOwnFault: true }
      } catch (thrown) {
        this.signal.throwIfAborted()
        const error = thrown instanceof Unread ? thrown.reason : thrown
        if (error instanceof Outage) throw error
        const known = error instanceof AppError ? error : undefined
        if (known && OF_THE_HOUSE.has(known.code) && !(thrown instanceof Unread)) throw error
        if (known && known.code !== "fetch_failed" && known.status < 500)
          return { outcome: { entry, error: toErrorBody(known) }, isOwnFault: true }
        if (attempt < ATTEMPTS) {
          await Bun.sleep(RETRY_MS * attempt)
          continue
        }
        log.warn("an entry of a source could not be read", { source: entry.source_id, error })
        const message = known?.message ?? "it could not be read"
        return { outcome: { entry, error: { code: "fetch_failed", message } }, isOwnFault: false }
      }
    }
  }

  private async read(waiting: Waiting): Promise<Outcome> {
    const { connector, source } = this.taken
    if (waiting.held) return { entry: waiting, error: { code: ON_HOLD, message: KEPT } }
    const entry = toEntry(waiting)
    const content = await inTime(connector.read(entry, this.signal)).catch(error => {
      throw new Unread(error)
    })
    if (!content) return { entry: waiting, vanished: true }
    const limit = source.max_bytes ?? Number.MAX_SAFE_INTEGER
    const bytes = marked(content.bytes)
    const file = await this.parts.uploads.fetch(source.workspace_id, content.name, bytes, limit, this.signal)
    const url = content.url ?? waiting.url
    const fingerprint = content.fingerprint ?? waiting.fingerprint
    const identity = { sourceId: source.id, key: waiting.key, fingerprint, url }
    const { reading } = content
    return { entry: waiting, file: { ...file, identity, ...(reading ? { reading } : {}) } }
  }

  /** One batch at a time, in the order in which they became ready; the others go on reading. */
  private record(): Promise<void> {
    const batch = this.ready.splice(0, this.batch)
    const recorded = this.recording.then(() => this.write(batch))
    this.recording = recorded.catch(() => {})
    return recorded
  }

  private async write(batch: readonly Outcome[]): Promise<void> {
    const files = batch.flatMap(outcome => ("file" in outcome ? [outcome] : []))
    const others = batch.filter(outcome => !("file" in outcome))
    if (files.length > 0) await this.bring(files)
    if (others.length > 0)
      await this.parts.database.transaction().execute(async trx => {
        await heldSource(trx, this.taken.job, this.taken.source.workspace_id)
        for (const outcome of others) await this.note(trx, outcome)
      })
  }

  private async bring(outcomes: readonly { entry: Waiting; file: NamedFile }[]): Promise<void> {
    const { source, job, intake } = this.taken
    const rules = async (trx: Trx) => filing(await heldSource(trx, job, source.workspace_id))
    try {
      const records = await this.parts.uploads.bring(
        outcomes.map(({ file }) => file),
        rules,
        (trx, made) => this.noteTaken(trx, outcomes, made),
      )
      for (const { id, type, size, unchanged } of records) if (!unchanged) intake.add(id, !isQuickJob({ type, size }))
    } catch (error) {
      // What lies outside of what its source may reach was refused, alone.
      if (!(error instanceof AppError) || error.status >= 500) throw error
      // A hold was made meanwhile: they wait, and the next page knows of it.
      if (error.code === ON_HOLD) return
      if (outcomes.length > 1) throw error
      await this.write([{ entry: outcomes[0]!.entry, error: toErrorBody(error) }])
    }
  }

  private async noteTaken(
    trx: Trx,
    outcomes: readonly { entry: Waiting; file: NamedFile }[],
    records: readonly FileRecord[],
  ): Promise<void> {
    const counts = { added: 0, updated: 0, unchanged: 0 }
    const asListed: string[] = []
    for (const [at, { entry, file }] of outcomes.entries()) {
      counts[records[at]!.unchanged ? "unchanged" : entry.file_id ? "updated" : "added"]++
      const { fingerprint } = file.identity as { fingerprint: string }
      if (fingerprint === entry.fingerprint) asListed.push(entry.key)
      else await this.set(trx, [entry.key], { status: "taken", fingerprint })
    }
    if (asListed.length > 0) await this.set(trx, asListed, { status: "taken" })
    await count(trx, this.taken.syncId, counts)
  }

  private async note(trx: Trx, outcome: Outcome): Promise<void> {
    const { entry } = outcome
    if ("error" in outcome) {
      const { code, message } = outcome.error
      const status = statusOf(code)
      await this.set(trx, [entry.key], { status, error_code: code, error_message: message })
      return count(trx, this.taken.syncId, { [status === "failed" ? "failed" : "skipped"]: 1 } as Counted)
    }
    if (entry.file_id) await this.set(trx, [entry.key], { status: "taken" })
    else
      await trx
        .deleteFrom("source_entries")
        .where("source_id", "=", entry.source_id)
        .where("key", "=", entry.key)
        .execute()
  }

  private async set(trx: Trx, keys: string[], change: Partial<SourceEntriesTable>): Promise<void> {
    await trx
      .updateTable("source_entries")
      .set({ error_code: null, error_message: null, ...change })
      .where("source_id", "=", this.taken.source.id)
      .where("key", "in", keys)
      .execute()
  }

  private async page(limit = PAGE): Promise<Waiting[]> {
    const { database } = this.parts
    const { id, workspace_id } = this.taken.source
    const waiting = await database
      .selectFrom("source_entries as e")
      .leftJoin("files as f", join => join.onRef("f.source_id", "=", "e.source_id").onRef("f.source_key", "=", "e.key"))
      .selectAll("e")
      .select("f.id as file_id")
      .where("e.source_id", "=", id)
      .where("e.status", "=", "pending")
      .orderBy("e.key")
      .limit(limit)
      .execute()
    const files = waiting.flatMap(({ file_id }) => file_id ?? [])
    const held = await heldAmong(database, workspace_id, "files", files)
    return waiting.map(entry => (entry.file_id && held.has(entry.file_id) ? { ...entry, held: true } : entry))
  }

  /** Fetched for nothing: their bytes go, the entries wait. */
  private async drop(): Promise<void> {
    for (const outcome of this.ready.splice(0)) if ("file" in outcome) await this.parts.uploads.drop(outcome.file)
  }
}

/** What went wrong while the place was read, told apart from what our own stores say. */
class Unread extends Error {
  constructor(readonly reason: unknown) {
    super("the entry could not be read")
  }
}

async function* marked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { value, done } = await inTime(pieces.next()).catch(error => {
        throw new Unread(error)
      })
      if (done) return
      yield value
    }
  } finally {
    // One that hangs is not waited for.
    void pieces.return?.().catch(() => {})
  }
}

/** A disk of the network that is gone answers never. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Outage("it does not answer")), SILENCE_MS)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const toEntry = ({ key, fingerprint, size, updated_at, url, name }: Waiting): Entry => ({
  key,
  fingerprint,
  ...(size === null ? {} : { size }),
  ...(updated_at === null ? {} : { updatedAt: updated_at }),
  ...(url === null ? {} : { url }),
  ...(name === null ? {} : { name }),
})
