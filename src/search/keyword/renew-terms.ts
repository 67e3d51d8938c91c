/**
 * Brings the terms of an index that a former version made to the form that words have now. Terms are enough for it: the
 * texts need not be read again.
 */
import type { Database as Sqlite } from "bun:sqlite"
import { renewedTerm } from "../text/analyze.ts"
import { FORMER_TERMS } from "../text/fold.ts"
import { eachPosting, PostingWriter } from "./posting-list.ts"

interface Key {
  segment: number
  term: string
}

/** Within a transaction; 100 000 passages take some tenths of a second. */
export function renewTerms(db: Sqlite): void {
  const former = db.query("select segment, term from postings where term glob ?").all(FORMER_TERMS) as Key[]
  const read = db.query("select data from postings where segment = ? and term = ?")
  const remove = db.query("delete from postings where segment = ? and term = ?")
  const write = db.query("insert or replace into postings values (?, ?, ?, ?)")
  const dataOf = (segment: number, term: string) =>
    (read.get(segment, term) as { data: Uint8Array } | null)?.data ?? new Uint8Array(0)
  for (const { segment, term } of former) {
    const renewed = renewedTerm(term)
    const { df, data } = joined(dataOf(segment, term), dataOf(segment, renewed))
    remove.run(segment, term)
    write.run(segment, renewed, df, data)
  }
}

/** Postings of two terms that have become one. */
function joined(...lists: Uint8Array[]): { df: number; data: Uint8Array } {
  const frequencies = new Map<number, number>()
  for (const list of lists)
    eachPosting(list, (row, frequency) => frequencies.set(row, (frequencies.get(row) ?? 0) + frequency))
  const writer = new PostingWriter()
  for (const row of [...frequencies.keys()].sort((a, b) => a - b)) writer.add(row, frequencies.get(row)!)
  return { df: frequencies.size, data: writer.take() }
}
