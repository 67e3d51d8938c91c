/** Long conversations against a stand-in that sums up as a model would: it keeps the facts that it is shown. */
import type { RecordedRequest, Script, ScriptedTurn } from "./model-script.ts"
import { LLAMA, type OllamaModel } from "./ollama.ts"

/** A model with a small window. */
export const SMALL: OllamaModel = { ...LLAMA, name: "small:1b", contextLength: 4_096, capabilities: ["completion"] }
export const SMALL_MODEL = "ollama/small:1b"

export const isSummary = (request: RecordedRequest): boolean =>
  request.messages[0].role === "system" && request.messages[0].content.startsWith("You write down")

export const factsIn = (request: RecordedRequest): string[] => [
  ...new Set(JSON.stringify(request.messages).match(/FACT-\w+=[^\s"\\]+/gu) ?? []),
]

/** @param more what a summary is otherwise */
export const remembering =
  (reply: string, more: (request: RecordedRequest) => ScriptedTurn | undefined = () => undefined): Script =>
  request =>
    isSummary(request) ? (more(request) ?? { text: `Remembered: ${factsIn(request).join(" ")}` }) : { text: reply }

/** What stands for the oldest messages in a request. */
export const summaryIn = (request: RecordedRequest): string | undefined =>
  request.messages.find(({ content }: { content: string }) => content.startsWith("Here is a summary"))?.content
