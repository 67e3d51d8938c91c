/** GraphQL over HTTP: one address for queries, and the schema that they follow. */
import { Elysia } from "elysia"
import { parseBounded } from "../../bounded-json.ts"
import { AppError, invalid } from "../../errors.ts"
import { caller, type RequestContext } from "../context.ts"
import type { Services } from "../services.ts"
import type { GraphqlRequest } from "./call.ts"
import { GRAPHQL_PATH } from "./graphql-api.ts"
import * as docs from "./routes.docs.ts"

export const graphqlRoutes = ({ graphql }: Pick<Services, "graphql">) => {
  const answer = (query: GraphqlRequest, { principal, requestId, address }: RequestContext, request: Request) => {
    if (!principal) throw new AppError("unauthorized")
    if (!graphql) throw new AppError("not_found")
    const endpoint = `${request.method} ${GRAPHQL_PATH}`
    return graphql.answer(query, { principal, requestId, address, endpoint, signal: request.signal })
  }
  return new Elysia()
    .use(caller)
    .post(
      GRAPHQL_PATH,
      async ({ body, context, request, set }) => {
        Object.assign(set.headers, typeFor(request))
        return answer(body, context, request)
      },
      docs.query(),
    )
    .get(
      GRAPHQL_PATH,
      async ({ query: { variables, extensions, ...asked }, context, request, set }) => {
        Object.assign(set.headers, typeFor(request))
        const given = { variables: objectIn("variables", variables), extensions: objectIn("extensions", extensions) }
        return answer({ ...asked, ...given }, context, request)
      },
      docs.queryByAddress(),
    )
    .get(
      `${GRAPHQL_PATH}/schema`,
      async () => {
        if (!graphql) throw new AppError("not_found")
        const { default: text } = await import("./schema.graphql", { with: { type: "text" } })
        return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } })
      },
      docs.schema(),
    )
}

const typeFor = ({ headers }: Request) =>
  headers.get("accept")?.includes(docs.RESPONSE_TYPE) ? { "content-type": `${docs.RESPONSE_TYPE}; charset=utf-8` } : {}

/** @throws AppError invalid_request */
function objectIn(field: string, text: string | undefined): Record<string, unknown> | undefined {
  if (!text) return undefined
  let value: unknown
  try {
    value = parseBounded(text)
  } catch {
    value = undefined
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw invalid(field, "must be JSON of an object")
}
