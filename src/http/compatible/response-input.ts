/** The input of a response as turns: messages, calls of functions and their results. */
import type { ChatImage, ChatTurn } from "../../backends/backend.ts"
import { invalid } from "../../errors.ts"
import { argumentsOf, checkSize, imageOf } from "./completion-request.ts"
import type { InputItem, InputPart, ResponseBody } from "./responses.docs.ts"

/** Ids of files that the input names. */
export type InputFiles = readonly string[]

/** What clients send back of earlier answers, and says nothing that the other items do not. */
const PASSED_OVER = ["file_search_call", "reasoning"]

/** @throws AppError invalid_request naming the item */
export function turnsOf(input: ResponseBody["input"]): { turns: ChatTurn[]; fileIds: InputFiles } {
  const turns: ChatTurn[] = []
  const fileIds: string[] = []
  const items: InputItem[] = typeof input === "string" ? [{ role: "user", content: input }] : input
  for (const [at, item] of items.entries()) add(turns, item, `input.${at}`, fileIds)
  checkSize(turns, "input")
  if (turns.length === 0) throw invalid("input", "must hold a message")
  return { turns, fileIds }
}

function add(turns: ChatTurn[], item: InputItem, place: string, fileIds: string[]): void {
  const type = item.type ?? "message"
  if (PASSED_OVER.includes(type)) return
  if (type === "message") addMessage(turns, item, place, fileIds)
  else if (type === "function_call") addCall(turns, item, place)
  else if (type === "function_call_output") addResult(turns, item, place, fileIds)
  else throw invalid(`${place}.type`, "must be message, function_call or function_call_output")
}

function addResult(turns: ChatTurn[], item: InputItem, place: string, fileIds: string[]): void {
  if (!item.call_id) throw invalid(`${place}.call_id`, "is missing")
  if (item.output == null) throw invalid(`${place}.output`, "is missing")
  const { text, images } = contentOf(item.output, `${place}.output`, fileIds)
  if (images.length > 0) throw invalid(`${place}.output`, "holds a picture: results are texts")
  turns.push({ role: "tool", content: text, toolCallId: item.call_id, name: "" })
}

function addMessage(turns: ChatTurn[], { role, content }: InputItem, place: string, fileIds: string[]): void {
  if (!role) throw invalid(`${place}.role`, "is missing")
  if (content == null) throw invalid(`${place}.content`, "is missing")
  const { text, images } = contentOf(content, `${place}.content`, fileIds)
  if (role === "user") turns.push({ role, content: text, ...(images.length > 0 ? { images } : {}) })
  else if (images.length > 0) throw invalid(`${place}.content`, "only messages of the user hold pictures")
  else if (role !== "assistant") turns.push({ role: "system", content: text })
  else {
    // What a model says and what it calls are one turn, in whichever order they come.
    const last = turns.at(-1)
    if (last?.role === "assistant" && last.toolCalls) last.content = [last.content, text].filter(Boolean).join("\n")
    else turns.push({ role, content: text })
  }
}

function addCall(turns: ChatTurn[], item: InputItem, place: string): void {
  for (const field of ["call_id", "name"] as const) if (!item[field]) throw invalid(`${place}.${field}`, "is missing")
  const call = {
    id: item.call_id!,
    name: item.name!,
    arguments: argumentsOf(item.arguments ?? "", `${place}.arguments`),
  }
  const last = turns.at(-1)
  if (last?.role === "assistant") last.toolCalls = [...(last.toolCalls ?? []), call]
  else turns.push({ role: "assistant", content: "", toolCalls: [call] })
}

function contentOf(content: string | readonly InputPart[], place: string, fileIds: string[]) {
  if (typeof content === "string") return { text: content, images: [] }
  const texts: string[] = []
  const images: ChatImage[] = []
  for (const [at, part] of content.entries()) {
    const here = `${place}.${at}`
    if (["input_text", "output_text", "text"].includes(part.type)) texts.push(part.text ?? "")
    else if (part.type === "refusal") texts.push(part.refusal ?? "")
    else if (part.type === "input_image" && part.image_url) images.push(imageOf(part.image_url, `${here}.image_url`))
    else if (part.type === "input_image" || part.type === "input_file") fileIds.push(fileOf(part, here))
    else throw invalid(`${here}.type`, "must be input_text, input_image or input_file")
  }
  return { text: texts.join("\n"), images }
}

function fileOf({ file_id: id, file_data, file_url }: InputPart, place: string): string {
  if (id) return id
  if (file_data != null) throw invalid(`${place}.file_data`, "is not supported: upload the file and give its file_id")
  if (file_url != null) throw invalid(`${place}.file_url`, "is not supported: nothing is fetched; give a file_id")
  throw invalid(`${place}.file_id`, "is missing")
}
