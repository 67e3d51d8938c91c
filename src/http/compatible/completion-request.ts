/** A request in OpenAI's shape as a question to chat. What is not supported is refused with the name of the parameter. */
import type { Static } from "elysia"
import { checkFilter } from "../../access/filter/filter.ts"
import type { ChatImage, ChatTurn, ToolCall, ToolChoice } from "../../backends/backend.ts"
import { parseBounded } from "../../bounded-json.ts"
import type { Question } from "../../chat/question.ts"
import { invalid } from "../../errors.ts"
import type { CompletionMessage, completionBody } from "./chat-completions.docs.ts"
import type { NamedModel } from "./model-names.ts"

export type CompletionBody = Static<typeof completionBody>

/** Pictures of one request, and the bytes of each. */
const MAX_IMAGES = 8
const MAX_IMAGE_BYTES = 10_000_000
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"]
/** Characters of all texts: more than any window holds. */
const MAX_CHARACTERS = 4_000_000

/** @throws AppError invalid_request, invalid_filter naming the parameter */
export function questionOf(body: CompletionBody, { model, useLibrary, contextId }: NamedModel): Question {
  const { carrel, temperature, top_p, seed, stop } = body
  if (!useLibrary)
    for (const name of ["filter", "file_ids"] as const)
      if (carrel?.[name] != null) throw invalid(`carrel.${name}`, "needs a model of the library: library/… in its name")
  const maxTokens = body.max_completion_tokens ?? body.max_tokens
  return {
    messages: turnsOf(body.messages),
    model,
    useLibrary,
    contextId,
    fileIds: carrel?.file_ids ?? undefined,
    filter: carrel?.filter == null ? null : checkFilter(carrel.filter, { place: "carrel.filter", bareKeys: true }),
    options: {
      ...(temperature == null ? {} : { temperature }),
      ...(top_p == null ? {} : { top_p }),
      ...(maxTokens == null ? {} : { max_tokens: maxTokens }),
      ...(seed == null ? {} : { seed }),
      ...(stop == null ? {} : { stop: typeof stop === "string" ? [stop] : stop }),
    },
    thinking: !["none", "minimal"].includes(body.reasoning_effort ?? "none"),
    responseFormat: body.response_format,
    reading: carrel?.reading ?? undefined,
    lends: carrel?.tools ?? undefined,
    redaction: carrel?.redaction ?? undefined,
    tools: toolsOf(body),
  }
}

function toolsOf({ tools, tool_choice: choice, parallel_tool_calls: parallel }: CompletionBody): Question["tools"] {
  if (!tools?.length) {
    if (choice && choice !== "none" && choice !== "auto") throw invalid("tool_choice", "needs tools")
    return undefined
  }
  const definitions = tools.map(({ type, function: given }, at) => {
    if (type !== "function" || !given) throw invalid(`tools.${at}.type`, "must be function")
    return {
      name: given.name,
      description: given.description ?? "",
      parameters: given.parameters ?? { type: "object", properties: {} },
    }
  })
  return {
    definitions,
    ...(choice == null ? {} : { choice: choiceOf(choice, definitions) }),
    ...(parallel == null ? {} : { parallel }),
  }
}

function choiceOf(
  choice: NonNullable<CompletionBody["tool_choice"]>,
  definitions: readonly { name: string }[],
): ToolChoice {
  if (typeof choice === "string") return choice
  const { name } = choice.function
  if (!definitions.some(tool => tool.name === name)) throw invalid("tool_choice", "must name one of the tools")
  return { name }
}

function turnsOf(messages: readonly CompletionMessage[]): ChatTurn[] {
  const turns = messages.map(turnOf)
  checkSize(turns, "messages")
  return turns
}

/** @throws AppError invalid_request naming the field that holds the turns */
export function checkSize(turns: readonly ChatTurn[], field: string): void {
  const images = turns.reduce((sum, turn) => sum + (turn.role === "user" ? (turn.images?.length ?? 0) : 0), 0)
  if (images > MAX_IMAGES) throw invalid(field, `must hold at most ${MAX_IMAGES} pictures`)
  if (turns.reduce((sum, { content }) => sum + content.length, 0) > MAX_CHARACTERS)
    throw invalid(field, `must hold at most ${MAX_CHARACTERS} characters`)
}

function turnOf(message: CompletionMessage, at: number): ChatTurn {
  const place = `messages.${at}`
  const { role } = message
  const { content, images } = contentOf(message, `${place}.content`)
  if (role === "user") return images.length > 0 ? { role, content, images } : { role, content }
  if (images.length > 0) throw invalid(`${place}.content`, "only messages of the user hold pictures")
  if (role === "tool") {
    if (!message.tool_call_id) throw invalid(`${place}.tool_call_id`, "is missing")
    return { role, content, toolCallId: message.tool_call_id, name: "" }
  }
  if (role !== "assistant") return { role: "system", content }
  const toolCalls = message.tool_calls?.map((call, n) => callOf(call, `${place}.tool_calls.${n}`)) ?? []
  return toolCalls.length > 0 ? { role, content, toolCalls } : { role, content }
}

type Part = Exclude<NonNullable<CompletionMessage["content"]>, string>[number]

function contentOf({ role, content, tool_calls }: CompletionMessage, place: string) {
  if (typeof content === "string") return { content, images: [] }
  if (content == null) {
    if (role === "assistant" && tool_calls?.length) return { content: "", images: [] }
    throw invalid(place, "is missing")
  }
  const texts: string[] = []
  const images: ChatImage[] = []
  for (const [at, part] of content.entries()) {
    const text = textOf(part)
    if (text !== undefined) texts.push(text)
    else if (part.type === "image_url") images.push(imageOf(part.image_url?.url ?? "", `${place}.${at}.image_url`))
    else throw invalid(`${place}.${at}.type`, "must be text or image_url")
  }
  return { content: texts.join("\n"), images }
}

function textOf({ type, text, refusal }: Part): string | undefined {
  if (type === "text") return text ?? ""
  return type === "refusal" ? (refusal ?? "") : undefined
}

/** @throws AppError invalid_request naming the place */
export function imageOf(url: string, place: string): ChatImage {
  const [, mimeType = "", data = ""] = /^data:([a-z/+.-]+);base64,([A-Za-z0-9+/=_-]+)$/i.exec(url) ?? []
  if (!data) throw invalid(place, "must be a data URL in base64; pictures are not fetched from other addresses")
  if (!IMAGE_TYPES.includes(mimeType.toLowerCase())) throw invalid(place, `must be one of ${IMAGE_TYPES.join(", ")}`)
  if (data.length * 0.75 > MAX_IMAGE_BYTES) throw invalid(place, `must have at most ${MAX_IMAGE_BYTES} bytes`)
  return { mimeType: mimeType.toLowerCase(), data }
}

const callOf = (
  { id, function: { name, arguments: text } }: NonNullable<CompletionMessage["tool_calls"]>[number],
  place: string,
): ToolCall => ({ id, name, arguments: argumentsOf(text, `${place}.function.arguments`) })

/** Arguments of a call. @throws AppError invalid_request naming the place */
export function argumentsOf(text: string, place: string): Record<string, unknown> {
  let given: unknown
  try {
    given = parseBounded(text || "{}")
  } catch {
    throw invalid(place, "must be JSON")
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw invalid(place, "must be the JSON of an object")
  return given as Record<string, unknown>
}
