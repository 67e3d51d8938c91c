/** Embedding models behind the OpenAI interface (`POST /v1/embeddings`): llama.cpp server, vLLM and the like; named `openai/NAME`. */
import { AppError } from "../errors.ts"
import { fetchWithin } from "../outbound.ts"
import type { Embedder, EmbedderOptions } from "./backend.ts"
import { languagesByName } from "./model-languages.ts"
import { authorization } from "./openai-models.ts"
import { dimensionsOf, refusalOf, ServerEmbedder, unitVectors, unreached, within } from "./server-embedder.ts"
import { errorText, whole } from "./wire.ts"

/** Far more than any window holds. */
const MAX_CHARACTERS = 40_000
/** What a window of 512 tokens, the smallest usual one, holds of most languages. */
const SMALL_WINDOW_CHARACTERS = 1_000

interface Server {
  baseUrl: string
  apiKey: string
}

interface Answer {
  data?: { index: number; embedding: number[] }[]
}

/** @param name on the server, without the provider */
export async function openOpenAiEmbedder(name: string, options: EmbedderOptions): Promise<Embedder> {
  const { openAiBaseUrl: baseUrl, openAiApiKey: apiKey = "" } = options
  if (!baseUrl) throw new AppError("model_unavailable", { message: "no OpenAI-compatible server is configured" })
  const server: Server = { baseUrl, apiKey }
  const request = (texts: string[], signal?: AbortSignal) => requestEmbeddings(server, name, texts, signal)
  const dimensions = options.dimensions ?? (await dimensionsOf(request))
  return new ServerEmbedder({ model: `openai/${name}`, dimensions, languages: languagesByName(name), request })
}

/** Throws `model_not_found`, `model_unavailable`, `overloaded`, `model_error`. */
async function requestEmbeddings(
  server: Server,
  name: string,
  texts: string[],
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const ask = (most: number) => {
    // An empty string is refused; a space is not.
    const input = texts.map(text => text.slice(0, most).toWellFormed() || " ")
    return fetchWithin(`${server.baseUrl}/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json", ...authorization(server.apiKey) },
      body: JSON.stringify({ model: name, input }),
      signal: within(signal),
    })
      .then(whole)
      .catch(cause => {
        throw unreached(cause, `nothing answers at ${server.baseUrl}`, signal)
      })
  }
  let response = await ask(MAX_CHARACTERS)
  // Such servers refuse what is longer than the model's window instead of cutting it, each with a status of its own.
  if (!response.ok && response.status !== 404 && texts.some(({ length }) => length > SMALL_WINDOW_CHARACTERS))
    response = await ask(SMALL_WINDOW_CHARACTERS)
  if (!response.ok) {
    const said = errorText(await response.text())
    throw refusalOf(response.status, `openai/${name}`, said, `load ${name} at ${server.baseUrl}`)
  }
  return vectorsOf((await response.json().catch(() => ({}))) as Answer, texts.length, name)
}

/** Servers may answer in another order, and say which is which. */
const vectorsOf = ({ data }: Answer, texts: number, name: string): Float32Array[] =>
  unitVectors(
    data?.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding),
    texts,
    name,
  )
