import { ToolError } from "../../../tools/tool-error.ts"
import { fitting, wholeUnits } from "../bounds.ts"
import { args, CONTEXT_ID, COUNT, COUNT_OR_NULL, listOf, record, TEXT, URL_TEXT } from "../schemas.ts"
import type { McpTool } from "../tool.ts"

/** A model that thinks for long is given the time; the client may stop waiting when it likes. */
const TIMEOUT_MS = 900_000
/** Between two notifications of how far the answer is. */
const TELL_MS = 250

interface Arguments {
  question: string
  context_id?: string
  model?: string
}

export const ask: McpTool<Arguments> = {
  name: "ask",
  title: "Ask the library",
  description:
    "Has the library's own chat model answer a question from the files, with numbered citations. Slower than search_library, which gives the passages themselves.",
  scope: "chat",
  readOnly: true,
  idempotent: false,
  audit: "chat.complete",
  timeoutMs: TIMEOUT_MS,
  isAvailable: ({ chat }) => chat !== undefined,
  parameters: args(
    { question: { type: "string", minLength: 1, maxLength: 20_000 } },
    {
      context_id: CONTEXT_ID,
      model: { type: "string", minLength: 1, maxLength: 256, description: "The default one when left out" },
    },
  ),
  result: record(
    {
      answer: TEXT,
      model: TEXT,
      citations: listOf(record({ index: COUNT, file_id: TEXT, name: TEXT, page: COUNT_OR_NULL, url: URL_TEXT })),
      warnings: listOf(record({ code: TEXT, message: TEXT }, { addresses: listOf(TEXT), more: COUNT })),
      finish_reason: TEXT,
    },
    { next_start: { ...COUNT, description: "The answer is longer than a result may be, and is cut here" } },
  ),
  async execute({ question, context_id, model: wanted }, { house, principal, requestId, signal, progress }) {
    if (question.trim() === "") throw new ToolError("The question is blank.")
    const { view } = principal
    const asked = {
      messages: [{ role: "user", content: question }],
      useLibrary: true,
      contextId: context_id,
      model: wanted,
    } as const
    const { model, events } = await house.chat!.answer({ view, requestId }, asked, signal)
    let done = 0
    let written = 0
    let toldAt = 0
    const tell = (message: string) => progress(++done, message)
    for await (const { event, data } of events) {
      if (event === "status") tell(data.phase)
      if (event === "message_delta") {
        written += data.text.length
        if (Date.now() - toldAt < TELL_MS) continue
        toldAt = Date.now()
        tell(`${written} characters written`)
      }
      if (event !== "answered") continue
      const citations = data.citations.map(({ index, file_id, name, position }) => {
        const url = house.links.linkTo(principal, file_id, position)
        return { index, file_id, name, page: position.page, url }
      })
      const sources = citations.map(({ index, name, url }) => `[${index}] ${name} ${url}`)
      const { content, warnings, finishReason } = data
      return fitting(content.length, most => {
        const count = wholeUnits(content, most)
        const answer = content.slice(0, count)
        const text = sources.length > 0 ? `${answer}\n\nSources:\n${sources.join("\n")}` : answer
        const cut = count < content.length ? { next_start: count } : {}
        return { structured: { answer, model, citations, warnings, finish_reason: finishReason, ...cut }, text }
      })
    }
    throw new ToolError("The model gave no answer.")
  },
}
