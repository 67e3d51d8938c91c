/** A stand-in for a server with the OpenAI interface (llama.cpp, vLLM, LM Studio). */
import type { ScriptedTurn } from "./model-script.ts"
import { ModelServer, type Wire } from "./model-server.ts"

const event = (value: object) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", ...value })}\n\n`
const delta = (value: object) => event({ choices: [{ index: 0, delta: value, finish_reason: null }] })

const WIRE: Wire = {
  contentType: "text/event-stream",
  thinking: text => delta({ reasoning_content: text }),
  piece: text => delta({ content: text }),
  tools: calls =>
    calls
      .map((call, index) => {
        const text = JSON.stringify(call.arguments)
        const half = Math.floor(text.length / 2)
        return (
          delta({
            tool_calls: [
              { index, id: `call_${index}`, type: "function", function: { name: call.name, arguments: "" } },
            ],
          }) +
          delta({ tool_calls: [{ index, function: { arguments: text.slice(0, half) } }] }) +
          delta({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] })
        )
      })
      .join(""),
  garbage: text => `data: ${text}\n\n`,
  error: text => `data: ${JSON.stringify({ error: { message: text, type: "server_error" } })}\n\n`,
  last: (turn: ScriptedTurn, request) =>
    event({ choices: [{ index: 0, delta: {}, finish_reason: turn.tools ? "tool_calls" : (turn.reason ?? "stop") }] }) +
    (turn.uncounted
      ? ""
      : event({
          choices: [],
          usage: {
            prompt_tokens: turn.promptTokens ?? Math.ceil(JSON.stringify(request.messages).length / 4),
            completion_tokens: turn.pieces?.length ?? turn.text?.split(/\s+/).length ?? 0,
          },
        })) +
    "data: [DONE]\n\n",
}

export function startOpenAi(models: object[] = [{ id: "mistral-7b", object: "model", max_model_len: 32_768 }]) {
  return new ModelServer(WIRE, "/v1/chat/completions", path =>
    path === "/v1/models" ? { body: { object: "list", data: models } } : undefined,
  ).listen()
}
