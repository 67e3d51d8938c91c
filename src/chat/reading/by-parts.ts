/**
 * Reads what does not fit into a model's window part by part: notes are made of the parts beside each other, kept as they
 * come. A part that fails is left out and told of; where the model cannot be reached the reading
 * ends with that error, and goes on from the kept notes when it is asked for again.
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
import { nameOf, type Part, shownSources } from "./parts.ts"

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
  failed: Part[]
}

interface Made {
  part: Part
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
  const { notes: kept, texts, notesAtOnce } = dependencies
  const { view, guard, model } = asked
  const keyOf = ({ file, stretches }: Part) => {
    const place = [file.id, file.generation, stretches[0]!.position.start, stretches.at(-1)!.position.end]
    return noteKey(view, [NOTES_VERSION, ...place, taker.question, model.info.value, guard.key, taker.noteTokens])
  }
  const known = await kept.find(parts.map(keyOf))
  const made = new Map<Part, Made>()
  let failure: unknown
  const read = async (part: Part, stop: AbortSignal): Promise<Made> => {
    if (!(await texts.isCurrent(view, part.file))) return { part, problem: GONE }
    const key = keyOf(part)
    const before = known.get(key)
    if (before !== undefined) return { part, note: { text: trusted(before, asked) } }
    try {
      const note = await taker.note(part, stop)
      await keepNote(key, note, part.file, asked, dependencies)
      return { part, note }
    } catch (error) {
      stop.throwIfAborted()
      if (!(error instanceof AppError) || error.code === "model_unavailable") throw error
      failure = error
      return { part, problem: "the model failed" }
    }
  }
  const most = Math.max(1, Math.min(NOTES_AT_ONCE, notesAtOnce))
  yield status({ done: 0, total: parts.length })
  for await (const each of atOnce(parts, most, read, signal)) {
    made.set(each.part, each)
    yield status({ done: made.size, total: parts.length })
  }
  const ended = parts.map(part => made.get(part)!)
  if (failure && ended.every(({ note }) => note === undefined)) throw failure
  const all = await stillThere(ended, asked, dependencies)
  const left = all.flatMap(({ part, problem }) => (problem ? [`${nameOf(part)} (${problem})`] : []))
  const failed = all.flatMap(({ part, note }) => (note ? [] : [part]))
  return { ...(await numbered(all, asked)), left, failed }
}

/** What was read of a file that is deleted or another by now is nobody's to see any more. */
async function stillThere(
  ended: readonly Made[],
  { view }: Asked,
  { texts }: Pick<ChatDependencies, "texts">,
): Promise<Made[]> {
  const files = new Map<string, boolean>()
  for (const { part } of ended)
    if (!files.has(part.file.id)) files.set(part.file.id, await texts.isCurrent(view, part.file))
  return ended.map(made => (files.get(made.part.file.id) ? made : { part: made.part, problem: GONE }))
}

/** What is not kept is only made again. */
export const keepNote = (
  key: string,
  note: Guarded<Note>,
  { id, generation }: TextFile,
  { view, conversationId }: Asked,
  { notes }: ChatDependencies,
): Promise<void> =>
  notes
    .keep(key, note, { workspaceId: view.workspaceId, fileId: id, generation, conversationId: conversationId ?? null })
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
