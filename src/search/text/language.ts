/**
 * Tells the language of passages and queries, so that vectors count only where the embedding model knows the language of
 * both: elsewhere they are noise, and cost an English question over German passages .06 MRR.
 *
 * Scores n-grams of up to four bytes by the table of `eld` for 60 languages, packed to 3 MB (`scripts/train/languages`):
 * of the XQuAD questions in twelve languages 99.0 to 100 % are told from English, and 1.2 % of short English phrases are
 * taken for another language. In doubt the answer is the language that was asked for.
 */
import packedTable from "./language-table.txt" with { type: "text" }

/** A passage's language in one byte: place in the table's list, or one of these. */
export type LanguageCode = number
/** Indexed before languages were told. */
export const NOT_JUDGED: LanguageCode = 255
/** Numbers, codes, a name: nothing to tell a language by. */
export const NO_LANGUAGE: LanguageCode = 254

/** Characters looked at; two sentences settle it. */
const SAMPLE_CHARS = 600
const SAMPLE_BYTES = 350
const MAX_WORD_BYTES = 70
/** Score per n-gram by which another language must be ahead before a query is in none of the model's. */
const LEAD = 10
/** The same times the number of n-grams, of passages too: `Kubernetes` is 17 nearer to Albanian, with four of them. */
const EVIDENCE = 150
/** Score per n-gram of the likeliest language from which on a text is made of words: 99 % of single words reach 40. */
const READABLE = 30
/** With fewer n-grams than these a passage follows the one before it in its file. */
const ENOUGH_NGRAMS = 6
/** What the table leaves out of every score. */
const BASE_SCORE = 53

const WORD = /\p{L}+(?:['’`]\p{L}+)*/gu

interface Table {
  languages: string[]
  /** Ascending. */
  hashes: Uint32Array
  /** First hash of each value of the upper 16 bits. */
  buckets: Uint32Array
  /** Where an n-gram's pairs begin, one more than there are n-grams. */
  starts: Uint32Array
  /** Language and score by turns. */
  pairs: Uint8Array
}

let loaded: Table | undefined

/** Mean score per n-gram of each language, in the order of the table, and how many n-grams there were. */
interface Judged {
  scores: Float64Array
  ngrams: number
}

/** Whether a text's letters are those of words in any language; of random letters 4 % are taken for words. */
export function isReadable(text: string): boolean {
  return judge(text).scores.some(score => score >= READABLE)
}

/** Whether a query may be in one of the languages (ISO 639-1). Too short to tell counts as yes. */
export function maySpeak(text: string, languages: readonly string[]): boolean {
  const { scores, ngrams } = judge(text)
  const wanted = placesOf(languages)
  let best = 0
  let known = 0
  scores.forEach((score, place) => {
    best = Math.max(best, score)
    if (wanted.has(place)) known = Math.max(known, score)
  })
  const lead = best - known
  return lead <= LEAD || lead * ngrams < EVIDENCE
}

/** Those that a query is most like (ISO 639-1); none where it may be English. */
export function likelyLanguages(text: string): string[] {
  if (maySpeak(text, ["en"])) return []
  const { scores } = judge(text)
  const best = scores.reduce((most, score) => Math.max(most, score), 0)
  return table().languages.filter((_, place) => scores[place]! >= best - LEAD)
}

/** Languages of passages that follow each other. */
export class PassageLanguages {
  private last: LanguageCode = NO_LANGUAGE

  /** @returns the language of the next passage; of the one before where it is too short to tell. */
  next(text: string): LanguageCode {
    const { scores, ngrams } = judge(text)
    if (ngrams < ENOUGH_NGRAMS) return this.last
    let best = 0
    for (let place = 1; place < scores.length; place++) if (scores[place]! > scores[best]!) best = place
    if (scores[best] === 0) return this.last
    const english = table().languages.indexOf("en")
    this.last = (scores[best]! - scores[english]!) * ngrams < EVIDENCE ? english : best
    return this.last
  }
}

/** Codes whose passages a model with these languages does not know; undecided ones are not among them. */
export function foreignTo(languages: readonly string[]): ReadonlySet<LanguageCode> {
  const key = languages.join(" ")
  if (lastForeign?.key !== key) {
    const known = placesOf(languages)
    const codes = new Set(table().languages.flatMap((_, place) => (known.has(place) ? [] : [place])))
    lastForeign = { key, codes }
  }
  return lastForeign.codes
}

/** Those of the languages that passages can be told to be in (ISO 639-1). */
export const toldAmong = (languages: readonly string[]): string[] => {
  const foreign = foreignTo(languages)
  return table().languages.filter((_, place) => !foreign.has(place))
}

/** One model is asked at a time. */
let lastForeign: { key: string; codes: ReadonlySet<LanguageCode> } | undefined

/** ISO 639-1; undefined where nothing was told. */
export const languageName = (code: LanguageCode): string | undefined => table().languages[code]

function placesOf(languages: readonly string[]): Set<LanguageCode> {
  const names = table().languages
  return new Set(languages.map(name => names.indexOf(name.toLowerCase().split(/[-_]/)[0]!)))
}

const encoder = new TextEncoder()
const bytes = new Uint8Array(4 * SAMPLE_CHARS)
/** A word with the blanks around it. */
const padded = new Uint8Array(MAX_WORD_BYTES + 2)

function judge(text: string): Judged {
  const { languages, hashes, buckets, starts, pairs } = table()
  const scores = new Float64Array(languages.length)
  const seen = new Set<number>()
  let read = 0
  for (const [word] of text.slice(0, SAMPLE_CHARS).toLowerCase().matchAll(WORD)) {
    if (read > SAMPLE_BYTES) break
    const { written } = encoder.encodeInto(word, bytes)
    read += written + 1
    for (const hash of ngramsOf(bytes, Math.min(written, MAX_WORD_BYTES))) {
      if (seen.has(hash)) continue
      seen.add(hash)
      const end = buckets[(hash >>> 16) + 1]!
      for (let at = buckets[hash >>> 16]!; at < end; at++)
        if (hashes[at] === hash)
          for (let i = starts[at]!; i < starts[at + 1]!; i += 2) scores[pairs[i]!]! += pairs[i + 1]! + BASE_SCORE
    }
  }
  for (let place = 0; place < scores.length; place++) scores[place]! /= Math.max(1, seen.size)
  return { scores, ngrams: seen.size }
}

/** Four bytes at every third, a blank before the first and after the last: as the table was made. */
function* ngramsOf(word: Uint8Array, length: number): Generator<number> {
  padded[0] = 32
  padded.set(word.subarray(0, length), 1)
  padded[length + 1] = 32
  let at = 0
  for (; at + 4 < length; at += 3) yield hashBytes(padded, at === 0 ? 0 : at + 1, at + 5)
  const tail = length === 3 ? 0 : Math.max(0, length - 4)
  // A word of one n-gram has both blanks, as has the last one of a longer word that begins with it.
  yield at === 0 ? hashBytes(padded, 0, length + 2) : hashBytes(padded, tail + 1, length + 2)
}

/** FNV-1a, 32 bits, of `bytes[from..to)`. */
export function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return hash >>> 0
}

function table(): Table {
  loaded ??= unpack(Bun.zstdDecompressSync(Buffer.from(packedTable as unknown as string, "base64")))
  return loaded
}

/** See `scripts/train/languages/pack.ts` for the layout. */
function unpack(packed: Uint8Array): Table {
  const headEnd = packed.indexOf(10)
  const head = JSON.parse(new TextDecoder().decode(packed.subarray(0, headEnd)))
  const { languages, ngrams } = head as { languages: string[]; ngrams: number }
  const hashes = new Uint32Array(ngrams)
  const starts = new Uint32Array(ngrams + 1)
  const pairs = new Uint8Array(packed.length)
  const buckets = new Uint32Array(65_537)
  let at = headEnd + 1
  let end = 0
  let hash = 0
  for (let i = 0; i < ngrams; i++) {
    for (let factor = 1, byte = 128; byte > 127; factor *= 128) {
      byte = packed[at++]!
      hash += (byte & 127) * factor
    }
    hashes[i] = hash
    buckets[(hash >>> 16) + 1]!++
    const size = 2 * packed[at++]!
    pairs.set(packed.subarray(at, at + size), end)
    at += size
    end += size
    starts[i + 1] = end
  }
  for (let i = 1; i < buckets.length; i++) buckets[i]! += buckets[i - 1]!
  return { languages, hashes, buckets, starts, pairs: pairs.slice(0, end) }
}
