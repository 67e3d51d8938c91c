/**
 * The text that a link shows: its passage, with what stands around it in the same place of the file (page, sheet, slide, file
 * within the file), and nothing from beyond. It is put together from the indexed slices, which between them hold all of the
 * text but line breaks.
 */
import type { OpenedLink } from "../access/links.ts"
import type { Database } from "../storage/database.ts"
import type { Place } from "../storage/document.ts"

export interface LinkedText {
  before: string
  /** Empty where the link names no passage, or none that is there any more. */
  passage: string
  after: string
  /** The place goes on before, or after. */
  goesOnBefore: boolean
  goesOnAfter: boolean
  place: Place
}

type Target = Pick<OpenedLink, "fileId" | "page" | "range">

interface Slice extends Place {
  id: number
  start: number
  end: number
  text: string
}

/** Characters around a passage. */
const AROUND = 900
/** Longest text that is shown, in UTF-16 units; a passage that was found has 4 000 at most. */
const MOST = 12_000
/** Slices looked at on either side; most have some hundred characters. */
const SLICES_AROUND = 32

/** Undefined where the file has no text, or not the page. */
export async function linkedText(database: Database, { fileId, page, range }: Target): Promise<LinkedText | undefined> {
  const live = await database
    .selectFrom("generations")
    .innerJoin("files", "files.id", "generations.file_id")
    .select(["generations.first_chunk as first", "generations.last_chunk as last"])
    .where("files.id", "=", fileId)
    .where("generations.state", "=", "live")
    .whereRef("generations.generation", "=", "files.live_generation")
    .executeTakeFirst()
  if (!live || live.last < live.first) return undefined
  const found = range && (await sliceAt(database, live, range.start))
  const isThere = found && (page === null || pageOf(found) === page)
  // A document that was replaced since has other things where the passage was.
  const anchor = isThere ? found : await firstOf(database, live, page)
  if (!anchor) return undefined
  const slices = await around(database, live, anchor)
  return cut(slices, anchor, isThere ? range : null)
}

interface Span {
  first: number
  last: number
}

const COLUMNS = ["id", "start", "end", "text", "page", "sheet", "slide", "member", "section"] as const

/** Pages of a file within the file are none of its own; slides are pages of theirs. */
const pageOf = ({ page, slide, member }: Place): number | null => (member === null ? (page ?? slide) : null)

const byId = (database: Database, id: number) =>
  database.selectFrom("chunks").select(COLUMNS).where("id", "=", id).executeTakeFirst()

/** The last slice that begins at a position or before. Their starts ascend; a gigabyte of text has a million of them. */
async function sliceAt(database: Database, { first, last }: Span, position: number): Promise<Slice | undefined> {
  let [low, high] = [first, last]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const found = await database.selectFrom("chunks").select("start").where("id", "=", middle).executeTakeFirst()
    if (!found) return undefined
    if (found.start <= position) low = middle
    else high = middle - 1
  }
  const slice = await byId(database, low)
  return slice && position < slice.end ? slice : undefined
}

async function firstOf(database: Database, { first, last }: Span, page: number | null): Promise<Slice | undefined> {
  if (page === null) return byId(database, first)
  return database
    .selectFrom("chunks")
    .select(COLUMNS)
    .where("id", ">=", first)
    .where("id", "<=", last)
    .where("member", "is", null)
    .where(eb => eb.or([eb("page", "=", page), eb("slide", "=", page)]))
    .orderBy("id")
    .limit(1)
    .executeTakeFirst()
}

/** The slices before and after that lie in the same place, without a gap. */
async function around(database: Database, { first, last }: Span, anchor: Slice): Promise<Slice[]> {
  const slices = await database
    .selectFrom("chunks")
    .select(COLUMNS)
    .where("id", ">=", Math.max(first, anchor.id - SLICES_AROUND))
    .where("id", "<=", Math.min(last, anchor.id + SLICES_AROUND))
    .orderBy("id")
    .execute()
  const at = slices.findIndex(({ id }) => id === anchor.id)
  let [from, to] = [at, at]
  while (from > 0 && samePlace(slices[from - 1]!, anchor)) from--
  while (to + 1 < slices.length && samePlace(slices[to + 1]!, anchor)) to++
  return slices.slice(from, to + 1)
}

const samePlace = (a: Place, b: Place): boolean =>
  a.page === b.page && a.sheet === b.sheet && a.slide === b.slide && a.member === b.member

function cut(slices: Slice[], anchor: Slice, range: Target["range"]): LinkedText {
  const base = slices[0]!.start
  const text = joined(slices)
  const within = (position: number) => Math.max(0, Math.min(text.length, position - base))
  const start = range ? within(range.start) : within(anchor.start)
  const end = range ? Math.min(within(range.end), start + MOST) : start
  const from = range ? Math.max(0, start - AROUND) : start
  const to = Math.min(text.length, range ? end + AROUND : start + MOST)
  const { page, sheet, slide, member, section } = anchor
  return {
    before: from > 0 ? text.slice(from, start).replace(/^\S*\s+/, "") : text.slice(0, start),
    passage: text.slice(start, end),
    after: to < text.length ? text.slice(end, to).replace(/\s+\S*$/, "") : text.slice(end),
    goesOnBefore: from > 0,
    goesOnAfter: to < text.length,
    place: { page, sheet, slide, member, section },
  }
}

/** What lies between slices is line breaks; what they share stands once. */
function joined(slices: Slice[]): string {
  let text = ""
  let at = slices[0]!.start
  for (const slice of slices) {
    if (slice.start > at) text += "\n".repeat(slice.start - at)
    text += slice.text.slice(Math.max(0, at - slice.start))
    at = Math.max(at, slice.end)
  }
  return text
}
