/** The models as clients of OpenAI list them. */
import { Elysia } from "elysia"
import type { View } from "../../access/view.ts"
import { caller } from "../context.ts"
import type { Services } from "../services.ts"
import { prefixesFor, unknownModel } from "./model-names.ts"
import * as docs from "./models.docs.ts"

export const modelRoutes = (services: Services) =>
  new Elysia()
    .use(caller)
    .get(
      "/v1/models",
      async ({ principal }) => ({ object: "list" as const, data: await modelsFor(services, principal.view) }),
      docs.listModels(),
    )
    .get("/v1/models/:model", ({ params, principal }) => find(services, principal.view, params.model), docs.getModel())

/** For ids whose slashes stand as they are. The reference has them as one parameter. */
export const modelAliases = (services: Services) =>
  new Elysia()
    .use(caller)
    .get(
      "/v1/models/*",
      ({ params, principal }) => find(services, principal.view, decoded(params["*"])),
      docs.getModelBySlashes(),
    )

const STARTED = Math.floor(Date.now() / 1000)

const modelOf = (id: string, owner: string) => ({
  id,
  object: "model" as const,
  created: STARTED,
  owned_by: owner,
})

async function modelsFor({ models, library, embeddings, reranker }: Services, view: View) {
  const [chat, prefixes] = await Promise.all([models.list(view.models), prefixesFor(library, view)])
  const usable = chat.filter(({ available }) => available)
  return [
    ...prefixes.flatMap(prefix => usable.map(({ value, provider }) => modelOf(prefix + value, provider))),
    modelOf(embeddings.model, "carrel"),
    ...(reranker ? [modelOf(reranker.model, "carrel")] : []),
  ]
}

/** @throws AppError model_not_found */
async function find(services: Services, view: View, id: string) {
  const found = (await modelsFor(services, view)).find(model => model.id === id)
  if (!found) throw unknownModel(id)
  return found
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
