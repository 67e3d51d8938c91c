/**
 * Reads what does not fit into a model's window part by part: notes are made of the parts beside each other, kept as they
 * come. A part that fails is left out and told of; one that lost a file meanwhile is read again without it; where the model
 * cannot be reached the reading ends with that error, and goes on from the kept notes when it is asked for again.
 */
import { AppError } from "../../errors.ts"
import { numbersIn, renumbered } from "../../grounding/citations.ts"
import { headOf, type Source } from "../../grounding/passages.ts"
import type { Guarded } from "../../guarded.ts"
import type { TextFile } from "../../library/whole-texts.ts"
import { log } from "../../log.ts"
import type { Asked } from "../asked.ts"
import type { ChatDependencies } from "../dependencies.ts"
import type { ChatEvent, PartsDone } from "../events.ts"
import { atOnce } from "./at-once.ts"
import { type Note, noteKey } from "./note-store.ts"
import { NOTES_VERSION, type NoteTaker } from "./note-taker.ts"
import { nameOf, type Part, type Piece, shownSources } from "./parts.ts"

/** Notes made at the same time for one answer: further ones would stand before other people's questions. */
const NOTES_AT_ONCE = 8
/** Stretches that the notes may cite together: readers get the text of each. */
const MAX_SOURCES = 400
const GONE = "deleted or changed while it was read"

export interface PartsRead {
  /** Of each part that says something, in reading order; their marks cite `sources`. */
  notes: string[]
  /** What the notes cite. */
  sources: Source[]
  /** What was not read, in words for readers. */
  left: string[]
  failed: Piece[]
}

interface Made {
  /** What the note is of. */
  part: Part
  /** What stood in the part and is deleted or another by now. */
  gone: Piece[]
  note?: Note
  /** Why there is none. */
  problem?: string
}

/** @throws AppError where no part could be read, or the model cannot be reached */
export async function* readParts(
  parts: readonly Part[],
  taker: NoteTaker,
  asked: Asked,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, PartsRead> {
  const { notes: kept, notesAtOnce } = dependencies
  const keyOf = (part: Part) => keyOfNote(placesOf(part), taker, asked)
  const known = await kept.find(parts.map(keyOf))
  let failure: unknown
  const read = async ({ part: before, gone: goneBefore }: Made, stop: AbortSignal): Promise<Made> => {
    const [part, lost] = await stillThere(before, asked, dependencies)
    const gone = [...goneBefore, ...lost]
    if (part.length === 0) return { part, gone }
    const key = keyOf(part)
    const had = known.get(key)
    if (had !== undefined) return { part, gone, note: { text: trusted(had, asked) } }
    try {
      const note = await taker.note(part, stop)
      await keepNote(key, note, filesOf([part]), asked, dependencies)
      return { part, gone, note }
    } catch (error) {
      stop.throwIfAborted()
      if (!(error instanceof AppError) || error.code === "model_unavailable") throw error
      failure = error
      return { part, gone, problem: "the model failed" }
    }
  }
  const most = Math.max(1, Math.min(NOTES_AT_ONCE, notesAtOnce))
  const ended: Made[] = parts.map(part => ({ part, gone: [] }))
  let done = 0
  yield status({ done, total: parts.length })
  for (let waiting = ended.keys().toArray(); waiting.length > 0; ) {
    const readAt = async (at: number, stop: AbortSignal) => ({ at, made: await read(ended[at]!, stop) })
    for await (const { at, made } of atOnce(waiting, most, readAt, signal)) {
      ended[at] = made
      done = Math.min(done + 1, parts.length)
      yield status({ done, total: parts.length })
    }
    waiting = await changed(ended, asked, dependencies)
  }
  if (failure && ended.every(({ note }) => note === undefined)) throw failure
  return { ...(await numbered(ended, asked)), ...missing(ended) }
}

function missing(ended: readonly Made[]): Pick<PartsRead, "left" | "failed"> {
  const left: string[] = []
  const failed: Piece[] = []
  for (const { part, gone, problem } of ended) {
    const lost = problem ? part : []
    left.push(...lost.map(piece => `${nameOf(piece)} (${problem})`), ...gone.map(piece => `${nameOf(piece)} (${GONE})`))
    failed.push(...lost, ...gone)
  }
  return { left, failed }
}

/** The files of the parts, each once. */
export const filesOf = (parts: readonly Part[]): TextFile[] => [
  ...new Map(parts.flat().map(({ file }) => [file.id, file])).values(),
]

const placesOf = (part: Part) =>
  part.map(({ file, stretches }) => {
    const [from, to] = [stretches[0]!.position.start, stretches.at(-1)!.position.end]
    return [file.id, file.generation, from, to]
  })

/** Of what was made for this question by this model. @param of what it was made from */
export const keyOfNote = (of: unknown, { question, noteTokens }: NoteTaker, { view, model, guard }: Asked): string =>
  noteKey(view, [NOTES_VERSION, of, question, model.info.value, guard.key, noteTokens])

/** What of a part is as it was, and what is nobody's to see any more: its file is deleted or another by now. */
async function stillThere(
  part: Part,
  { view }: Asked,
  { texts }: Pick<ChatDependencies, "texts">,
  known = new Map<string, boolean>(),
): Promise<[there: Part, gone: Piece[]]> {
  for (const { file } of part) if (!known.has(file.id)) known.set(file.id, await texts.isCurrent(view, file))
  return [part.filter(({ file }) => known.get(file.id)), part.filter(({ file }) => !known.get(file.id))]
}

/** The places of the parts whose note tells of a file that is gone since. */
async function changed(
  ended: readonly Made[],
  asked: Asked,
  dependencies: Pick<ChatDependencies, "texts">,
): Promise<number[]> {
  const known = new Map<string, boolean>()
  const places: number[] = []
  for (const [at, { part }] of ended.entries()) {
    const [, gone] = await stillThere(part, asked, dependencies, known)
    if (gone.length > 0) places.push(at)
  }
  return places
}

/** What is not kept is only made again. */
export const keepNote = (
  key: string,
  note: Guarded<Note>,
  files: readonly TextFile[],
  { view, conversationId }: Asked,
  { notes }: ChatDependencies,
): Promise<void> =>
  notes
    .keep(key, note, { workspaceId: view.workspaceId, files, conversationId: conversationId ?? null })
    .catch(error => log.debug("a note is not kept", { error }))

export const status = (detail: PartsDone): ChatEvent => ({ event: "status", data: { phase: "reading", detail } })

/** A note that went through the same guard when it was made. */
export function trusted(text: string, { guard }: Asked): string {
  guard.trust(text)
  return text
}

/** The notes with marks that count the stretches that any of them cites, through all parts. */
async function numbered(all: readonly Made[], { guard }: Asked): Promise<Pick<PartsRead, "notes" | "sources">> {
  const telling = all.flatMap(({ part, note }) => (note?.text ? [{ part, text: note.text }] : []))
  const most = Math.max(1, Math.floor(MAX_SOURCES / Math.max(1, telling.length)))
  const notes: string[] = []
  const sources: Source[] = []
  for (const { part, text } of telling) {
    const shown = await shownSources(part, guard)
    const cited = numbersIn(text).filter(number => number <= shown.length)
    const numbers = new Map<number, number>()
    for (const number of cited.slice(0, most).sort((left, right) => left - right)) {
      numbers.set(number, sources.length + 1)
      sources.push({ ...shown[number - 1]!, index: sources.length + 1 })
    }
    let body = renumbered(text, number => numbers.get(number) ?? 0)
    if (numbers.size === 0) {
      // A note that cites nothing is about its part, which can be opened at its beginning.
      sources.push({ ...shown[0]!, index: sources.length + 1 })
      body += ` [${sources.length}]`
    }
    guard.trust(body, ...sources.slice(-most).map(headOf))
    notes.push(body)
  }
  return { notes, sources }
}
