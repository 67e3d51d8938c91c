/**
 * A question outside of any conversation: the whole exchange comes with it, tools of the caller perhaps. It is checked and
 * redacted here before anything is asked of a model; what is wrong is thrown.
 */
import type { Filter } from "../access/filter/filter.ts"
import type { View } from "../access/view.ts"
import type { Capability, ChatOptions, ChatTurn } from "../backends/backend.ts"
import type { ResolvedModel } from "../backends/index.ts"
import { invalid } from "../errors.ts"
import type { Guard } from "../grounding/guard.ts"
import { underGuard } from "../grounding/under-guard.ts"
import type { Asked, OfferedTools, PassageRules } from "./asked.ts"
import type { ChatDependencies } from "./dependencies.ts"
import { refuseImages, refuseUnbounded, scopeIn } from "./prepare.ts"
import { CHAT_TOOLS, type ChatToolName, parseFormat, type Reading } from "./settings.ts"

export interface Question {
  /**
   * Oldest first, in any roles. System messages at the beginning are its system prompt. The newest one of a user is what is
   * answered, and searched with. Results follow the calls that they are of, one for each; their `name` may be empty.
   */
  messages: readonly ChatTurn[]
  /** What was said before them, in answers that the question goes on from. */
  before?: readonly ChatTurn[] | undefined
  /** Words of the system for this answer alone: they stand before all else. */
  instructions?: string | undefined
  /** Name of the request's field that holds them, for errors; `messages` where absent. */
  field?: string | undefined
  /** The default model where absent. */
  model?: string | undefined
  /** Search the library for the answer. */
  useLibrary: boolean
  /** With `useLibrary`: only these files, only this context, only what passes this filter; each narrows. */
  fileIds?: readonly string[] | undefined
  contextId?: string | undefined
  filter?: Filter | null | undefined
  /** How many passages are looked for at most, and how surely each has to answer; left to chat where absent. */
  passages?: PassageRules | undefined
  options?: ChatOptions | undefined
  thinking?: boolean | undefined
  /** Tools of the daemon that the model may use by itself; all of them where absent. */
  lends?: readonly ChatToolName[] | undefined
  /** `auto` where absent. */
  reading?: Reading | undefined
  /** As `response_format` of a turn. */
  responseFormat?: unknown
  /** As `redaction` of a turn. */
  redaction?: unknown
  tools?: OfferedTools | undefined
  /** Whom it is for: the customer's own user. */
  endUser?: string | undefined
  /** What its caller wants to be told again with the answer: JSON, redacted as the question is. */
  echo?: Record<string, unknown>
  /** Its filter is stored with a conversation, and must not be private. */
  keepsScope?: boolean
}

/** Messages by what they are to the answer. */
interface Exchange {
  system: string[]
  history: ChatTurn[]
  message: (ChatTurn & { role: "user" }) | null
  after: ChatTurn[]
}

/**
 * @throws AppError invalid_request naming the field (`messages.3`, `tools`, `response_format`), invalid_pattern,
 *   not_found, model_not_found, model_unavailable
 */
export async function prepareQuestion(
  dependencies: ChatDependencies,
  view: View,
  question: Question,
  signal?: AbortSignal,
): Promise<Asked> {
  const turns = turnsOf(question)
  checkOrder(turns, question)
  const format = parseFormat(question.responseFormat ?? null)
  const tools = question.tools?.definitions.length ? question.tools : null
  const prepare = async (guard: Guard): Promise<Asked> => {
    await guard.refusePrivateKeys("response_format", format)
    if (tools) await refusePrivateNames(tools, guard)
    const named = {
      files: Boolean(question.fileIds?.length),
      context: Boolean(question.contextId),
      filter: question.keepsScope ?? false,
    }
    const { fileIds = [], contextId, filter = null } = question
    const asked = { fileIds, contextId: contextId || null, filter, named }
    const scope = await scopeIn(dependencies, view, asked, guard)
    refuseUnbounded({ reading: question.reading ?? "auto", use_library: question.useLibrary }, scope)
    const account = await dependencies.usage.account(view, { endUser: question.endUser, contextId })
    const model = await dependencies.models.resolve(question.model, view.models, account)
    refuseBeyond(model, question, format !== null, guard)
    const { system, history, message, after } = exchangeOf(await asSeen(turns, guard))
    return {
      view,
      model,
      guard,
      scope,
      settings: {
        system_prompt: system.join("\n\n") || null,
        use_library: question.useLibrary,
        options: question.options ?? {},
        thinking: question.thinking ?? false,
        reading: question.reading ?? "auto",
        tools: [...(question.lends ?? CHAT_TOOLS)],
        response_format: format,
      },
      history,
      memory: null,
      message: message?.content ?? null,
      field: question.field ?? "messages",
      images: message?.images ?? [],
      after,
      tools,
      passages: question.passages ?? {},
      continued: null,
      contextTokens: null,
    }
  }
  return underGuard(dependencies, view.workspaceId, question.redaction, prepare, signal)
}

function turnsOf({ instructions, before = [], messages }: Question): ChatTurn[] {
  const system: ChatTurn[] = instructions ? [{ role: "system", content: instructions }] : []
  return [...system, ...before, ...messages]
}

/**
 * Every call has its result, right behind it, and every result its call: models are asked by templates that fail or make
 * something up where it is otherwise.
 */
function checkOrder(turns: readonly ChatTurn[], { messages, field = "messages" }: Question): void {
  const others = turns.length - messages.length
  const placeOf = (at: number) => `${field}.${Math.max(0, at - others)}`
  let open = new Set<string>()
  for (const [at, turn] of turns.entries()) {
    if (turn.role === "tool") {
      if (!open.delete(turn.toolCallId))
        throw invalid(placeOf(at), "a tool message must follow the assistant message whose tool_calls it answers")
      continue
    }
    if (open.size > 0) throw invalid(placeOf(at), missing(open))
    open = new Set(turn.role === "assistant" ? turn.toolCalls?.map(({ id }) => id) : [])
  }
  if (open.size > 0) throw invalid(placeOf(turns.length - 1), missing(open))
}

const missing = (calls: ReadonlySet<string>): string =>
  `tool_calls must be answered by tool messages first; without one: ${[...calls].slice(0, 5).join(", ").slice(0, 200)}`

/** The names of a caller's tools come back in calls, so that none can be replaced. @throws AppError invalid_request */
async function refusePrivateNames({ definitions }: OfferedTools, guard: Guard): Promise<void> {
  for (const [at, { name, parameters }] of definitions.entries()) {
    if (guard.redacts) await guard.refusePrivate(`tools.${at}.function.name`, name)
    await guard.refusePrivateKeys(`tools.${at}.function.parameters`, parameters)
    guard.trust(name)
  }
}

/** @throws AppError invalid_request for what the model cannot do */
function refuseBeyond(
  model: ResolvedModel,
  { messages, field = "messages", tools }: Question,
  formatted: boolean,
  guard: Guard,
): void {
  const { info } = model
  const can = (capability: Capability) => info.canMore || info.capabilities.includes(capability)
  const pictured = messages.findIndex(turn => turn.role === "user" && turn.images?.length)
  if (pictured >= 0) refuseImages(model, guard, `${field}.${pictured}.content`)
  if (tools?.definitions.length && !can("tools")) throw invalid("tools", `${info.value} calls no tools`)
  if (formatted && info.provider === "builtin")
    throw invalid("response_format", `${info.value} quotes documents and writes no JSON`)
}

/** The messages as the model may see them. Ids of calls are renamed under redaction: they may hold anything. */
async function asSeen(messages: readonly ChatTurn[], guard: Guard): Promise<ChatTurn[]> {
  const ids = new Map<string, string>()
  const names = new Map<string, string>()
  const idOf = (id: string): string => {
    if (!guard.redacts) return id
    const known = ids.get(id) ?? `call_${ids.size + 1}`
    ids.set(id, known)
    guard.trust(known)
    return known
  }
  const seen: ChatTurn[] = []
  for (const turn of messages) {
    const content = await guard.text(turn.content)
    if (turn.role === "tool") {
      const id = idOf(turn.toolCallId)
      seen.push({ role: "tool", content, toolCallId: id, name: names.get(id) ?? turn.name })
    } else if (turn.role === "assistant" && turn.toolCalls?.length) {
      const toolCalls = []
      for (const call of turn.toolCalls) {
        const shown = {
          id: idOf(call.id),
          name: await guard.text(call.name),
          arguments: await guard.value(call.arguments),
        }
        names.set(shown.id, shown.name)
        toolCalls.push(shown)
      }
      seen.push({ role: "assistant", content, toolCalls })
    } else seen.push({ ...turn, content })
  }
  return seen
}

function exchangeOf(turns: readonly ChatTurn[]): Exchange {
  const first = turns.findIndex(turn => turn.role !== "system")
  const begin = first < 0 ? turns.length : first
  const asked = turns.findLastIndex(turn => turn.role === "user")
  const message = turns[asked]
  return {
    system: turns.slice(0, begin).map(turn => turn.content),
    history: asked < 0 ? [] : turns.slice(begin, asked),
    message: message?.role === "user" ? message : null,
    after: turns.slice(asked < 0 ? begin : asked + 1),
  }
}
