/**
 * What a listing says against what is known of a source: which entries are new, which have changed, which are gone. Engine
 * and manifests use it alike: `begin`, `see` each entry, `note` what was seen, and, once all were seen, `finish`.
 *
 * What is known of an entry is its row and the file of that name. The file's fingerprint decides: a crash between the two
 * loses nothing. Nothing is written about an entry that is as it was.
 */
import { extname } from "node:path/posix"
import type { Insertable } from "kysely"
import { MAX_KEY_BYTES } from "../library/upload-entries.ts"
import { type Database, readApart, type Trx } from "../storage/database.ts"
import type { EntryStatus, SourceEntriesTable } from "../storage/sources.ts"
import { type Entry, Outage } from "./connector.ts"
import type { Move } from "./moving.ts"

/** Why an entry is not fetched. */
export interface Verdict {
  status: "unsupported" | "skipped"
  code: string
  message: string
}

export interface ListingRules {
  /** Undefined where it is to be fetched. */
  judge(entry: Entry): Verdict | undefined
  /** Files go when their entries do. */
  deleteMissing: boolean
  /** What failed is tried again, what somebody deleted comes back, and a mass deletion is carried out. */
  forced: boolean
  /** Fingerprints are of the content alone: a file whose key is gone moves to one that came with the same content. */
  moves?: boolean
}

/** Entries. */
export interface ListingCounts {
  added: number
  updated: number
  unchanged: number
  skipped: number
  failed: number
}

export interface Finished {
  /** Keys of files that are to be deleted: their entries are gone, or are not meant any more. */
  deleted: string[]
  /** So many that none is deleted; 0 where nothing is held back. */
  guarded: number
  /** Files whose content came back under another key. */
  moved: Move[]
}

/** Code of entries that `include` and `exclude` leave out. */
export const EXCLUDED = "excluded"

/** Code of entries whose files a hold keeps as they are: they are looked at again by every sync. */
export const ON_HOLD = "on_hold"

/** Of a key that is kept as another one: nobody would find its entry by that. */
const UNFIT: Verdict = { status: "skipped", code: "unfit_key", message: "its name is too long, or no text" }

/** Part of the files of a source, and number of them, that may go at once without being asked for. */
const GUARD_SHARE = 0.2
const GUARD_FILES = 10
const MAX_ENTRIES = 1_000_000
/** Rows read, and written, at a time: others are answered between. */
const READ = 2_000
const WRITE = 250

interface Known {
  fingerprint: string
  /** Null for a file that has no entry, such as one whose source was forgotten by a listing. */
  status: EntryStatus | null
  code: string | null
  /** Null where there is no file. */
  file: { fingerprint: string | null; failed: boolean } | null
  seen: boolean
}

type NewEntry = Insertable<SourceEntriesTable>

export class Listing {
  readonly counts: ListingCounts = { added: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 }
  private readonly unwritten = new Map<string, NewEntry>()
  /** Files of entries that are there and not meant, with the verdict. */
  private readonly dropped = new Map<string, NewEntry>()
  /** New entries by fingerprint, where files may move to them. */
  private readonly arrived = new Map<string, Entry[]>()
  private files = 0
  private seen = 0

  private constructor(
    private readonly sourceId: string,
    private readonly rules: ListingRules,
    private readonly known: Map<string, Known>,
  ) {
    for (const { file } of known.values()) if (file) this.files++
  }

  static async begin(database: Database, sourceId: string, rules: ListingRules): Promise<Listing> {
    return new Listing(sourceId, rules, await knownOf(database, sourceId))
  }

  /** Entries seen, each once. */
  get total(): number {
    return this.seen
  }

  /** Nothing would be lost if there were nothing, or it is meant so. */
  get mayBeEmpty(): boolean {
    return this.files === 0 || this.rules.forced
  }

  /** Keys that wait to be written; `note` does it. */
  get waiting(): number {
    return this.unwritten.size
  }

  /** @returns what is to become of it; undefined for one that was seen before @throws Outage where there is no end of them */
  see(entry: Entry): keyof ListingCounts | undefined {
    const key = keptKey(entry.key)
    const known = this.known.get(key)
    if (known?.seen) return undefined
    if (++this.seen > MAX_ENTRIES) throw new Outage(`it has more than ${MAX_ENTRIES} entries`)
    if (known) known.seen = true
    else this.known.set(key, { fingerprint: "", status: null, code: null, file: null, seen: true })
    const kind = this.compare({ ...entry, key }, known, key === entry.key ? this.rules.judge(entry) : UNFIT)
    this.counts[kind]++
    if (kind === "added" && this.rules.moves && this.files > 0) {
      const others = this.arrived.get(entry.fingerprint)
      if (others) others.push({ ...entry, key })
      else this.arrived.set(entry.fingerprint, [{ ...entry, key }])
    }
    return kind
  }

  private compare(entry: Entry, known: Known | undefined, verdict: Verdict | undefined): keyof ListingCounts {
    if (verdict) {
      const row = this.row(entry, verdict.status, verdict)
      if (known?.file && this.rules.deleteMissing) this.dropped.set(entry.key, row)
      else if (known?.status !== verdict.status || known.code !== verdict.code) this.unwritten.set(entry.key, row)
      return "skipped"
    }
    const isSame = known?.fingerprint === entry.fingerprint
    if (known?.file?.fingerprint === entry.fingerprint) {
      if (known.file.failed && this.rules.forced) return this.fetch(entry, "updated")
      if (!isSame || known.status !== "taken") this.unwritten.set(entry.key, this.row(entry, "taken"))
      return "unchanged"
    }
    if (known && isSame && !this.rules.forced) {
      if (known.status === "failed") return "failed"
      // What only reading could tell, and somebody who did not want the file.
      if (known.status === "taken" && !known.file) return "skipped"
      if (entry.name === undefined && known.status === "unsupported") return "skipped"
      const isLasting = known.code !== EXCLUDED && known.code !== ON_HOLD
      if (entry.size === undefined && known.status === "skipped" && isLasting) return "skipped"
    }
    return this.fetch(entry, known?.file ? "updated" : "added")
  }

  private fetch(entry: Entry, kind: "added" | "updated"): "added" | "updated" {
    this.unwritten.set(entry.key, this.row(entry, "pending"))
    return kind
  }

  private row(entry: Entry, status: EntryStatus, error?: { code: string; message: string }): NewEntry {
    return {
      source_id: this.sourceId,
      key: entry.key,
      fingerprint: entry.fingerprint,
      size: entry.size ?? null,
      updated_at: entry.updatedAt ?? null,
      name: entry.name ?? null,
      url: entry.url ?? null,
      status,
      error_code: error?.code ?? null,
      error_message: error?.message ?? null,
    }
  }

  /**
   * Writes what was seen so far, some hundred rows a transaction.
   * @param check in each transaction, which it ends by throwing
   */
  async note(database: Database, check: (trx: Trx) => Promise<void>): Promise<void> {
    const rows = [...this.unwritten.values()]
    this.unwritten.clear()
    for (let at = 0; at < rows.length; at += WRITE)
      await database.transaction().execute(async trx => {
        await check(trx)
        await write(trx, rows.slice(at, at + WRITE))
      })
  }

  /** What was seen is not to be written. */
  forget(): void {
    this.unwritten.clear()
  }

  /** What is gone, once everything was seen. Nothing is written by it. */
  finish(): Finished {
    const moved = this.rules.deleteMissing ? this.findMoves() : []
    const gone = [...this.known].filter(([, { seen, file }]) => !seen && file).map(([key]) => key)
    const deleted = this.rules.deleteMissing ? [...gone, ...this.dropped.keys()] : []
    // Those that a hold keeps were counted when they went.
    const going = deleted.filter(key => this.known.get(key)!.code !== ON_HOLD).length
    const isMass = going > GUARD_FILES && going > this.files * GUARD_SHARE
    const isHeld = isMass && !this.rules.forced
    return isHeld ? { deleted: [], guarded: deleted.length, moved } : { deleted, guarded: 0, moved }
  }

  private findMoves(): Move[] {
    const moved: Move[] = []
    for (const [from, known] of this.known) {
      const { file, seen } = known
      if (seen || !file || file.failed || file.fingerprint === null) continue
      const others = this.arrived.get(file.fingerprint) ?? []
      // A file of another type is read otherwise.
      const at = others.findIndex(({ key }) => extname(key).toLowerCase() === extname(from).toLowerCase())
      if (at < 0) continue
      const [to] = others.splice(at, 1)
      moved.push({ from, to: to! })
      this.known.get(to!.key)!.file = file
      known.file = null
      this.counts.added--
      this.counts.updated++
    }
    return moved
  }

  /** Marks what `finish` found as gone, and forgets entries that are no more and have no file. Files are deleted by `deleteGone`. */
  async noteGone(database: Database, { deleted }: Finished, check: (trx: Trx) => Promise<void>): Promise<void> {
    for (const key of deleted) {
      const gone: Entry = { key, fingerprint: this.known.get(key)!.fingerprint }
      this.unwritten.set(key, { ...(this.dropped.get(key) ?? this.row(gone, "gone")), status: "gone" })
    }
    await this.note(database, check)
    const forgotten = [...this.known]
      .filter(([, { seen, file, status }]) => !seen && !file && status)
      .map(([key]) => key)
    for (let at = 0; at < forgotten.length; at += WRITE)
      await database.transaction().execute(async trx => {
        await check(trx)
        await trx
          .deleteFrom("source_entries")
          .where("source_id", "=", this.sourceId)
          .where("key", "in", forgotten.slice(at, at + WRITE))
          .execute()
      })
  }
}

const write = (trx: Trx, rows: readonly NewEntry[]): Promise<unknown> =>
  trx
    .insertInto("source_entries")
    .values(rows)
    .onConflict(conflict =>
      conflict.columns(["source_id", "key"]).doUpdateSet(eb => ({
        fingerprint: eb.ref("excluded.fingerprint"),
        size: eb.ref("excluded.size"),
        updated_at: eb.ref("excluded.updated_at"),
        name: eb.ref("excluded.name"),
        url: eb.ref("excluded.url"),
        status: eb.ref("excluded.status"),
        error_code: eb.ref("excluded.error_code"),
        error_message: eb.ref("excluded.error_message"),
      })),
    )
    .execute()

/** As it is kept: a text that databases take, and that fits into their indexes. Equal for equal keys, different for others. */
function keptKey(key: string): string {
  const clean = key.toWellFormed().replaceAll("\0", "\uFFFD")
  if (clean === key && Buffer.byteLength(key) <= MAX_KEY_BYTES) return key
  const hash = new Bun.CryptoHasher("sha256").update(Buffer.from(key, "utf16le")).digest("hex")
  return `${Buffer.from(clean)
    .subarray(0, MAX_KEY_BYTES - 100)
    .toString()
    .toWellFormed()}…${hash}`
}

interface KnownRow {
  key: string
  fingerprint: string | null
  status: EntryStatus | null
  error_code: string | null
  file_key: string | null
  file_fingerprint: string | null
  file_status: string | null
}

/** By key. A hundred thousand are read in pages, off the thread that answers requests. */
async function knownOf(database: Database, sourceId: string): Promise<Map<string, Known>> {
  const known = new Map<string, Known>()
  for (let after = ""; ; ) {
    const rows = await readApart<KnownRow>(
      database,
      `select e.key, e.fingerprint, e.status, e.error_code, f.source_key as file_key,
         f.fingerprint as file_fingerprint, f.status as file_status
       from source_entries as e left join files as f on f.source_id = e.source_id and f.source_key = e.key
       where e.source_id = ? and e.key > ? order by e.key limit ?`,
      [sourceId, after, READ],
    )
    for (const row of rows) known.set(row.key, toKnown(row))
    if (rows.length < READ) break
    after = rows.at(-1)!.key
  }
  const others = await readApart<KnownRow>(
    database,
    `select f.source_key as key, null as fingerprint, null as status, null as error_code, f.source_key as file_key,
       f.fingerprint as file_fingerprint, f.status as file_status
     from files as f where f.source_id = ? and not exists
       (select 1 from source_entries as e where e.source_id = f.source_id and e.key = f.source_key)`,
    [sourceId],
  )
  for (const row of others) known.set(row.key, toKnown(row))
  return known
}

const toKnown = (row: KnownRow): Known => ({
  fingerprint: row.fingerprint ?? "",
  status: row.status,
  code: row.error_code,
  file: row.file_key === null ? null : { fingerprint: row.file_fingerprint, failed: row.file_status === "failed" },
  seen: false,
})
