/** Asks a model for notes: of one part of a text, and of notes that are too long together. */
import { CHAT_REQUEST, type ChatRequest, type ChatTurn, ContextOverflowError } from "../../backends/backend.ts"
import { guessTokens } from "../../backends/guess-tokens.ts"
import { AppError } from "../../errors.ts"
import { numbersIn, renumbered, withoutControl, withoutMarks } from "../../grounding/citations.ts"
import { withoutForeignLinks } from "../../grounding/foreign-links.ts"
import { headOf } from "../../grounding/passages.ts"
import { turnTokens } from "../../grounding/tokens.ts"
import type { Guarded } from "../../guarded.ts"
import { log } from "../../log.ts"
import { pause } from "../../threads/or-abort.ts"
import type { Asked } from "../asked.ts"
import type { ChatDependencies } from "../dependencies.ts"
import { chooseWindow } from "../prompt.ts"
import joinText from "../prompts/join-notes.txt" with { type: "text" }
import partText from "../prompts/part-notes.txt" with { type: "text" }
import { NOTE, type Note } from "./note-store.ts"
import { halvesOf, type Part, shownSources } from "./parts.ts"

const PART_TASK = partText.trim()
const JOIN_TASK = joinText.trim()
/** Tokens of one set of notes at most. */
const NOTE_TOKENS = 600
/** Tokens of one part at most: a model overlooks more of a longer one, and shorter ones are read beside each other. */
const PART_TOKENS = 6_000
/** Share of the window for the notes of one part, where it is small. */
const NOTE_SHARE = 1 / 6
/** Of what is left of the window: a guess of tokens may be this much too low before a part is halved. */
const SAFETY = 0.8
/** Words of ours around a part. */
const FRAME_TOKENS = 300
/** How often a part is asked for where the model's answer fails. */
const TRIES = 2
/** How often a model is asked again that has too much to do, and after how long. */
const BUSY_TRIES = 12
const BUSY_MS = 5_000
/** UTF-16 units of the question that a note is made for. */
const MAX_QUESTION = 2_000
/** Renewed with the task, and with what is taken out of notes: those that were made otherwise are not used. */
export const NOTES_VERSION = 3

export class NoteTaker {
  readonly question: string
  readonly noteTokens: number
  /** Tokens of one part at most. */
  readonly partTokens: number

  /** @param windowTokens that the model has for a request */
  constructor(
    private readonly asked: Asked,
    question: string,
    private readonly windowTokens: number,
    private readonly dependencies: Pick<ChatDependencies, "meter">,
  ) {
    this.question = question.slice(0, MAX_QUESTION).toWellFormed()
    this.noteTokens = Math.min(NOTE_TOKENS, Math.floor(windowTokens * NOTE_SHARE))
    const room = windowTokens - this.noteTokens - FRAME_TOKENS - guessTokens(this.question)
    this.partTokens = Math.max(100, Math.min(PART_TOKENS, Math.floor(room * SAFETY)))
    asked.guard.trust(PART_TASK, JOIN_TASK, this.question)
  }

  /**
   * What the part says about the question; its marks count the part's stretches.
   * @throws AppError of the backend, once trying again has not helped
   */
  async note(part: Part, signal: AbortSignal): Promise<Guarded<Note>> {
    const sources = await shownSources(part, this.asked.guard)
    const passages = sources.map(source => `${headOf(source)}\n${withoutMarks(source.text)}`)
    try {
      const text = await this.ask(PART_TASK, passages, signal)
      return await this.shown(
        isNothing(text) ? "" : renumbered(text, number => (number <= sources.length ? number : 0)),
      )
    } catch (error) {
      const halves = error instanceof ContextOverflowError ? halvesOf(part) : undefined
      if (!halves) throw error
      const [first, second] = halves
      const before = await this.note(first, signal)
      const after = await this.note(second, signal)
      const moved = renumbered(after.text, number => number + stretchesIn(first))
      return this.shown([before.text, moved].filter(Boolean).join("\n"))
    }
  }

  /** One set of notes of several. Marks that none of them had are taken out. */
  async join(notes: readonly string[], signal: AbortSignal): Promise<Guarded<Note>> {
    const known = new Set(notes.flatMap(numbersIn))
    const text = await this.ask(JOIN_TASK, notes, signal)
    return this.shown(renumbered(text, number => (known.has(number) ? number : 0)))
  }

  private shown(text: string): Promise<Guarded<Note>> {
    return this.asked.guard.pass<Note>({ text }, NOTE)
  }

  private count = (text: string): number => this.dependencies.meter.count(this.asked.model.info.value, text)

  private async ask(task: string, material: readonly string[], signal: AbortSignal): Promise<string> {
    for (let failed = 0, busy = 0; ; ) {
      try {
        // The notes stand in the prompt of the answer as if they were given: an address in them has to be, and no
        // document may have a model write what ends our words there.
        const written = withoutControl(await this.answer(task, material, signal))
        return withoutForeignLinks(written, [...material, this.question])
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ContextOverflowError || !(error instanceof AppError)) throw error
        if (error.code === "overloaded" && ++busy < BUSY_TRIES) await pause(BUSY_MS, signal)
        else if (error.code !== "model_error" || ++failed === TRIES) throw error
        else log.debug("notes are asked for again", { error })
      }
    }
  }

  private async answer(task: string, material: readonly string[], signal: AbortSignal): Promise<string> {
    const { model, guard, settings, contextTokens: stickyTokens } = this.asked
    const { backend, name } = model
    const content = [...material, `Question: ${this.question}`].join("\n\n")
    const turns: ChatTurn[] = [
      { role: "system", content: task },
      { role: "user", content },
    ]
    const promptTokens = turns.reduce((sum, turn) => sum + turnTokens(turn, this.count), 0)
    const loadedTokens = backend.loadedContextTokens?.(name) ?? null
    const neededTokens = promptTokens + this.noteTokens
    const contextTokens = chooseWindow({ neededTokens, windowTokens: this.windowTokens, stickyTokens, loadedTokens })
    const { seed } = settings.options
    const options = { temperature: 0, max_tokens: this.noteTokens, ...(seed === undefined ? {} : { seed }) }
    const request: ChatRequest = { model: name, turns, options, contextTokens, thinking: false, signal }
    let text = ""
    for await (const piece of backend.chat(await guard.pass<ChatRequest>(request, CHAT_REQUEST))) {
      if (piece.type === "text") text += piece.text
    }
    if (!text.trim()) throw new AppError("model_error", { message: "the model wrote no notes" })
    return text.trim()
  }
}

const stretchesIn = (part: Part): number => part.reduce((sum, { stretches }) => sum + stretches.length, 0)

const isNothing = (text: string): boolean => /^\W*nothing\W*$/i.test(text)
