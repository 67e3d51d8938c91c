/** Vectors of a caller's texts, as clients of OpenAI's embeddings ask for them. */
import { Elysia, type Static } from "elysia"
import type { Principal } from "../../access/principal.ts"
import { guessTokens } from "../../backends/guess-tokens.ts"
import { AppError, invalid } from "../../errors.ts"
import { caller, type RequestContext } from "../context.ts"
import { largeAnswer } from "../large-answer.ts"
import type { Services } from "../services.ts"
import * as docs from "./embeddings.docs.ts"

export const embeddingRoutes = (services: Services) =>
  new Elysia()
    .use(caller)
    .post(
      "/v1/embeddings",
      ({ body, principal, context }) => embed(services, body, principal, context),
      docs.createEmbeddings(),
    )

async function embed(
  { embeddings, usage }: Services,
  body: Static<typeof docs.embeddingsBody>,
  { view }: Principal,
  context: RequestContext,
) {
  const { model, dimensions } = embeddings
  if (body.model !== model) throw unknownModel(body.model, model)
  if (body.dimensions != null && body.dimensions !== dimensions)
    throw invalid("dimensions", `must be ${dimensions}, those of ${model}`)
  const texts = textsOf(body.input)
  await usage.needTokens(view)
  const vectors = await embeddings.embed(view.workspaceId, texts, context.keepOpen().signal)
  const spelled = body.encoding_format === "base64" ? base64Of : (vector: Float32Array) => Array.from(vector)
  const tokens = texts.reduce((sum, text) => sum + guessTokens(text), 0)
  usage.countEmbedded(view, tokens)
  const answer = {
    object: "list" as const,
    data: vectors.map((vector, index) => ({ object: "embedding" as const, index, embedding: spelled(vector) })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
  return largeAnswer(answer, 200)
}

/** @throws AppError invalid_request */
function textsOf(input: unknown): string[] {
  const given: unknown[] = Array.isArray(input) ? input : [input]
  const [first] = given
  if (typeof first === "number" || Array.isArray(first))
    throw invalid(
      "input",
      "must be texts, not token ids: each model has its own; set check_embedding_ctx_length=False in LangChain",
    )
  if (given.length === 0) throw invalid("input", "must not be empty")
  if (given.length > docs.MAX_INPUTS) throw invalid("input", `must hold at most ${docs.MAX_INPUTS} texts`)
  const name = (at: number) => (Array.isArray(input) ? `input.${at}` : "input")
  return given.map((text, at) => {
    if (typeof text !== "string") throw invalid(name(at), "must be a text")
    if (text === "") throw invalid(name(at), "must not be empty")
    return text
  })
}

const base64Of = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64")

const unknownModel = (asked: string, model: string): AppError =>
  new AppError("model_not_found", {
    message: `there is no embedding model ${JSON.stringify(asked.slice(0, 200))}; there is ${model}`,
    details: [{ field: "model", issue: "unknown" }],
  })
