/** What the model list of `/v1` answers. */
import { t } from "elysia"
import { operation } from "../operation.ts"
import { integer } from "../schemas.ts"

const Model = t.Object(
  {
    id: t.String({ description: "What requests name", examples: ["library/ollama/llama3.2:3b"] }),
    object: t.Literal("model"),
    created: integer({ description: "When this daemon started, unix seconds", examples: [1_795_428_000] }),
    owned_by: t.String({ examples: ["ollama"] }),
  },
  { title: "CompatibleModel" },
)

export const listModels = operation({
  id: "listCompatibleModels",
  audit: "nothing",
  scope: "models:read",
  summary: "List models in OpenAI's shape",
  description: `Every chat model that can be used now, three ways: bare, it answers from what it is sent; as \`library/…\` from all
files that the key sees; as \`library:<context_id>/…\` from those of one context (the 100 with most files are listed). Then the
embedding model and the reranking model.`,
  tag: "Compatible",
  compatible: true,
  answers: {
    200: {
      description: "All models",
      schema: t.Object({ object: t.Literal("list"), data: t.Array(Model) }, { title: "CompatibleModels" }),
    },
  },
})

export const getModel = operation({
  id: "getCompatibleModel",
  audit: "nothing",
  scope: "models:read",
  summary: "One model in OpenAI's shape",
  description: "Slashes of its id may be written as they are, or as `%2F`.",
  tag: "Compatible",
  compatible: true,
  params: t.Object({ model: t.String({ examples: ["library/ollama/llama3.2:3b"] }) }),
  answers: { 200: { description: "The model", schema: Model } },
  errors: ["model_not_found"],
})

/** The same under the pattern that takes slashes: `*` is what follows. */
export const getModelBySlashes = operation({
  id: "getCompatibleModelBySlashes",
  audit: "nothing",
  scope: "models:read",
  summary: "One model in OpenAI's shape",
  tag: "Compatible",
  compatible: true,
  params: t.Object({ "*": t.String() }),
  answers: { 200: { description: "The model", schema: Model } },
})
