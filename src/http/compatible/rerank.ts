/** Texts of the caller judged by a query, as Cohere's and Jina's clients ask for it. */
import { Elysia } from "elysia"
import type { Principal } from "../../access/principal.ts"
import { AppError, notBlank } from "../../errors.ts"
import { newId } from "../../id.ts"
import { TooLate } from "../../search/rerank/rerank-line.ts"
import { caller, type RequestContext } from "../context.ts"
import type { Services } from "../services.ts"
import * as docs from "./rerank.docs.ts"

export const rerankRoutes = ({ reranker, usage }: Services) =>
  new Elysia()
    .use(caller)
    .post(
      "/v1/rerank",
      ({ body, principal, context }) => rerank({ reranker, usage }, body, principal, context),
      docs.rerank(),
    )
    .post(
      "/v2/rerank",
      ({ body, principal, context }) => rerank({ reranker, usage }, body, principal, context),
      docs.rerankV2(),
    )

/** The largest body takes half of it on a core of its own. */
const BUDGET_MS = 60_000
const RETRY_AFTER_S = 10

interface RerankBody {
  model?: string | null | undefined
  query: string
  documents: (string | { text: string })[]
  top_n?: number | null | undefined
  return_documents?: boolean | null | undefined
}

/** @throws AppError model_not_found, model_unavailable; overloaded where others take all the time there is */
async function rerank(
  { reranker: line, usage }: Pick<Services, "reranker" | "usage">,
  body: RerankBody,
  { workspaceId, view }: Principal,
  context: RequestContext,
) {
  const { query, top_n: most, return_documents: returned } = body
  notBlank("query", query)
  if (!line) throw new AppError("model_unavailable", { message: "there is no reranking model" })
  const { model } = line
  if (body.model && body.model !== model) throw unknownModel(body.model, model)
  const texts = body.documents.map(each => (typeof each === "string" ? each : each.text))
  await usage.needTokens(view)
  const { signal } = context.keepOpen()
  const scores = new Float32Array(texts.length)
  let tokens = 0
  try {
    const asked = { workspaceId, query, texts, foreign: "score", budgetMs: BUDGET_MS, signal } as const
    for await (const part of line.judge(asked)) {
      scores.set(part.scores, part.from)
      tokens += part.tokens
    }
  } catch (error) {
    if (!(error instanceof TooLate)) throw error
    throw new AppError("overloaded", { message: "others wait for the reranking model", retryAfter: RETRY_AFTER_S })
  }
  // What the model makes of nothing is chance, and for some queries as much as for the right answer.
  for (const [i, text] of texts.entries()) if (!/[\p{L}\p{N}]/u.test(text)) scores[i] = 0
  usage.countEmbedded(view, tokens)
  const best = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b).slice(0, most ?? texts.length)
  return {
    id: newId("rr"),
    model,
    results: best.map(index => ({
      index,
      relevance_score: scores[index]!,
      ...(returned ? { document: { text: texts[index]! } } : {}),
    })),
    usage: { total_tokens: tokens },
  }
}

const unknownModel = (asked: string, model: string): AppError =>
  new AppError("model_not_found", {
    message: `there is no reranking model ${JSON.stringify(asked.slice(0, 200))}; there is ${model}`,
    details: [{ field: "model", issue: "unknown" }],
  })
