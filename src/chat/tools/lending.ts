/**
 * An answer for which the model may call tools of the daemon: ask it, carry out what it calls, give it the results, until
 * it answers. What tools show are passages with numbers of their own, behind those that were found. The last turn has no tools.
 */
import type { ChatTurn, MadeCall } from "../../backends/backend.ts"
import { AppError } from "../../errors.ts"
import type { Guard } from "../../grounding/guard.ts"
import { numberOf, Passages, type Source } from "../../grounding/passages.ts"
import { type Guarded, joined, NOTHING } from "../../guarded.ts"
import {
  type CallHistory,
  carryOut,
  type DoneCall,
  MAX_CALLS_PER_TURN,
  type StepRecorder,
  surplusNote,
} from "../../tools/calls.ts"
import { MAX_RESULT_CHARACTERS, type ToolContext } from "../../tools/tool.ts"
import type { Windowed } from "../answer-window.ts"
import type { Asked, Lent } from "../asked.ts"
import type { ChatDependencies } from "../dependencies.ts"
import type { Ended, Progress } from "../progress.ts"
import lastTurnText from "../prompts/last-turn.txt" with { type: "text" }
import type { PlacedUse, ToolUse } from "../record/facts.ts"
import type { Relay } from "../relay.ts"

/** Turns of the model, the last one without tools. */
const MAX_TURNS = 8
/** Turns that bring nothing but stopped repetitions before the tools are taken away. */
const MAX_IDLE_TURNS = 2
/** After so long no more calls are offered; each call has a limit of its own. */
const MAX_MS = 120_000
/** Share of the window that results may take. */
const RESULT_SHARE = 0.3
/** Digits and marks of tables take a token for each two or three characters. */
const CHARACTERS_PER_TOKEN = 2
/** Less is no result. */
const MIN_CHARACTERS = 400

const LAST_TURN = lastTurnText.trim()
const NO_ANSWER = "the model gave no answer after its calls of tools"

export interface Lending {
  lent: Lent
  relay: Relay
  /** What the model is given before it calls anything. */
  fitted: Pick<Windowed, "sources" | "windowTokens">
  /** One turn of the model. */
  ask(asked: Asked): AsyncGenerator<Progress, Ended>
}

/** @throws AppError model_error where the model goes on to call when it is to answer, or says nothing */
export async function* withTools(
  asked: Asked,
  { lent, relay, fitted, ask }: Lending,
  dependencies: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Ended> {
  const { guard, continued } = asked
  const session = new Session(asked, lent, fitted, dependencies, signal)
  const endsAt = performance.now() + MAX_MS
  const before = continued?.calls.uses ?? []
  let room = (fitted.windowTokens ?? 0) * RESULT_SHARE * CHARACTERS_PER_TOKEN - charactersOf(before)
  guard.trust(LAST_TURN)
  const first = Math.max(0, ...before.map(({ turn }) => turn)) + 1
  let now = first < MAX_TURNS ? asked : withoutCalls(asked)
  for (let turn = first; ; turn++) {
    const ended = yield* ask(now)
    if (relay.made.length === 0 || !offers(now)) {
      if (hasAnswered(now, relay)) return ended
      if (!offers(now)) throw new AppError("model_error", { message: NO_ANSWER })
      now = withoutCalls(now)
      continue
    }
    yield { event: "status", data: { phase: "calling_tool", detail: relay.made[0]!.name.slice(0, 64) } }
    const most = Math.floor(room / Math.min(relay.made.length, MAX_CALLS_PER_TURN))
    const done = yield* session.carry(relay, turn, Math.min(MAX_RESULT_CHARACTERS, Math.max(MIN_CHARACTERS, most)))
    room -= charactersOf(done)
    now = goingOn(now, relay, done)
    const goesOn =
      turn + 1 < MAX_TURNS && session.idleTurns < MAX_IDLE_TURNS && room > MIN_CHARACTERS && performance.now() < endsAt
    if (!goesOn) now = withoutCalls(now)
  }
}

const charactersOf = (results: readonly { result: string }[]): number =>
  results.reduce((sum, { result }) => sum + result.length, 0)

const offers = ({ lent }: Asked): boolean => (lent?.definitions.length ?? 0) > 0

/** A turn that says nothing is an answer where nothing was called: it is the model's own. */
const hasAnswered = ({ lent, continued }: Asked, { said, made }: Relay): boolean =>
  said.trim() !== "" || Boolean(continued?.written) || (made.length === 0 && lent?.exchanges.length === 0)

/** The model is told to answer; where it is in the middle of that, it needs no telling. */
const withoutCalls = (asked: Asked): Asked => ({
  ...asked,
  lent: {
    ...asked.lent!,
    definitions: [],
    ...(asked.continued?.written ? {} : { note: LAST_TURN }),
  },
})

/** With what was called, behind what the reply has said before. */
function goingOn(asked: Asked, relay: Relay, done: readonly DoneCall[]): Asked {
  const { continued, lent } = asked
  const said = continued ? joined(continued.written, relay.said) : relay.said
  return {
    ...asked,
    lent: { ...lent!, exchanges: [...lent!.exchanges, ...exchange(said, relay.made, done)] },
    continued: continued && { ...continued, written: NOTHING },
  }
}

function exchange(said: Guarded<string>, made: readonly MadeCall[], done: readonly DoneCall[]): ChatTurn[] {
  const calls = done.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }))
  const results = done.map(({ id, name, result }, at): ChatTurn => {
    const content = at === done.length - 1 ? result + surplusNote(made.length) : result
    return { role: "tool", toolCallId: id, name, content }
  })
  return [{ role: "assistant", content: said, toolCalls: calls }, ...results]
}

/** The calls of one answer. */
class Session {
  idleTurns = 0
  private readonly history: CallHistory = new Map()
  private readonly passages: Passages
  private readonly context: Omit<ToolContext, "maxCharacters">
  private count: number
  /** What the marks of the reply cite. */
  private sources: readonly Source[]

  constructor(
    { guard, view, scope, continued }: Asked,
    private readonly lent: Lent,
    fitted: Lending["fitted"],
    { bench, search }: Pick<ChatDependencies, "bench" | "search">,
    signal: AbortSignal,
  ) {
    this.guard = guard
    this.sources = continued?.sources ?? fitted.sources
    const uses = continued?.calls.uses ?? []
    const numbers = [...fitted.sources, ...this.sources].map(({ index }) => index)
    this.passages = new Passages(Math.max(0, ...numbers, ...uses.map(({ result }) => numberOf(result) ?? 0)))
    this.count = Math.max(0, ...uses.map(({ id }) => Number(/\d+$/.exec(id)?.[0] ?? 0)))
    this.context = { ...bench, search, view, scope, passages: this.passages, now: () => new Date(), signal }
  }

  private readonly guard: Guard

  /** Carries out the calls that the model made; each is told when it begins, and its result when it is there. */
  async *carry(relay: Relay, turn: number, maxCharacters: number): AsyncGenerator<Progress, DoneCall[]> {
    const calls = relay.made.slice(0, MAX_CALLS_PER_TURN).map(call => ({ ...call, id: `call_${++this.count}` }))
    const known = this.sources
    const told: Progress[] = []
    let wake = () => {}
    const steps = recorder(told, { turn, at: relay.written }, () => wake())
    const { guard, history } = this
    const context = { ...this.context, maxCharacters }
    const carrying = carryOut(calls, { tools: this.lent.tools, context, guard, steps, history, offered: true })
    let done: DoneCall[] | undefined
    let failure: unknown
    const settled = carrying.then(
      all => {
        done = all
      },
      error => {
        failure = error ?? new Error("a call failed")
      },
    )
    while (!done && failure === undefined) {
      await Promise.race([settled, new Promise<void>(resolve => (wake = resolve))])
      for (const each of told.splice(0)) yield* this.tell(each)
    }
    for (const each of told.splice(0)) yield* this.tell(each) // what came while those before it were told
    if (!done) throw failure
    if (this.sources !== known) yield { event: "sources", data: { sources: [...this.sources] } }
    this.idleTurns = done.every(({ repeated }) => repeated) ? this.idleTurns + 1 : 0
    return done
  }

  /** A result comes with the passage that it shows, so that neither is kept without the other. */
  private async *tell(progress: Progress): AsyncGenerator<Progress> {
    yield progress
    for (const use of "added" in progress ? (progress.added.toolCalls ?? []) : []) {
      const source = await this.sourceOf(use)
      if (!source) continue
      this.sources = [...this.sources, source].sort((left, right) => left.index - right.index)
      yield { fact: { sources: [...this.sources] } }
    }
  }

  /** What a result shows under a new number, as a passage of the reply; its text is the result's, which has passed the guard. */
  private async sourceOf({ result, is_error }: ToolUse): Promise<Source | undefined> {
    const index = is_error ? undefined : numberOf(result)
    const passage = this.passages.all().find(each => each.index === index)
    if (!passage || this.sources.some(each => each.index === index)) return undefined
    const { file_id, position } = passage
    const chunkId = await this.context.library.chunkAt(file_id, position.start, position.sheet ?? undefined)
    const text = result.slice(`[${index}] `.length)
    return { ...passage, chunk_id: chunkId ?? "", score: 1, text }
  }
}

/** Tells calls and results as they come. */
function recorder(told: Progress[], place: Pick<PlacedUse, "turn" | "at">, wake: () => void): StepRecorder {
  const begun: { use: Pick<ToolUse, "id" | "name" | "arguments"> }[] = []
  return {
    begin(calls) {
      const first = begun.length
      for (const { id, name, arguments: args } of calls) {
        const use = { id, name, arguments: args as Record<string, unknown> }
        begun.push({ use })
        told.push({ event: "tool_call", data: { tool_call_id: id, name, arguments: use.arguments } })
      }
      wake()
      return calls.map((_, at) => first + at)
    },
    end(index, { result, isError, durationMs, fileIds }) {
      const { use } = begun[index]!
      const call: PlacedUse = {
        ...use,
        ...place,
        result,
        is_error: isError,
        duration_ms: durationMs,
        file_ids: fileIds,
      }
      told.push({ added: { toolCalls: [call] } })
      told.push({ event: "tool_result", data: { tool_call_id: use.id, result, is_error: isError } })
      wake()
    },
  }
}
