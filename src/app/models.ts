import type { Embedder, MeaningModels } from "../backends/backend.ts"
import { openEntityModel } from "../backends/entity-model.ts"
import type { ModelCatalog } from "../backends/index.ts"
import { WatchedEmbedder } from "../backends/watched-embedder.ts"
import type { Config } from "../config.ts"
import {
  backgroundOf,
  checkDefaultModel,
  createModels,
  embeddingModels,
  modelDirectories,
  openConfiguredEmbedder,
  tiersOf,
} from "../configured.ts"
import { AppError } from "../errors.ts"
import { TokenMeter } from "../grounding/tokens.ts"
import { Redactor } from "../redaction/redact.ts"
import { RerankLine } from "../search/rerank/rerank-line.ts"
import { openReranker } from "../search/rerank/reranker.ts"
import { recordedVectors } from "../search/vector/recorded.ts"
import type { Tier } from "../storage/chunk-tables.ts"
import type { Database } from "../storage/database.ts"
import type { Storage } from "./storage.ts"

export type Models = Awaited<ReturnType<typeof openModels>>

/**
 * @param meaning the embedding models, which are opened later
 * @throws ConfigError for a default model that its server does not have
 */
export async function openChatModels(config: Config, meaning?: () => MeaningModels): Promise<ModelCatalog> {
  const models = createModels(config, meaning)
  await checkDefaultModel(config, models)
  return models
}

/** What understands texts: names for redaction, meaning for search, lengths for windows. */
export async function openModels(
  config: Config,
  { database, nativeDirectory }: Pick<Storage, "database" | "nativeDirectory">,
  stack: AsyncDisposableStack,
) {
  const entityModel = openEntityModel(modelDirectories(config), nativeDirectory)
  stack.defer(() => entityModel?.close())
  const redactor = new Redactor({ entityModel })
  stack.defer(() => redactor.close())
  const embedders: Partial<Record<Tier, WatchedEmbedder>> = {}
  for (const [tier, name] of tiersOf(embeddingModels(config))) {
    const instead = tier === "quality" ? "the built-in fast model" : "keywords"
    const embedder = new WatchedEmbedder(await openEmbedder(config, database, { tier, name }), { instead })
    stack.defer(() => embedder.close())
    embedders[tier] = embedder
  }
  const reranker = config.rerank === "off" ? undefined : openReranker(modelDirectories(config), { nativeDirectory })
  stack.defer(() => reranker?.close())
  return { entityModel, redactor, embedders, reranker: reranker && new RerankLine(reranker), meter: new TokenMeter() }
}

/** A model server that is down does not keep a library from starting whose vectors it has made. */
async function openEmbedder(
  config: Config,
  database: Database,
  { tier, name }: { tier: Tier; name: string },
): Promise<Embedder> {
  const { threads } = tier === "quality" ? backgroundOf(config) : { threads: 1 }
  try {
    return await openConfiguredEmbedder(config, name, { threads })
  } catch (error) {
    const recorded = await recordedVectors(database, tier)
    const isDown = error instanceof AppError && error.code === "model_unavailable"
    if (!isDown || recorded?.model !== name) throw error
    return openConfiguredEmbedder(config, name, { dimensions: recorded.dimensions })
  }
}
