/**
 * An answer for which the model may call tools of the daemon: ask it, carry out what it calls, give it the results, until
 * it answers. What tools show are passages with numbers of their own, behind those that were found. The last turn has no tools.
 */
import type { ChatTurn } from "../../backends/backend.ts"
import type { Guard } from "../../grounding/guard.ts"
import { Passages, type Source } from "../../grounding/passages.ts"
import { joined } from "../../guarded.ts"
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
import type { ToolUse } from "../record/facts.ts"
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

export interface Lending {
  lent: Lent
  relay: Relay
  /** What the model is given before it calls anything. */
  fitted: Pick<Windowed, "sources" | "windowTokens">
  /** One turn of the model. */
  ask(asked: Asked): AsyncGenerator<Progress, Ended>
}

export async function* withTools(
  asked: Asked,
  { lent, relay, fitted, ask }: Lending,
  { bench, search }: ChatDependencies,
  signal: AbortSignal,
): AsyncGenerator<Progress, Ended> {
  const { guard, view, scope } = asked
  const numbered = [...fitted.sources, ...(asked.continued?.sources ?? [])]
  const passages = new Passages(Math.max(0, ...numbered.map(({ index }) => index)))
  const session = new Session(lent, guard, { ...bench, search, view, scope, passages, now: () => new Date(), signal })
  const endsAt = performance.now() + MAX_MS
  let sources: readonly Source[] = asked.continued?.sources ?? fitted.sources
  let room = (fitted.windowTokens ?? 0) * RESULT_SHARE * CHARACTERS_PER_TOKEN
  let now: Asked = { ...asked, lent }
  const usage = { prompt_tokens: 0, completion_tokens: 0 }
  guard.trust(LAST_TURN)
  for (let turn = 1; ; turn++) {
    const offers = offered(now)
    const ended = yield* ask(now)
    usage.prompt_tokens += ended.usage.prompt_tokens
    usage.completion_tokens += ended.usage.completion_tokens
    if (relay.made.length === 0 || !offers) return { ...ended, usage }
    yield { event: "status", data: { phase: "calling_tool", detail: relay.made[0]!.name.slice(0, 64) } }
    const most = Math.floor(room / Math.min(relay.made.length, MAX_CALLS_PER_TURN))
    const done = yield* session.carry(relay, Math.min(MAX_RESULT_CHARACTERS, Math.max(MIN_CHARACTERS, most)))
    room -= done.reduce((sum, { result }) => sum + result.length, 0)
    const shown = await sourcesOf(done, passages, bench)
    if (shown.length > 0) {
      const known = new Set(sources.map(({ index }) => index))
      sources = [...sources, ...shown.filter(({ index }) => !known.has(index))]
      yield { fact: { sources: [...sources] } }
      yield { event: "sources", data: { sources: [...sources] } }
    }
    const goesOn =
      turn + 1 < MAX_TURNS && session.idleTurns < MAX_IDLE_TURNS && room > MIN_CHARACTERS && performance.now() < endsAt
    now = { ...continuing(now, relay), after: [...now.after, ...exchange(relay, done)] }
    if (!goesOn)
      now = {
        ...now,
        lent: { ...lent, definitions: [] },
        after: [...now.after, { role: "user", content: LAST_TURN }],
      }
  }
}

const offered = ({ lent }: Asked): boolean => (lent?.definitions.length ?? 0) > 0

/** A reply that is written on goes on behind what it has said before its calls. */
function continuing(asked: Asked, { said }: Relay): Asked {
  const { continued } = asked
  return continued && said ? { ...asked, continued: { ...continued, written: joined(continued.written, said) } } : asked
}

function exchange({ said, made }: Relay, done: readonly DoneCall[]): ChatTurn[] {
  const calls = done.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }))
  const results = done.map(({ id, name, result }, at): ChatTurn => {
    const content = at === done.length - 1 ? result + surplusNote(made.length) : result
    return { role: "tool", toolCallId: id, name, content }
  })
  return [{ role: "assistant", content: said, toolCalls: calls }, ...results]
}

/** What results show under a number, as passages of the reply; their text is the result's, which has passed the guard. */
async function sourcesOf(
  done: readonly DoneCall[],
  passages: Passages,
  { library }: ChatDependencies["bench"],
): Promise<Source[]> {
  const all = new Map(passages.all().map(passage => [passage.index, passage]))
  const found = new Map<number, Source>()
  for (const { result, isError } of done) {
    const [mark, number] = /^\[(\d+)\] /.exec(result) ?? []
    const passage = all.get(Number(number))
    if (isError || mark === undefined || !passage || found.has(passage.index)) continue
    const { file_id, position } = passage
    const chunkId = await library.chunkAt(file_id, position.start, position.sheet ?? undefined)
    found.set(passage.index, { ...passage, chunk_id: chunkId ?? "", score: 1, text: result.slice(mark.length) })
  }
  return [...found.values()].sort((left, right) => left.index - right.index)
}

/** The calls of one answer. */
class Session {
  idleTurns = 0
  private readonly history: CallHistory = new Map()
  private count = 0

  constructor(
    private readonly lent: Lent,
    private readonly guard: Guard,
    private readonly context: ToolContext,
  ) {}

  /** Carries out the calls that the model made; each is told when it begins, and its result when it is there. */
  async *carry({ made }: Relay, maxCharacters: number): AsyncGenerator<Progress, DoneCall[]> {
    const calls = made.slice(0, MAX_CALLS_PER_TURN).map(call => ({ ...call, id: `call_${++this.count}` }))
    const told: Progress[] = []
    let wake = () => {}
    const steps = recorder(told, () => wake())
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
      yield* told.splice(0)
    }
    yield* told.splice(0) // what came while those before it were told
    if (!done) throw failure
    this.idleTurns = done.every(({ repeated }) => repeated) ? this.idleTurns + 1 : 0
    return done
  }
}

/** Tells calls and results as they come. */
function recorder(told: Progress[], wake: () => void): StepRecorder {
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
    end(index, { result, isError, durationMs }) {
      const { use } = begun[index]!
      const file = use.arguments.file_id
      const file_ids = typeof file === "string" ? [file] : []
      const call: ToolUse = { ...use, result, is_error: isError, duration_ms: durationMs, file_ids }
      told.push({ added: { toolCalls: [call] } })
      told.push({ event: "tool_result", data: { tool_call_id: use.id, result, is_error: isError } })
      wake()
    },
  }
}
