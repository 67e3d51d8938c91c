/** What the model is told. The texts that do not change are files of their own in `prompts/`. */
import type { ToolDefinition } from "../backends/backend.ts"
import type { JsonSchema } from "../tools/json-schema.ts"
import systemText from "./prompts/system.txt" with { type: "text" }
import protocolText from "./prompts/text-protocol.txt" with { type: "text" }

export interface PromptParts {
  tools: ToolDefinition[]
  /** True when the model calls tools by itself; false when it must write the text protocol. */
  native: boolean
  outputSchema: JsonSchema | null
  redacted: boolean
}

export function systemPrompt({ tools, native, outputSchema, redacted }: PromptParts): string {
  const parts = [systemText.trim()]
  if (redacted) parts.push(REDACTED)
  if (tools.length === 0) parts.push(NO_TOOLS)
  else if (!native) parts.push([protocolText.trim(), ...tools.map(toolLine)].join("\n"))
  if (outputSchema)
    parts.push(
      `The ${native || tools.length === 0 ? "final answer" : "value of final_answer"} is a JSON value, without any other text, that meets this JSON Schema:\n${JSON.stringify(outputSchema)}`,
    )
  return parts.join("\n\n")
}

const toolLine = ({ name, description, parameters }: ToolDefinition): string =>
  `- ${name}: ${description} Arguments: ${JSON.stringify(parameters)}`

/** What the daemon itself tells a model: it is known, and not searched for private data. */
export const ownWords = (tools: readonly ToolDefinition[]): string[] => [
  systemText.trim(),
  protocolText.trim(),
  NO_TOOLS,
  REDACTED,
  LAST_TURN,
  EMPTY_REPLY,
  NO_NEW_CALLS,
  ...tools.flatMap(tool => [tool.description, toolLine(tool)]),
]

const NO_TOOLS = "There are no tools for this task."
const REDACTED =
  "Values such as [REDACTED_EMAIL] stand for private data: keep them as they are and do not guess what they were."

export const LAST_TURN =
  "This is your last turn and no more tools can be called. Give your best answer to the task now, from what you have found."
export const EMPTY_REPLY = "Your reply was empty. Call a tool or answer the task."
export const NO_NEW_CALLS =
  "You are repeating calls that you have already made. Answer the task now with what you have."

export const schemaRepair = (problem: string): string =>
  `Your answer does not meet the required JSON Schema: ${problem}. Write the corrected answer now: only the JSON value, no other text.`
