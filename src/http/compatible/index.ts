/** Endpoints in the shapes of others, so that their clients work as they are. Each is a thin translation of a domain call. */
import { Elysia } from "elysia"
import type { Services } from "../services.ts"
import { compatibleBatchRoutes } from "./batches.ts"
import { completionRoutes } from "./chat-completions.ts"
import { embeddingRoutes } from "./embeddings.ts"
import { fileRoutes } from "./files.ts"
import { modelAliases, modelRoutes } from "./models.ts"
import { rerankRoutes } from "./rerank.ts"
import { responseRoutes } from "./responses.ts"
import { retrievalRoutes } from "./retrieval.ts"
import { vectorStoreFileRoutes } from "./vector-store-files.ts"
import { vectorStoreRoutes } from "./vector-stores.ts"

/** Under no prefix: base URLs of clients end in `/v1`. */
export const compatibleRoutes = (services: Services) =>
  new Elysia()
    .use(modelRoutes(services))
    .use(completionRoutes(services))
    .use(responseRoutes(services))
    .use(embeddingRoutes(services))
    .use(rerankRoutes(services))
    .use(retrievalRoutes(services))
    .use(fileRoutes(services))
    .use(compatibleBatchRoutes(services))
    .use(vectorStoreRoutes(services))
    .use(vectorStoreFileRoutes(services))

/** Further spellings of the same, which the reference does not list. */
export const compatibleAliases = (services: Services) => new Elysia().use(modelAliases(services))
