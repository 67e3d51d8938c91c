/**
 * The loop of one run: ask the model, carry out the calls it makes, give it the results, until it answers.
 *
 * A model turn ends in one of four ways: calls (carried out in parallel, the loop goes on), an answer (checked against
 * the output schema, repaired once, the loop ends), something malformed (told to the model, a bounded number of times),
 * or nothing (told likewise). The last allowed turn is asked without tools; when that brings no answer either,
 * the run still completes, with the best text so far.
 *
 * What a turn leaves behind is a `KeptTurn` and the rows of its steps, and nothing else: a run that waited when its daemon
 * ended goes on from those.
 */
import type { ChatTurn, MadeCall, ToolDefinition } from "../backends/backend.ts"
import { givenIn } from "../grounding/foreign-links.ts"
import type { Guard } from "../grounding/guard.ts"
import type { TokenMeter } from "../grounding/tokens.ts"
import { RESULTS_HEAD } from "../grounding/transcript.ts"
import {
  type BegunCall,
  type CallHistory,
  carryOut,
  type DoneCall,
  describeCalls,
  MAX_CALLS_PER_TURN,
  type StepRecorder,
  surplusNote,
} from "../tools/calls.ts"
import { describeIssues, whyNoJson } from "../tools/json-schema.ts"
import type { AnyTool, ToolContext } from "../tools/tool.ts"
import type { RunApprover } from "./approver.ts"
import type { KeptTurn, LoopState } from "./checkpoint.ts"
import { askModel, type RunModel } from "./model-turn.ts"
import { checkOutput, type OutputCheck, violation } from "./output.ts"
import { EMPTY_REPLY, LAST_TURN, NO_NEW_CALLS, ownWords, schemaRepair, systemPrompt } from "./prompts.ts"
import { carryOn, doneBefore, type Resumption } from "./resumed-calls.ts"
import { leakedCall, protocolSchema, readProtocol } from "./text-protocol.ts"

export interface RunInput {
  /** As the model may see it. */
  task: string
  model: RunModel
  meter: TokenMeter
  tools: readonly AnyTool[]
  context: ToolContext
  maxSteps: number
  output: OutputCheck | null
  guard: Guard
  steps: StepRecorder
  /** Made by the loop, which says where it is while a call waits. */
  approver(state: () => LoopState): RunApprover
  /** Where the loop goes on; at its beginning where absent. */
  from?: Resumption
}

export interface RunResult {
  output: string
  /** Undefined without a schema, or when the run ended before an answer met it. */
  structuredOutput: unknown
  finishReason: "final_answer" | "max_steps"
  /** What the model was given, where it may have written what it was not. */
  given?: readonly string[]
}

/** Malformed or empty replies in a row that are returned to the model before its words are taken as they are. */
const MAX_REPAIRS = 3
/** Turns that bring nothing but stopped repetitions before the tools are taken away. */
const MAX_IDLE_TURNS = 2

/** @throws AppError of the model backend, or output_schema_violation; the abort reason when `context.signal` aborts */
export async function runAgent(input: RunInput): Promise<RunResult> {
  const loop = new Loop(input)
  return { ...(await loop.run()), given: loop.given }
}

type Reply = { calls: MadeCall[]; text: string } | { answer: string } | { problem: string; text: string }

class Loop {
  private readonly turns: ChatTurn[]
  private readonly definitions: ToolDefinition[]
  private readonly names: ReadonlySet<string>
  private readonly history: CallHistory = new Map()
  private readonly approver: RunApprover
  /** What came of the model's replies, in order. */
  private readonly kept: KeptTurn[] = []
  /** The turn whose calls are being carried out, and which of its steps repeat a call. */
  private open: KeptTurn = { text: "", told: null, steps: [], made: 0 }
  private repeated: number[] = []
  private readonly counted: number[] = []
  private best = ""
  private lastResult = ""
  private repairs = 0
  private idleTurns = 0
  /** Set once an answer failed the schema: the next turn repairs it, and there is only one. */
  private repairing = false
  private callCount = 0
  /** Turns so far. */
  private turnCount = 0
  /** The last reply is the beginning of a longer one. */
  private cut = false

  constructor(private readonly input: RunInput) {
    const { tools, model, output, guard, task } = input
    this.approver = input.approver(() => this.state)
    this.definitions = tools.map(({ name, description, parameters }) => ({ name, description, parameters }))
    this.names = new Set(tools.map(tool => tool.name))
    guard.trust(...ownWords(tools.filter(tool => !tool.external)))
    for (const tool of tools) if (!tool.external) guard.trust(tool.parameters)
    const system = systemPrompt({
      tools: this.definitions,
      native: model.native,
      outputSchema: output?.schema ?? null,
      redacted: guard.redacts,
    })
    this.turns = [
      { role: "system", content: system },
      { role: "user", content: task },
    ]
  }

  async run(): Promise<RunResult> {
    const { maxSteps, from } = this.input
    if (from) await this.goOn(from)
    while (this.turnCount < maxSteps) {
      const last = ++this.turnCount === maxSteps
      const offersTools = !last && !this.repairing && this.idleTurns < MAX_IDLE_TURNS && this.definitions.length > 0
      const reply = await this.ask(offersTools, last)
      if ("answer" in reply) {
        const result = await this.accept(reply.answer, last)
        if (result) return result
      } else if ("problem" in reply) {
        if (++this.repairs > MAX_REPAIRS) return this.takeAsAnswer(reply.text)
        await this.push(reply.text, reply.problem)
      } else {
        if (this.repairing) throw violation([{ field: "", issue: "the corrected answer was a tool call" }])
        this.repairs = 0
        await this.call(reply.calls, reply.text, offersTools)
      }
    }
    return { output: this.bestSoFar(), structuredOutput: undefined, finishReason: "max_steps" }
  }

  get given(): string[] {
    return givenIn(this.turns)
  }

  private get state(): LoopState {
    const { kept: turns, open, turnCount, idleTurns, callCount, counted, repeated } = this
    return { turns, open, turnCount, idleTurns, callCount, counted, repeated }
  }

  /** From the calls of the turn that was open, without asking the model for what it has said. */
  private async goOn(from: Resumption): Promise<void> {
    const { turns, open, turnCount, idleTurns, callCount, repeated } = from.loop
    for (const turn of turns)
      this.keep(
        turn,
        turn.steps.map(step => doneBefore(from, step)),
      )
    Object.assign(this, { open, turnCount, idleTurns, callCount, repeated })
    this.counted.push(...from.loop.counted)
    const { approver, history } = this
    this.close(await carryOn(from, { ...this.input, approver, history }))
  }

  /** One model turn. */
  private async ask(offersTools: boolean, last: boolean): Promise<Reply> {
    const { model, meter, context, output, guard } = this.input
    const note =
      this.repairing || this.turns.length === 2 || this.definitions.length === 0
        ? ""
        : last
          ? LAST_TURN
          : !offersTools
            ? NO_NEW_CALLS
            : ""
    const turns: ChatTurn[] = note ? [...this.turns, { role: "user", content: note }] : this.turns
    const speaksProtocol = offersTools && !model.native
    const format = speaksProtocol
      ? protocolSchema(this.definitions, output?.schema ?? null)
      : !offersTools
        ? output?.schema
        : undefined
    const tools = offersTools && model.native ? this.definitions : []
    const { signal } = context
    const reply = await askModel({ model, meter, turns, tools, responseFormat: format, guard, signal })
    this.cut = reply.cut
    // Ids of our own: one that a model server made up would be one more text to look at.
    const calls = reply.calls.map(call => ({ ...call, id: this.newCallId() }))
    return this.read(reply.text, calls, speaksProtocol)
  }

  private read(text: string, calls: MadeCall[], speaksProtocol: boolean): Reply {
    const newCallId = () => this.newCallId()
    if (calls.length > 0) return { calls, text }
    if (speaksProtocol) {
      const reply = readProtocol(text, newCallId, this.cut)
      return "answer" in reply ? reply : { ...reply, text }
    }
    const leaked = leakedCall(text, this.names, newCallId)
    if (leaked) return { calls: [leaked], text: "" }
    if (text.trim() === "") return { problem: EMPTY_REPLY, text }
    // A model that was held to the text protocol may go on with it after the tools were taken away.
    const unwrapped =
      this.input.model.native || !text.includes('"final_answer"') ? undefined : readProtocol(text, newCallId)
    return unwrapped && "answer" in unwrapped ? unwrapped : { answer: text.trim() }
  }

  /** The result of the run, or undefined when the answer was sent back for its one repair. */
  private async accept(answer: string, last: boolean): Promise<RunResult | undefined> {
    const { output, guard } = this.input
    if (!output) return { output: await guard.text(answer), structuredOutput: undefined, finishReason: "final_answer" }
    const checked = await checkOutput(answer, output, this.cut, this.input.context.signal)
    if ("value" in checked) {
      const value = await guard.value(checked.value)
      return {
        output: guard.redacts ? (typeof value === "string" ? value : await guard.json(value)) : answer,
        structuredOutput: value,
        finishReason: "final_answer",
      }
    }
    if (this.repairing || last) throw violation(checked.issues)
    this.repairing = true
    await this.push(answer, schemaRepair(describeIssues(checked.issues)))
    return undefined
  }

  private async takeAsAnswer(text: string): Promise<RunResult> {
    if (this.input.output)
      throw violation([{ field: "", issue: `the model gave no readable answer: it ${whyNoJson(text, this.cut)}` }])
    const output = (await this.input.guard.text(text.trim())) || this.bestSoFar()
    return { output, structuredOutput: undefined, finishReason: "final_answer" }
  }

  private async push(text: string, answerToIt: string): Promise<void> {
    this.keep({ text: await this.input.guard.text(text), told: answerToIt, steps: [], made: 0 })
  }

  private async call(calls: MadeCall[], text: string, offered: boolean): Promise<void> {
    const shown = await this.input.guard.text(text)
    const { approver, history } = this
    const begun = (all: BegunCall[]) => {
      this.open = { text: shown, told: null, steps: all.map(({ step }) => step), made: calls.length }
      this.repeated = all.filter(({ repeated }) => repeated).map(({ step }) => step)
      this.counted.push(...all.filter(({ counts }) => counts).map(({ step }) => step))
    }
    const environment = { ...this.input, approver, history, offered, begun }
    this.close(await carryOut(calls.slice(0, MAX_CALLS_PER_TURN), environment))
  }

  /** The calls of the open turn have ended. */
  private close(done: readonly DoneCall[]): void {
    this.idleTurns = done.every(call => call.repeated) ? this.idleTurns + 1 : 0
    this.keep(this.open, done)
  }

  /** @param done the calls of the turn */
  private keep(turn: KeptTurn, done: readonly DoneCall[] = []): void {
    this.kept.push(turn)
    const { text, told } = turn
    if (told === null) this.keepCalls(turn, done)
    else this.turns.push(...(text.trim() === "" ? [] : [said(text)]), { role: "user", content: told })
  }

  private keepCalls({ text, made }: KeptTurn, done: readonly DoneCall[]): void {
    const { guard, model } = this.input
    this.lastResult = done.findLast(call => !call.isError)?.result ?? this.lastResult
    const more = surplusNote(made)
    if (model.native) {
      if (text.trim() !== "") this.best = text.trim()
      this.turns.push({
        role: "assistant",
        content: text,
        toolCalls: done.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
      })
      for (const [at, { id, name, result }] of done.entries())
        this.turns.push({
          role: "tool",
          toolCallId: id,
          name,
          content: at === done.length - 1 ? result + more : result,
        })
    } else {
      const written = JSON.stringify({
        tool_calls: done.map(({ name, arguments: args }) => ({ name, arguments: args })),
      })
      const results = `${RESULTS_HEAD}\n\n${describeCalls(done)}${more}`
      guard.trust(written, results) // made of what has passed: a second look would see it in another light
      this.turns.push(said(written), { role: "user", content: results })
    }
  }

  private bestSoFar(): string {
    if (this.best) return this.best
    const found = this.lastResult ? ` The last result was:\n${this.lastResult.slice(0, 2_000)}` : ""
    return `No answer was reached within ${this.turnCount === 1 ? "1 turn" : `${this.turnCount} turns`}.${found}`
  }

  private newCallId(): string {
    return `call_${++this.callCount}`
  }
}

const said = (content: string): ChatTurn => ({ role: "assistant", content })
