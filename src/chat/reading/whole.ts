/** Gives the files of a scope whole: their text where it fits into the window, else notes on all of its parts. */
import type { Source } from "../../grounding/passages.ts"
import type { TextFile } from "../../library/whole-texts.ts"
import { roomOf } from "../answer-window.ts"
import type { Asked } from "../asked.ts"
import type { ChatDependencies } from "../dependencies.ts"
import type { ChatEvent } from "../events.ts"
import type { Progress } from "../progress.ts"
import { wholeTokens } from "../prompt.ts"
import type { Dropped } from "../record/facts.ts"
import type { Retrieved } from "../retrieval.ts"
import { readParts } from "./by-parts.ts"
import { fitNotes, joining } from "./joining.ts"
import { NoteTaker } from "./note-taker.ts"
import { nameOf, type Piece, partsOf, shownSources } from "./parts.ts"
import { type Stretch, stretchesOf } from "./stretches.ts"

/** Files that one answer reads at most. */
const MAX_FILES = 200
/** Parts that one answer reads at most: about a thousand pages. */
const MAX_PARTS = 300
/** UTF-16 units of text that are held for one answer at most: what the parts above can hold. */
const MAX_CHARACTERS = 8_000_000
/** Tokens of a text that is given whole to a question which asks for a detail only: some 40 pages, which a local model
 * reads in seconds and once for a conversation; beyond it passages answer sooner. */
const SMALL_TOKENS = 16_000
/** The fewest tokens that a character takes, by which a text is too long before it is read. */
const LEAST_TOKENS = 0.2
/** Share of the room that a whole text may take: the server may count more tokens than we do. */
const WHOLE_SHARE = 0.9
/** Share of the room for notes, so that a conversation does not lose its memory to them. */
const NOTES_SHARE = 0.7
/** Things left out that a warning names. */
const MAX_NAMED = 10

/** The texts of a scope, as they stand in the library. */
interface Texts {
  files: { file: TextFile; stretches: Stretch[] }[]
  /** What cannot be read, in words for readers. */
  left: string[]
  dropped: Dropped[]
}

/** The whole text where the scope is so small that it serves any question; undefined where it is not, or not all is there. */
export async function smallText(asked: Asked, dependencies: ChatDependencies): Promise<Retrieved | undefined> {
  const { windowTokens, answerTokens, fixedTokens } = roomOf(asked, dependencies)
  const room = Math.min(SMALL_TOKENS, (windowTokens - answerTokens - fixedTokens) * WHOLE_SHARE)
  const { files, total } = await dependencies.texts.files(asked.view, asked.scope, MAX_FILES)
  const characters = files.reduce((sum, file) => sum + file.characters, 0)
  const isReady = files.every(({ status }) => status === "searchable")
  if (!isReady || total > files.length || characters === 0 || characters * LEAST_TOKENS > room) return undefined
  const sources = await fitting(await textsOf(files, dependencies), room, asked, dependencies)
  return sources && { sources, inVain: false, whole: true }
}

/** Everything, whatever it takes. Yields progress, and a warning that says what is left out. */
export async function* wholeText(
  asked: Asked,
  question: string,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Retrieved> {
  const { windowTokens, answerTokens, fixedTokens } = roomOf(asked, dependencies)
  yield { event: "status", data: { phase: "reading" } }
  const { files, total } = await dependencies.texts.files(asked.view, asked.scope, MAX_FILES)
  const texts = await textsOf(files, dependencies)
  if (total > files.length) texts.left.push(`${total - files.length} more files: an answer reads ${MAX_FILES} at most`)
  const room = windowTokens - answerTokens - fixedTokens
  const sources = await fitting(texts, room * WHOLE_SHARE, asked, dependencies)
  if (sources) {
    yield* tellLeft(texts)
    return { sources, inVain: sources.length === 0 && total > 0, whole: true }
  }
  const taker = new NoteTaker(asked, question, windowTokens, dependencies)
  const all = partsOf(texts.files, taker.partTokens)
  const parts = all.slice(0, MAX_PARTS)
  const read = yield* readParts(parts, taker, asked, dependencies, signal)
  const [beyond] = all.slice(MAX_PARTS)
  if (beyond) read.left.push(`${all.length - MAX_PARTS} parts from ${nameOf(beyond[0]!)} on: beyond ${MAX_PARTS} parts`)
  const count = (text: string) => dependencies.meter.count(asked.model.info.value, text)
  const most = Math.max(1, dependencies.notesAtOnce)
  const join = joining(parts, taker, asked, dependencies)
  const { partTokens } = taker
  const fitted = yield* fitNotes(read.notes, room * NOTES_SHARE, { count, join, partTokens, most }, signal)
  if (fitted.leftOut > 0) read.left.push(`${fitted.leftOut} sets of notes that do not fit into the model's window`)
  yield* tellLeft({ left: [...texts.left, ...read.left], dropped: [...texts.dropped, ...read.failed.map(droppedPart)] })
  const { notes } = fitted
  return { sources: read.sources, inVain: notes.length === 0, whole: true, notes }
}

/** Reads the texts, bounded, and says what has none. */
async function textsOf(files: readonly TextFile[], { texts }: ChatDependencies): Promise<Texts> {
  const found: Texts = { files: [], left: [], dropped: [] }
  let characters = 0
  for (const file of files) {
    const limit = { characters: MAX_CHARACTERS - characters }
    const { stretches, isCut } = await stretchesOf(texts.slices(file), limit)
    const [last] = stretches.slice(-1)
    characters += last?.position.end ?? 0
    if (stretches.length > 0) found.files.push({ file, stretches })
    const problem = isCut
      ? `only its first ${last?.position.end ?? 0} characters`
      : stretches.length === 0
        ? why(file)
        : ""
    if (!problem) continue
    found.left.push(`${file.name} (${problem})`)
    found.dropped.push({ kind: "part", reason: "failed", file_id: file.id, name: file.name })
  }
  return found
}

function why({ status }: TextFile): string {
  if (status === "failed") return "it could not be read"
  return status === "searchable" ? "it has no text" : "not indexed yet"
}

/** The texts as numbered passages, redacted where the turn is; undefined where they do not fit. */
async function fitting(
  { files }: Texts,
  room: number,
  { guard, model }: Asked,
  { meter }: ChatDependencies,
): Promise<Source[] | undefined> {
  const characters = files.reduce((sum, { stretches }) => sum + (stretches.at(-1)?.position.end ?? 0), 0)
  if (characters * LEAST_TOKENS > room) return undefined
  const sources = await shownSources(
    files.map(text => ({ ...text, before: "", after: "" })),
    guard,
  )
  return wholeTokens(sources, text => meter.count(model.info.value, text)) <= room ? sources : undefined
}

const droppedPart = ({ file, stretches }: Piece): Dropped => ({
  kind: "part",
  reason: "failed",
  file_id: file.id,
  chunk_id: stretches[0]!.chunkId,
  name: file.name,
})

/** Says what is left out, and keeps it for the record. */
function* tellLeft({ left, dropped }: Pick<Texts, "left" | "dropped">): Generator<Progress> {
  if (dropped.length > 0) yield { added: { dropped } }
  if (left.length > 0) yield partialReading(left)
}

export function partialReading(left: readonly string[]): ChatEvent {
  const more = left.length - MAX_NAMED
  const named = [...left.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join("; ")
  return { event: "warning", data: { code: "partial_reading", message: `not everything was read: ${named}` } }
}
