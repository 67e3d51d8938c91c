/** What the doctor says of the models that a daemon with these settings would use. */
import { join } from "node:path"
import { openEntityModel } from "../backends/entity-model.ts"
import type { Config } from "../config.ts"
import { embeddingModels, modelDirectories, openConfiguredEmbedder, tiersOf } from "../configured.ts"

export const describeModelFolders = async (config: Config) => [
  ...(await Promise.all(tiersOf(embeddingModels(config)).map(([, name]) => describeEmbeddingModel(config, name)))),
  await describeEntityModel(config),
]

/** A model of so many is one of the multilingual ones: who misses a language in it finds no better one of its kind. */
const MANY_LANGUAGES = 20

/** Asks the model for a vector: one that lies there and does not load would leave search with words alone. */
async function describeEmbeddingModel(config: Config, name: string) {
  const what = "embedding model"
  try {
    const embedder = await openConfiguredEmbedder(config, name)
    await embedder.embed(["ready"], "query").finally(() => embedder.close())
    const { model, languages } = embedder
    if (!languages) return { what, state: "ok" as const, text: model }
    if (languages.length >= MANY_LANGUAGES)
      return { what, state: "ok" as const, text: `${model}: knows meaning in ${languages.length} languages` }
    return {
      what,
      state: "note" as const,
      text: `${model}: knows meaning in ${languages.join(", ")} only; other languages are searched by words`,
      remedy:
        "for meaning in other languages put a multilingual ONNX model into the models folder and name it with --embedding-model",
    }
  } catch (error) {
    const { message, hint = "check --embedding-model and --models-dir" } = error as Error & { hint?: string }
    return { what, state: "problem" as const, text: `${message}: search does without it`, remedy: hint }
  }
}

/** Loads the model: one that lies there and does not load would refuse every request that redacts names. */
async function describeEntityModel(config: Config) {
  const what = "entity model"
  const remedy = "put an ONNX token-classification model into the models folder"
  const model = openEntityModel(modelDirectories(config), join(config.data, "native"))
  if (!model)
    return {
      what,
      state: "problem" as const,
      text: "none: requests that redact names or addresses are refused",
      remedy,
    }
  const problem = await model.load().then(
    () => undefined,
    error => (error as { hint?: string }).hint ?? String(error),
  )
  await model.close()
  if (problem === undefined)
    return { what, state: "ok" as const, text: `${model.model} finds names and addresses for redaction` }
  return { what, state: "problem" as const, text: `${model.model} does not load: ${problem}`, remedy }
}
