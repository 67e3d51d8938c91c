/** What the index holds in memory of each passage: where it lies among the rows, its length and its language. */
import { type IdRanges, NO_IDS, toRanges } from "../ids/id-ranges.ts"
import { Rows, withRoom } from "../ids/rows.ts"
import { foreignTo, type LanguageCode, NOT_JUDGED } from "../text/language.ts"
import type { Segment } from "./keyword-store.ts"

export class PassageTable {
  rows = new Rows()
  /** Terms of each passage, by row. */
  lengths = new Uint16Array(0)
  /** Rises whenever row numbers change; scopes of an older version are stale. */
  version = 0
  private languages: Uint8Array = new Uint8Array(0)
  private readonly foreignRanges = new Map<string, IdRanges>()

  /** Lays the segments' passages one behind another. @returns the first row of each segment */
  load(segments: readonly Segment[]): number[] {
    const bases: number[] = []
    this.rows = new Rows()
    for (const { stretches } of segments) {
      bases.push(this.rows.end)
      for (let i = 0; i < stretches.length; i += 2) this.rows.append(stretches[i]!, stretches[i + 1]!)
    }
    if (this.rows.end > this.lengths.length) {
      this.lengths = new Uint16Array(withRoom(this.rows.end))
      this.languages = new Uint8Array(this.lengths.length)
    }
    segments.forEach(({ lengths, languages }, i) => {
      this.lengths.set(lengths, bases[i])
      this.languages.set(languages, bases[i])
    })
    this.foreignRanges.clear()
    this.version++
    return bases
  }

  /** Terms of a passage; 0 where it is not here. */
  lengthOf(id: number): number {
    const row = this.rows.rowOf(id)
    return row < 0 ? 0 : this.lengths[row]!
  }

  /** NOT_JUDGED where a passage is not here. */
  languageOf(id: number): LanguageCode {
    const row = this.rows.rowOf(id)
    return row < 0 ? NOT_JUDGED : this.languages[row]!
  }

  /** Passages in any other language. */
  foreign(languages: readonly string[]): IdRanges {
    const key = languages.join(" ")
    let ranges = this.foreignRanges.get(key)
    if (!ranges) {
      ranges = this.idsWith(foreignTo(languages))
      this.foreignRanges.set(key, ranges)
    }
    return ranges
  }

  private idsWith(codes: ReadonlySet<LanguageCode>): IdRanges {
    const marked = new Uint8Array(256)
    for (const code of codes) marked[code] = 1
    const spans: [number, number][] = []
    for (let row = 0; row < this.rows.end; row++) {
      if (marked[this.languages[row]!] === 0) continue
      const id = this.rows.idOf(row)
      const last = spans.at(-1)
      if (last?.[1] === id - 1) last[1] = id
      else spans.push([id, id])
    }
    return spans.length ? toRanges(spans) : NO_IDS
  }
}
