/** The table of embedding models: which code opens the one that the operator named. */
import type { Embedder, EmbedderOptions, OpenEmbedder } from "./backend.ts"
import { openFolderEmbedder } from "./folder-embedder.ts"
import { openOllamaEmbedder } from "./ollama-embedder.ts"
import { openOpenAiEmbedder } from "./openai-embedder.ts"

/** The model that ships with the product. */
export const BUILT_IN_EMBEDDING_MODEL = "carrel-embed-en-v1"

/** By what stands before the slash of a name; a name without one is a folder. */
const PROVIDERS: ReadonlyMap<string, OpenEmbedder> = new Map([
  ["ollama", openOllamaEmbedder],
  ["openai", openOpenAiEmbedder],
])

export interface OpenEmbedderOptions extends EmbedderOptions {
  /** A folder name, `ollama/NAME` or `openai/NAME`; the built-in model when empty. */
  name: string
}

/** @throws AppError model_not_found; model_unavailable where a server has to be asked and does not answer */
export async function openEmbedder({ name, ...options }: OpenEmbedderOptions): Promise<Embedder> {
  const slash = name.indexOf("/")
  const open = slash > 0 ? PROVIDERS.get(name.slice(0, slash)) : undefined
  return open
    ? await open(name.slice(slash + 1), options)
    : await openFolderEmbedder(name || BUILT_IN_EMBEDDING_MODEL, options)
}
