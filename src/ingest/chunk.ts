/**
 * Cuts a document into indexed slices, by structure first: never across members, sheets, slides or pages; before headings
 * where enough was gathered; between blocks; inside a long block at paragraph, line, sentence, clause, word, in this order.
 */
import type { Block, Characters, Chunk, Place, SectionStart } from "../storage/document.ts"
import { findCut, overlapStart, trimmedEnd, trimmedStart } from "./cut-text.ts"

export interface ChunkOptions {
  /** Characters that a chunk aims at and does not exceed by more than the overlap. Smaller finds more exactly, larger knows more of its surroundings. */
  targetChars: number
  /** Characters repeated from the chunk before, where one text was cut for its length alone. */
  overlapChars: number
}

const DEFAULT_CHUNKS: ChunkOptions = { targetChars: 1000, overlapChars: 120 }

/** A heading starts a new chunk once the open one has this share of the target: shorter sections are joined. */
const SECTION_SHARE = 0.25
/** Scripts without spaces say about twice as much per character. */
const DENSE_SCRIPT = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g
const DENSE_SHARE = 0.3
const SAMPLE_CHARS = 10_000
/** Header rows and titles in front of a slice are cut to this. */
const MAX_CONTEXT_CHARS = 300

/** A text and its blocks in ascending order; read forward, never more than about a chunk of it at a time. */
export interface BlockedText {
  text: Characters
  blocks: Iterable<Block>
}

/** All chunks; `chunksOf` yields the same one by one, for documents too large to be cut in one go. */
export function chunkDocument(document: BlockedText, options: ChunkOptions = DEFAULT_CHUNKS): Chunk[] {
  return [...chunksOf(document, options)]
}

export function* chunksOf(document: BlockedText, options: ChunkOptions = DEFAULT_CHUNKS): Generator<Chunk> {
  const { text } = document
  const { targetChars, overlapChars } = fitted(text, options)
  let open: Unit[] = []
  let previous: Previous | undefined
  let header: Header | undefined
  const close = function* (next: Unit | undefined): Generator<Chunk> {
    // Headings at the end belong to what follows, if that is in the same place.
    const kept = next && samePlace(open[0]!, next) ? trailingHeadings(open) : 0
    const closed = open.slice(0, open.length - kept)
    open = open.slice(open.length - kept)
    if (closed.length === 0) return
    const chunk = toChunk(text, closed, overlaps(previous?.unit, closed[0]!) ? overlapChars : 0, previous, header)
    header = headerAfter(header, closed, text)
    previous = { unit: closed.at(-1)!, start: chunk.start }
    yield chunk
  }
  for (const unit of unitsOf(document, targetChars)) {
    const first = open[0]
    if (first && mustCut(open, unit, targetChars)) {
      yield* close(unit)
      // Headings that were kept back may still not fit, or lie elsewhere.
      if (open.length > 0 && (!samePlace(open[0]!, unit) || unit.end - open[0]!.start > targetChars * 1.5))
        yield* close(undefined)
    }
    open.push(unit)
  }
  if (open.length > 0) yield* close(undefined)
}

/** A block, or a piece of one that is too long for a chunk. */
interface Unit {
  kind: Block["kind"]
  start: number
  end: number
  place: Place
  /** The piece goes on where the one before it ended. */
  continues: boolean
}

/** The chunk before: its last unit, and where it began. */
interface Previous {
  unit: Unit
  start: number
}

interface Header {
  text: string
  place: Place
}

function fitted(text: Characters, { targetChars, overlapChars }: ChunkOptions): ChunkOptions {
  const sample = text.slice(0, SAMPLE_CHARS)
  const dense = sample.match(DENSE_SCRIPT)?.length ?? 0
  const factor = dense > sample.length * DENSE_SHARE ? 0.5 : 1
  const target = Math.max(20, Math.round(targetChars * factor))
  return { targetChars: target, overlapChars: Math.min(Math.round(overlapChars * factor), Math.floor(target / 2)) }
}

function* unitsOf({ text, blocks }: BlockedText, target: number): Generator<Unit> {
  for (const { kind, start, end, place } of blocks) {
    let from = trimmedStart(text, start, end)
    const to = trimmedEnd(text, start, end)
    let continues = false
    while (to - from > target) {
      // Pieces of equal length, so that none is left over that says little.
      const piece = Math.ceil((to - from) / Math.ceil((to - from) / target))
      const cut = findCut(text, from, from + Math.ceil(piece / 2), from + Math.min(target, Math.ceil(piece * 1.15)))
      yield { kind, start: from, end: trimmedEnd(text, from, cut), place, continues }
      from = trimmedStart(text, cut, to)
      continues = true
    }
    if (from < to) yield { kind, start: from, end: to, place, continues }
  }
}

function mustCut(open: Unit[], next: Unit, target: number): boolean {
  const first = open[0]!
  const length = open.at(-1)!.end - first.start
  if (!samePlace(first, next)) return true
  if (next.end - first.start > target) return true
  const onlyHeadings = open.every(unit => unit.kind === "heading")
  return next.kind === "heading" && !onlyHeadings && length >= target * SECTION_SHARE
}

function samePlace({ place: a }: { place: Place }, { place: b }: { place: Place }): boolean {
  return a === b || (a.page === b.page && a.slide === b.slide && a.sheet === b.sheet && a.member === b.member)
}

function trailingHeadings(units: Unit[]): number {
  let count = 0
  while (count < units.length && units[units.length - 1 - count]!.kind === "heading") count++
  return count
}

const RUNNING_TEXT = new Set<Block["kind"]>(["paragraph", "list_item", "notes"])

/** Only a text that was cut for its length overlaps; a new section begins afresh, and rows have their header instead. */
function overlaps(previous: Unit | undefined, first: Unit): boolean {
  if (!previous || !samePlace(previous, first)) return false
  if (first.continues) return first.kind !== "table_row"
  const running = RUNNING_TEXT.has(previous.kind) && RUNNING_TEXT.has(first.kind)
  return running && previous.place.section === first.place.section
}

function toChunk(
  text: Characters,
  units: Unit[],
  overlap: number,
  previous: Previous | undefined,
  header: Header | undefined,
): Chunk {
  const first = units[0]!
  const end = units.at(-1)!.end
  const start =
    overlap > 0 && previous
      ? overlapStart(text, Math.max(previous.start + 1, previous.unit.end - overlap), previous.unit.end, first.start)
      : first.start
  const said = units.find(unit => unit.kind !== "heading") ?? first
  const chunk: Chunk = { start, end, place: said.place }
  const context = contextOf(text, units, header)
  if (context) chunk.context = context
  const sections = sectionsOf(units, start)
  if (sections.length > 1) chunk.sections = sections
  return chunk
}

function sectionsOf(units: Unit[], start: number): SectionStart[] {
  const sections: SectionStart[] = []
  for (const { start: at, place } of units)
    if (sections.length === 0) sections.push([0, place.section])
    else if (place.section !== sections.at(-1)![1]) sections.push([at - start, place.section])
  return sections
}

/** What a reader of the page would see above the slice: the title of its section, the header of its table. */
function contextOf(text: Characters, units: Unit[], header: Header | undefined): string {
  const first = units[0]!
  const { section } = first.place
  const lines: string[] = []
  if (section && first.kind !== "heading" && !text.slice(first.start, first.end).startsWith(section))
    lines.push(section)
  const inTable = first.kind === "table_row" && header && samePlace(header, first)
  if (inTable) lines.push(header.text)
  return lines.map(line => line.slice(0, MAX_CONTEXT_CHARS).toWellFormed()).join("\n")
}

/** The header that rows after these units stand under: the last one, unless something other than rows came after it. */
function headerAfter(header: Header | undefined, units: Unit[], text: Characters): Header | undefined {
  let current = header
  for (const unit of units) {
    if (unit.kind === "table_header") current = { text: text.slice(unit.start, unit.end), place: unit.place }
    else if (unit.kind !== "table_row") current = undefined
  }
  return current
}
