/** Embedding models of an Ollama server, through its own package; named `ollama/NAME`. */
import type { EmbedResponse, ShowResponse } from "ollama/browser"
import { AppError } from "../errors.ts"
import type { Embedder, EmbedderOptions } from "./backend.ts"
import { asLanguages, languagesByName } from "./model-languages.ts"
import { askingClient } from "./ollama-client.ts"
import { dimensionsOf, refusalOf, ServerEmbedder, unitVectors, unreached, within } from "./server-embedder.ts"

const SHOW_TIMEOUT_MS = 2_000

/** @param name on the server, without the provider */
export async function openOllamaEmbedder(name: string, options: EmbedderOptions): Promise<Embedder> {
  const { ollamaHost: host } = options
  if (!host) throw new AppError("model_unavailable", { message: "no Ollama server is configured" })
  const request = (texts: string[], signal?: AbortSignal) => requestEmbeddings(host, name, texts, signal)
  const [dimensions, languages] = await Promise.all([
    options.dimensions ?? dimensionsOf(request),
    statedLanguages(host, name),
  ])
  return new ServerEmbedder({
    model: `ollama/${name}`,
    dimensions,
    languages: languages === undefined ? languagesByName(name) : languages,
    request,
  })
}

/** What the model's own file says (`general.languages`); undefined where it does not, or the server does not answer, which is not an error. */
async function statedLanguages(host: string, name: string): Promise<string[] | null | undefined> {
  const client = askingClient(
    host,
    AbortSignal.timeout(SHOW_TIMEOUT_MS),
    status => new Error(`show answered ${status}`),
  )
  const shown = (await client.show({ model: name }).catch(() => undefined)) as Partial<ShowResponse> | undefined
  return asLanguages((shown?.model_info as unknown as Record<string, unknown> | undefined)?.["general.languages"])
}

/** One request. Throws `model_not_found`, `model_unavailable`, `overloaded`, `model_error`. */
async function requestEmbeddings(
  host: string,
  name: string,
  texts: string[],
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  // The server answers an empty string with an empty vector; a space has one.
  const input = texts.map(text => text || " ")
  const client = askingClient(host, within(signal), (status, text) =>
    refusalOf(status, `ollama/${name}`, text, `run \`ollama pull ${name}\``),
  )
  const { embeddings }: Partial<EmbedResponse> = await client
    .embed({ model: name, input, truncate: true })
    .catch(cause => {
      if (cause instanceof SyntaxError) return {}
      throw unreached(cause, `nothing answers at ${host}; is Ollama running there?`, signal)
    })
  return unitVectors(embeddings, texts.length, name)
}
