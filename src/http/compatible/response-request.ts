/** A request for a response as a question to chat. What is not supported is refused with the name of the parameter. */
import { checkFilter, type Filter, joinFilters } from "../../access/filter/filter.ts"
import type { View } from "../../access/view.ts"
import type { ChatTurn, ToolChoice } from "../../backends/backend.ts"
import type { KeptQuestion } from "../../chat/kept-answers.ts"
import { AppError, invalid } from "../../errors.ts"
import type { VectorStores } from "../../library/vector-stores.ts"
import { endUserIn } from "./end-user.ts"
import { namedModel } from "./model-names.ts"
import { type InputFiles, turnsOf } from "./response-input.ts"
import type { ResponseBody, ResponseTool } from "./responses.docs.ts"
import { contextOf } from "./vector-stores.ts"

export interface AskedResponse {
  question: KeptQuestion
  /** Before the model's value in its name; see `model-names.ts`. */
  prefix: string
}

/** @throws AppError invalid_request naming the parameter; not_found for a store; model_not_found */
export async function askedResponse(stores: VectorStores, view: View, body: ResponseBody): Promise<AskedResponse> {
  refuseUnsupported(body)
  const named = body.model ? await namedModel(stores, view, body.model) : undefined
  const tools = body.tool_choice === "none" ? [] : (body.tools ?? [])
  const { turns, fileIds } = turnsOf(body.input)
  const scope = await scopeOf(stores, view, body, { tools, files: fileIds, contextId: named?.contextId })
  const useLibrary = named?.useLibrary === true || scope.searches
  if (!useLibrary && body.carrel?.filter != null)
    throw invalid("carrel.filter", "needs file_search, or a model of the library: library/… in its name")
  return {
    prefix: named?.prefix ?? "",
    question: {
      messages: turns,
      field: "input",
      instructions: body.instructions ?? undefined,
      model: named?.model,
      useLibrary,
      contextId: scope.contextId,
      fileIds: scope.fileIds,
      filter: scope.filter,
      passages: scope.passages,
      options: optionsOf(body),
      thinking: !["none", "minimal"].includes(body.reasoning?.effort ?? "none"),
      responseFormat: body.text?.format,
      reading: body.carrel?.reading ?? undefined,
      redaction: body.carrel?.redaction ?? undefined,
      lends: body.carrel?.tools ?? undefined,
      tools: functionsOf(tools, body),
      endUser: endUserIn(view, body),
      echo: echoOf(body, { useLibrary, prefix: named?.prefix ?? "" }),
    },
  }
}

/** What a response shows again of its request. */
export interface Echo {
  instructions: string | null
  max_output_tokens: number | null
  metadata: Record<string, unknown>
  parallel_tool_calls: boolean
  effort: string | null
  temperature: number | null
  format: Record<string, unknown>
  tool_choice: string | Record<string, unknown>
  tools: Record<string, unknown>[]
  top_p: number | null
  user: string | null
  background: boolean
  /** The library was searched. */
  searches: boolean
  prefix: string
}

const echoOf = (body: ResponseBody, own: { useLibrary: boolean; prefix: string }): Echo & Record<string, unknown> => ({
  instructions: body.instructions ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  metadata: body.metadata ?? {},
  parallel_tool_calls: body.parallel_tool_calls ?? true,
  effort: body.reasoning?.effort ?? null,
  temperature: body.temperature ?? null,
  format: body.text?.format ?? { type: "text" },
  tool_choice: body.tool_choice ?? "auto",
  tools: body.tools ?? [],
  top_p: body.top_p ?? null,
  user: body.user ?? body.safety_identifier ?? null,
  background: body.background ?? false,
  searches: own.useLibrary,
  prefix: own.prefix,
})

function refuseUnsupported(body: ResponseBody): void {
  if (body.background && body.store === false) throw invalid("background", "needs store")
  if (body.conversation != null) throw invalid("conversation", "is not supported: use previous_response_id")
  if (body.prompt != null) throw invalid("prompt", "is not supported: there are no stored prompts")
  for (const [at, { type, name }] of (body.tools ?? []).entries()) {
    if (type !== "file_search" && type !== "function")
      throw invalid(`tools.${at}.type`, "must be file_search or function")
    if (type === "function" && !name) throw invalid(`tools.${at}.name`, "is missing")
  }
}

function optionsOf({ temperature, top_p, max_output_tokens: most }: ResponseBody): KeptQuestion["options"] {
  return {
    ...(temperature == null ? {} : { temperature }),
    ...(top_p == null ? {} : { top_p }),
    ...(most == null ? {} : { max_tokens: most }),
  }
}

function functionsOf(tools: readonly ResponseTool[], body: ResponseBody): KeptQuestion["tools"] {
  const definitions = tools
    .filter(({ type }) => type === "function")
    .map(({ name, description, parameters }) => ({
      name: name ?? "",
      description: description ?? "",
      parameters: parameters ?? { type: "object", properties: {} },
    }))
  const choice = choiceOf(body.tool_choice ?? "auto", definitions)
  if (definitions.length === 0) return undefined
  return {
    definitions,
    choice,
    ...(body.parallel_tool_calls == null ? {} : { parallel: body.parallel_tool_calls }),
  }
}

/** The library is searched whatever is chosen, so that choosing `file_search` leaves the functions to the model. */
function choiceOf(
  choice: NonNullable<ResponseBody["tool_choice"]>,
  definitions: readonly { name: string }[],
): ToolChoice {
  if (typeof choice === "string") return choice
  if (choice.type === "file_search") return "auto"
  if (choice.type !== "function") throw invalid("tool_choice.type", "must be function or file_search")
  const { name } = choice
  if (!name || !definitions.some(tool => tool.name === name))
    throw invalid("tool_choice.name", "must name one of the functions")
  return { name }
}

interface Given {
  tools: readonly ResponseTool[]
  files: InputFiles
  /** Of the model's name. */
  contextId: string | undefined
}

/** Where is searched, and how: what the tool, the model's name, the input's files and the extension say, joined. */
async function scopeOf(stores: VectorStores, view: View, { carrel }: ResponseBody, { tools, files, contextId }: Given) {
  const at = tools.findIndex(({ type }) => type === "file_search")
  const search = tools[at]
  if (tools.findLastIndex(({ type }) => type === "file_search") !== at)
    throw invalid("tools", "must hold file_search once at most; it takes several vector_store_ids")
  const fileIds = [...(carrel?.file_ids ?? []), ...files]
  const filters: (Filter | undefined)[] = []
  let context = contextId
  if (search) {
    const contexts = await contextsOf(stores, view, search.vector_store_ids ?? [], `tools.${at}.vector_store_ids`)
    if (contexts.length === 1 && context === undefined) context = contexts[0]
    else filters.push({ type: "in", key: "file.context_id", value: contexts })
    if (search.filters != null)
      filters.push(checkFilter(search.filters, { place: `tools.${at}.filters`, bareKeys: true }))
  }
  if (carrel?.filter != null) filters.push(checkFilter(carrel.filter, { place: "carrel.filter", bareKeys: true }))
  const limit = search?.max_num_results
  const minRelevance = search?.ranking_options?.score_threshold
  return {
    searches: search !== undefined || fileIds.length > 0,
    contextId: context,
    fileIds: fileIds.length > 0 ? fileIds : undefined,
    filter: joinFilters(...filters),
    passages: { ...(limit == null ? {} : { limit }), ...(minRelevance == null ? {} : { minRelevance }) },
  }
}

async function contextsOf(stores: VectorStores, view: View, ids: readonly string[], field: string): Promise<string[]> {
  if (ids.length === 0) throw invalid(field, "must name a vector store")
  const contexts = [...new Set(ids.map(contextOf))]
  for (const contextId of contexts)
    if (!(await stores.exists(view, contextId)))
      throw new AppError("not_found", { message: "there is no such vector store", details: [{ field }] })
  return contexts
}

/** The newest message of a user, which is what is searched with. */
export const queriesOf = (turns: readonly ChatTurn[]): string[] => {
  const asked = turns.findLast(({ role }) => role === "user")
  return asked?.content ? [asked.content] : []
}
