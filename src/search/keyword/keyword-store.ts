/**
 * The keyword leg's own SQLite file, `<data>/keyword.db`: segments of postings, written once and merged later. All of
 * it derives from the chunks and can be made again.
 *
 * Commits do not wait for the disk (a merge has hundreds), and `Checkpoints` does it elsewhere: after a power failure the
 * last ones may be missing, and what the chunks then have more than this file is indexed again at the start.
 *
 * A segment is built under a number that no row of `segments` names yet, and becomes visible by that row: what a crash
 * leaves of an unfinished one is cleared at the next start.
 */
import { Database as Sqlite, type Statement } from "bun:sqlite"
import { BUSY_TIMEOUT_MS } from "../../storage/sqlite/writer.ts"

export interface Segment {
  number: number
  /** Documents in it, removed ones included until a merge drops them. */
  documents: number
  /** First id and count of each stretch, in row order. */
  stretches: Float64Array
  /** Terms per document, by row. */
  lengths: Uint16Array
  /** Language codes, by row. */
  languages: Uint8Array
}

interface SegmentRow {
  number: number
  documents: number
  stretches: Uint8Array
  lengths: Uint8Array
  languages: Uint8Array
}

interface PostingRow {
  term: string
  df: number
  data: Uint8Array
}

/** Of the tables and of the terms in them. What has another is made again from the chunks, at the start. */
const LAYOUT = 6

export class KeywordStore {
  private readonly db: Sqlite
  private readonly postings: Statement<{ segment: number; data: Uint8Array }, [string]>
  private readonly posting: Statement<{ data: Uint8Array }, [number, string]>
  private readonly page: Statement<PostingRow, [number, string, number]>
  private readonly range: Statement<{ term: string }, [number, string, string]>
  private readonly among: Statement<{ term: string }, [number, string]>
  private readonly insert: Statement

  constructor(path: string) {
    this.db = new Sqlite(path, { create: true })
    this.db.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
    this.db.exec("pragma journal_mode = wal; pragma synchronous = normal; pragma temp_store = memory")
    this.db.exec("pragma cache_size = -32000; pragma mmap_size = 0")
    this.db.exec("pragma secure_delete = on") // words of removed passages are overwritten
    // See `Checkpoints`, which knows the length of the log by its file.
    this.db.exec("pragma wal_autocheckpoint = 0; pragma journal_size_limit = 0")
    this.prepare()
    // In this order: by the term alone no index leads.
    this.postings = this.db.prepare(
      "select segment, data from segments cross join postings on segment = number where term = ?",
    )
    this.posting = this.db.prepare("select data from postings where segment = ? and term = ?")
    this.page = this.db.prepare(
      "select term, df, data from postings where segment = ? and term > ? order by term limit ?",
    )
    this.range = this.db.prepare("select term from postings where segment = ? and term >= ? and term < ?")
    this.among = this.db.prepare(
      "select term from postings where segment = ? and term in (select value from json_each(?))",
    )
    this.insert = this.db.prepare("insert or replace into postings values (?, ?, ?, ?)")
  }

  private prepare(): void {
    const { user_version } = this.db.query("pragma user_version").get() as { user_version: number }
    if (user_version === LAYOUT) return
    this.transaction(() => {
      for (const table of ["segments", "postings", "removed"]) this.db.exec(`drop table if exists ${table}`)
      this.db.exec(`
        create table segments (number integer primary key, documents integer, stretches blob, lengths blob, languages blob);
        create table postings (segment integer, term text, df integer, data blob, primary key (segment, term)) without rowid;
        create table removed (first integer primary key, last integer not null);
        create table if not exists numbers (next integer not null);
        insert into numbers select 1 where not exists (select 1 from numbers);
        pragma user_version = ${LAYOUT};
      `)
    })
  }

  /** Visible segments in the order in which they were made. */
  segments(): Segment[] {
    const rows = this.db.query("select * from segments order by number").all()
    return (rows as SegmentRow[]).map(row => ({
      number: row.number,
      documents: row.documents,
      stretches: new Float64Array(row.stretches.slice().buffer),
      lengths: new Uint16Array(row.lengths.slice().buffer),
      languages: row.languages.slice(),
    }))
  }

  removed(): [number, number][] {
    const rows = this.db.query("select first, last from removed order by first").all()
    return (rows as { first: number; last: number }[]).map(({ first, last }) => [first, last])
  }

  /** A term's postings by segment, of all visible ones that hold it. In one statement: one for each took three times as long. */
  find(term: string): ReadonlyMap<number, Uint8Array> {
    return new Map(this.postings.all(term).map(({ segment, data }) => [segment, data]))
  }

  /** A term's postings in one segment, which holds it. */
  findIn(segment: number, term: string): Uint8Array {
    return this.posting.get(segment, term)!.data
  }

  /** Terms of a segment from one on, up to another, which is not among them. */
  termsFrom(segment: number, from: string, to: string): string[] {
    return this.range.all(segment, from, to).map(({ term }) => term)
  }

  /** Those of the terms, which are given as a JSON array, that a segment holds. */
  termsAmong(segment: number, terms: string): string[] {
    return this.among.all(segment, terms).map(({ term }) => term)
  }

  /** Terms of a segment after `after`, in the order of their UTF-8 bytes. */
  termsAfter(segment: number, after: string, limit: number): PostingRow[] {
    return this.page.all(segment, after, limit)
  }

  nextNumber(): number {
    const row = this.db.query("update numbers set next = next + 1 returning next - 1 as number").get()
    return (row as { number: number }).number
  }

  transaction(work: () => void): void {
    this.db.transaction(work).immediate()
  }

  writePosting(segment: number, term: string, df: number, data: Uint8Array): void {
    this.insert.run(segment, term, df, data)
  }

  /** Makes a segment visible and the ones it replaces invisible; their postings are cleared by `clearSome`. */
  show(segment: Segment | undefined, replaced: number[]): void {
    this.transaction(() => {
      for (const number of replaced) this.db.query("delete from segments where number = ?").run(number)
      if (segment)
        this.db
          .query("insert into segments (number, documents, stretches, lengths, languages) values (?, ?, ?, ?, ?)")
          .run(
            segment.number,
            segment.documents,
            bytesOf(segment.stretches),
            bytesOf(segment.lengths),
            segment.languages,
          )
    })
  }

  /** Removes postings of a segment that is not visible any more. @returns false when none were left. */
  clearSome(segment: number, limit: number): boolean {
    const { changes } = this.db
      .query(
        "delete from postings where segment = ?1 and term in (select term from postings where segment = ?1 order by term limit ?2)",
      )
      .run(segment, limit)
    return changes > 0
  }

  /** Segments that have postings but are not visible: left by an interrupted merge or build. */
  hidden(): number[] {
    const numbers: number[] = []
    const visible = new Set(this.segments().map(segment => segment.number))
    const next = this.db.query("select segment from postings where segment > ? order by segment limit 1")
    for (let row = next.get(-1) as { segment: number } | null; row; row = next.get(row.segment) as typeof row)
      if (!visible.has(row.segment)) numbers.push(row.segment)
    return numbers
  }

  setRemoved(ranges: ArrayLike<number>): void {
    this.transaction(() => {
      this.db.exec("delete from removed")
      const insert = this.db.query("insert into removed values (?, ?)")
      for (let i = 0; i < ranges.length; i += 2) insert.run(ranges[i]!, ranges[i + 1]!)
    })
  }

  sizeBytes(): number {
    const count = (this.db.query("pragma page_count").get() as { page_count: number }).page_count
    return count * (this.db.query("pragma page_size").get() as { page_size: number }).page_size
  }

  close(): void {
    this.db.exec("pragma optimize")
    // With a statement left over, the file would stay open, and locked at times, until the thread has ended.
    for (const statement of [this.postings, this.posting, this.page, this.range, this.among, this.insert])
      statement.finalize()
    this.db.close()
  }
}

const bytesOf = (array: Float64Array | Uint16Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
