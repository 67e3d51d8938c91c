/** The library as an external knowledge base of Dify. */
import { Elysia } from "elysia"
import type { Principal } from "../../access/principal.ts"
import { AppError, notBlank } from "../../errors.ts"
import { caller } from "../context.ts"
import type { Services } from "../services.ts"
import { type Found, findPassages } from "./found-passages.ts"
import { filterOf } from "./metadata-conditions.ts"
import * as docs from "./retrieval.docs.ts"

export function retrievalRoutes(services: Services) {
  const answer = ({ body, principal, request }: Call) => retrieve(services, body, principal, request.signal)
  return new Elysia()
    .use(caller)
    .post("/retrieval", answer, docs.retrieve())
    .post("/v1/retrieval", answer, docs.retrieveV1())
}

interface Call {
  body: docs.RetrievalBody
  principal: Principal
  request: Request
}

/** As many as a client gets that does not say. */
const TOP_K = 4
const WHOLE_LIBRARY = "*"

/** @throws AppError not_found for a context without files that the caller sees, and that was not made as an empty one */
async function retrieve(
  { search, library, links, vectorStores }: Services,
  { knowledge_id: id, query, retrieval_setting: setting, metadata_condition: condition }: docs.RetrievalBody,
  principal: Principal,
  signal: AbortSignal,
) {
  const { view } = principal
  notBlank("query", query)
  const filter = filterOf(condition)
  if (id !== WHOLE_LIBRARY && !(await vectorStores.exists(view, id)))
    throw new AppError("not_found", { message: "there is no such knowledge base" })
  const found = await findPassages(
    { search, library },
    {
      view,
      queries: [query],
      limit: setting?.top_k ?? TOP_K,
      minRelevance: setting?.score_threshold ?? 0,
      filters: { ...(id === WHOLE_LIBRARY ? {} : { context_id: id }), ...(filter ? { filter } : {}) },
    },
    signal,
  )
  return {
    records: found.map(each => ({
      content: each.hit.text,
      score: each.hit.relevance,
      title: each.file.name,
      metadata: metadataOf(each, links.linkTo(principal, each.file.id, each.hit.position)),
    })),
  }
}

/** A null in it would end a run of Dify. */
function metadataOf({ hit, file }: Found, url: string): Record<string, unknown> {
  const { start, end, page, sheet, slide, section, member } = hit.position
  const place = { page, sheet, slide, section, member, start, end }
  const all = { ...file.metadata, ...place, file_id: file.id, context_id: file.context_id, chunk_id: hit.id, url }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined))
}
