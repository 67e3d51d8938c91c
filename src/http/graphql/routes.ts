/** GraphQL over HTTP: one address for queries, and the schema that they follow. */
import { Elysia } from "elysia"
import { AppError } from "../../errors.ts"
import { caller } from "../context.ts"
import type { Services } from "../services.ts"
import { GRAPHQL_PATH } from "./graphql-api.ts"
import * as docs from "./routes.docs.ts"

export const graphqlRoutes = ({ graphql }: Pick<Services, "graphql">) =>
  new Elysia()
    .use(caller)
    .post(
      GRAPHQL_PATH,
      async ({ body, context, request, set }) => {
        const { principal, requestId, address } = context
        if (!principal) throw new AppError("unauthorized")
        if (!graphql) throw new AppError("not_found")
        const result = await graphql.answer(body, { principal, requestId, address, signal: request.signal })
        if (request.headers.get("accept")?.includes(docs.RESPONSE_TYPE))
          set.headers["content-type"] = `${docs.RESPONSE_TYPE}; charset=utf-8`
        return result
      },
      docs.query(),
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
