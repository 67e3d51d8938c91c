/** Tool calls as text, for models that cannot call tools by themselves: one JSON object a turn, strictly read. */
import type { ToolCall, ToolDefinition } from "../backends/backend.ts"
import { MAX_CALLS_PER_TURN } from "../tools/calls.ts"
import { findJson, type JsonSchema, whyNoJson } from "../tools/json-schema.ts"

export type ProtocolReply = { calls: ToolCall[] } | { answer: string } | { problem: string }

/** The JSON Schema that a model server can hold a reply to. */
export function protocolSchema(tools: ToolDefinition[], outputSchema: JsonSchema | null): JsonSchema {
  const call = {
    type: "object",
    properties: { name: { enum: tools.map(tool => tool.name) }, arguments: { type: "object" } },
    required: ["name", "arguments"],
  }
  return {
    anyOf: [
      {
        type: "object",
        properties: { tool_calls: { type: "array", minItems: 1, maxItems: MAX_CALLS_PER_TURN, items: call } },
        required: ["tool_calls"],
      },
      {
        type: "object",
        properties: { final_answer: answerSchema(outputSchema) },
        required: ["final_answer"],
      },
    ],
  }
}

/** A schema with references cannot stand inside another one; the answer is checked against it in any case. */
function answerSchema(outputSchema: JsonSchema | null): JsonSchema {
  if (!outputSchema) return { type: "string" }
  return JSON.stringify(outputSchema).includes('"$ref"') ? {} : outputSchema
}

const REMINDER =
  'Write exactly one JSON object: {"tool_calls": [{"name": …, "arguments": {…}}]} or {"final_answer": …}.'

/**
 * Prose without any brace is taken as an answer: a strict reading would only cost a turn to get the same words.
 * @param cut the text is the beginning of a longer reply
 */
export function readProtocol(text: string, newCallId: () => string, cut = false): ProtocolReply {
  if (!text.includes("{"))
    return text.trim() === "" ? { problem: `The reply was empty. ${REMINDER}` } : { answer: text.trim() }
  const value = findJson(text)
  if (!isObject(value)) return { problem: `The reply ${whyNoJson(text, cut)}. ${REMINDER}` }
  if ("final_answer" in value) return { answer: asText(value.final_answer) }
  const given = value.tool_calls ?? ("name" in value ? [value] : undefined)
  if (!Array.isArray(given) || given.length === 0)
    return { problem: `The object has neither tool_calls nor final_answer. ${REMINDER}` }
  const calls: ToolCall[] = []
  for (const [at, call] of given.entries()) {
    if (!isObject(call) || typeof call.name !== "string" || !isObject(call.arguments ?? {}))
      return { problem: `tool_calls.${at} must be an object with "name" and "arguments". ${REMINDER}` }
    calls.push({ id: newCallId(), name: call.name, arguments: (call.arguments ?? {}) as Record<string, unknown> })
  }
  return { calls }
}

/**
 * A call that a model with native tools wrote into its text instead, as small ones do.
 * Undefined unless the whole text is such a call of a known tool.
 */
export function leakedCall(text: string, names: ReadonlySet<string>, newCallId: () => string): ToolCall | undefined {
  const trimmed = text
    .trim()
    .replace(/^<tool_call>|<\/tool_call>$/g, "")
    .replace(/^```(?:json)?|```$/g, "")
    .trim()
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return undefined
  const value = findJson(trimmed)
  if (!isObject(value) || typeof value.name !== "string" || !names.has(value.name)) return undefined
  const args = value.arguments ?? value.parameters
  return isObject(args) ? { id: newCallId(), name: value.name, arguments: args } : undefined
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value)
