/** The table of embedding models: which code opens the one that the operator named. */
import type { Embedder, EmbedderOptions, OpenEmbedder } from "./backend.ts"
import { openFolderEmbedder } from "./folder-embedder.ts"
import { openOllamaEmbedder } from "./ollama-embedder.ts"
import { openOpenAiEmbedder } from "./openai-embedder.ts"

/** The models that ship with the product: one that takes no time, and a better one. */
export const BUILT_IN_EMBEDDING_MODELS = {
  fast: "carrel-embed-multi-v1",
  quality: "carrel-embed-joint-v1",
} as const

/** By the provider before the slash of a name; another one is a file and a line. A name without one is a folder. */
const EMBEDDERS: Readonly<Record<string, OpenEmbedder>> = {
  ollama: openOllamaEmbedder,
  openai: openOpenAiEmbedder,
}

export interface OpenEmbedderOptions extends EmbedderOptions {
  /** A folder name, `ollama/NAME` or `openai/NAME`; the built-in fast model when empty. */
  name: string
}

/** @throws AppError model_not_found; model_unavailable where a server has to be asked and does not answer */
export async function openEmbedder({ name, ...options }: OpenEmbedderOptions): Promise<Embedder> {
  const [provider = "", ...rest] = name.split("/")
  const open = rest.length > 0 && Object.hasOwn(EMBEDDERS, provider) ? EMBEDDERS[provider] : undefined
  return open
    ? await open(rest.join("/"), options)
    : await openFolderEmbedder(name || BUILT_IN_EMBEDDING_MODELS.fast, options)
}
