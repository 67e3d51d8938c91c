/** The stand-in for Ollama as tests of the console use it: one model with one answer, which can be held to be looked at. */
import { piecesOf, type ScriptedTurn } from "../support/model-script.ts"
import { LLAMA, type OllamaModel, startOllama } from "../support/ollama.ts"

export const ANSWER =
  "Either party may end it with **six months** notice [1].\n\n1. Write to the landlord.\n2. Wait for the quarter to end.\n"

export interface ConsoleModel {
  url: string
  /** Those that it serves; may be changed while it runs. */
  models: OllamaModel[]
  /** What it says. */
  answer: string
  /** Made before the next answer by a model that is lent tools, all at once. */
  calls: NonNullable<ScriptedTurn["tools"]>
  /** Refuses the next requests with these words. */
  refusal: string | undefined
  /** The bodies of the requests, as text. */
  asked: string[]
  /** Lets the next answers stop after so many words, until the returned function is called. */
  hold(words?: number): () => void
  stop(): void
}

export async function startModel(): Promise<ConsoleModel> {
  const { server, models } = await startOllama([{ ...LLAMA, capabilities: ["completion", "thinking"] }])
  let pause: { held: Promise<void>; holdAfter: number } | undefined
  const model: ConsoleModel = {
    url: server.url,
    models,
    answer: ANSWER,
    refusal: undefined,
    calls: [],
    asked: [],
    hold(words = 3) {
      const { promise, resolve } = Promise.withResolvers<void>()
      pause = { held: promise, holdAfter: words }
      return () => {
        pause = undefined
        resolve()
      }
    },
    stop: () => server.stop(),
  }
  server.scenes.add("none", request => {
    model.asked.push(JSON.stringify(request))
    if (model.refusal) return { status: 500, error: model.refusal }
    if (request.tools?.length && model.calls.length > 0) return { tools: model.calls.splice(0) }
    const thinking = request.think ? "The clause on termination says it." : ""
    return { pieces: piecesOf({ text: model.answer }), thinking, delayMs: 5, ...pause }
  })
  return model
}
