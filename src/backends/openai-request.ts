/** A chat as the OpenAI interface spells it. */
import type { ChatRequest, ChatTurn, ToolChoice } from "./backend.ts"
import type { Splices } from "./splices.ts"
import { spelled } from "./wire.ts"

/**
 * @param schemaAsObject the server knows a schema only as part of the form for JSON objects, which is older than its own form
 * @param splices what stands for pictures
 */
export function bodyOf(
  { model, turns, options, responseFormat, continueLast, ...calling }: ChatRequest,
  schemaAsObject: boolean,
  splices: Splices,
) {
  const { stop, ...plain } = options
  const { tools, toolChoice, parallelToolCalls } = calling
  return {
    model,
    messages: turns.map(turn => message(turn, splices)),
    stream: true,
    stream_options: { include_usage: true },
    ...plain,
    ...(stop?.length ? { stop } : {}),
    ...(tools?.length
      ? {
          tools: tools.map(tool => ({ type: "function", function: tool })),
          ...(toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice) }),
          ...(parallelToolCalls === undefined ? {} : { parallel_tool_calls: parallelToolCalls }),
        }
      : {}),
    ...(responseFormat ? { response_format: formatOf(responseFormat, schemaAsObject) } : {}),
    // llama.cpp continues a last assistant message by itself; vLLM has to be told.
    ...(continueLast ? { continue_final_message: true, add_generation_prompt: false } : {}),
  }
}

const choiceOf = (choice: ToolChoice) =>
  typeof choice === "string" ? choice : { type: "function", function: { name: choice.name } }

function formatOf(format: Record<string, unknown> | "json", schemaAsObject: boolean) {
  if (format === "json") return { type: "json_object" }
  return schemaAsObject
    ? { type: "json_object", schema: format }
    : { type: "json_schema", json_schema: { name: "answer", schema: format, strict: true } }
}

const message = (turn: ChatTurn, splices: Splices) =>
  spelled(turn, {
    withImages: (text, images) => ({
      content: [
        { type: "text", text },
        ...images.map(({ mimeType, data }) => ({
          type: "image_url",
          image_url: { url: `data:${mimeType};base64,${splices.of(data)}` },
        })),
      ],
    }),
    call: ({ id, name, arguments: given }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(given) },
    }),
    result: ({ toolCallId }) => ({ tool_call_id: toolCallId }),
  })
