/** Finds and opens the embedding model that the operator named. */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../errors.ts"
import type { Embedder } from "./backend.ts"
import { readEmbeddingFolder } from "./embedding-folder.ts"
import { languagesByName } from "./model-languages.ts"
import { OllamaEmbedder, requestEmbeddings, statedLanguages } from "./ollama-embedder.ts"
import { TransformersEmbedder } from "./transformers.ts"

/** The model that ships with the product. */
export const BUILT_IN_EMBEDDING_MODEL = "carrel-embed-en-v1"

export interface OpenEmbedderOptions {
  /** A folder name, or `ollama/NAME`; the built-in model when empty. */
  name: string
  /** Where model folders may lie; the first that has the name wins. */
  directories: string[]
  /** `<data>/native`, where the executable unpacks native libraries. */
  nativeDirectory: string
  /** Threads inside one operation of a folder model. */
  threads?: number
  ollamaHost?: string
  /** Of an Ollama model that was used before; without it the server is asked, and must be up. */
  dimensions?: number
}

/** Opens the model that is named behind the provider. */
type OpenModel = (name: string, options: OpenEmbedderOptions) => Embedder | Promise<Embedder>

/** Servers of embedding models by the provider before the slash; another one is a file and a line. */
const SERVERS: { readonly [provider: string]: OpenModel } = {
  ollama: openOllama,
}

/** A folder model loads its weights with the first text; its dimensions are known at once. */
export async function openEmbedder(options: OpenEmbedderOptions): Promise<Embedder> {
  const [provider = "", ...rest] = options.name.split("/")
  const open = rest.length > 0 && Object.hasOwn(SERVERS, provider) ? SERVERS[provider] : undefined
  return open ? open(rest.join("/"), options) : openFolder(options)
}

function openFolder({ name, directories, nativeDirectory, threads }: OpenEmbedderOptions): Embedder {
  const folder = readEmbeddingFolder(findFolder(name || BUILT_IN_EMBEDDING_MODEL, directories))
  return new TransformersEmbedder(folder, { nativeDirectory, ...(threads ? { threads } : {}) })
}

async function openOllama(
  name: string,
  { ollamaHost: host, dimensions: known }: OpenEmbedderOptions,
): Promise<Embedder> {
  if (!host) throw new AppError("model_unavailable", { message: "no Ollama server is configured" })
  const [dimensions, languages] = await Promise.all([
    known ?? requestEmbeddings(host, name, ["dimensions"]).then(vectors => vectors[0]!.length),
    statedLanguages(host, name),
  ])
  return new OllamaEmbedder({
    name,
    host,
    dimensions,
    languages: languages === undefined ? languagesByName(name) : languages,
  })
}

function findFolder(name: string, directories: string[]): string {
  // A name is one folder below `directories`, never a way out of them.
  const plain = !/[/\\]|^\.+$/.test(name)
  for (const directory of plain ? directories : []) {
    const path = join(directory, name)
    if (existsSync(path) && statSync(path).isDirectory()) return path
  }
  throw new AppError("model_not_found", {
    message: `there is no embedding model "${name}"`,
    hint: `put its folder into ${directories.join(" or ")}`,
  })
}
