/** What the routes of GraphQL take and answer: the queries themselves are the schema's. */
import { t } from "elysia"
import { ErrorExtensions } from "../compatible/errors.ts"
import { operation } from "../operation.ts"
import { integer, JsonObject, optional } from "../schemas.ts"

const EXAMPLE = {
  query: "query ($name: String) { files(first: 2, name: $name) { nodes { id name status } totalCount } }",
  variables: { name: "lease" },
}

/** What clients of the newer protocol ask for; it is the same JSON. */
export const RESPONSE_TYPE = "application/graphql-response+json"

const Query = t.Object(
  {
    query: optional(
      t.String({ description: "A document; at most 100 000 characters and 2 000 tokens. Not needed with its hash" }),
    ),
    operationName: optional(t.String({ description: "Which one, of a document with several" })),
    variables: optional(JsonObject),
    extensions: optional(
      t.Record(t.String(), t.Any(), {
        description: "`persistedQuery: {version: 1, sha256Hash}` names a query that was sent before by its hash",
      }),
    ),
  },
  { title: "GraphqlQuery" },
)

const Location = t.Object({ line: integer(), column: integer() }, { title: "GraphqlLocation" })

const FieldError = t.Object(
  {
    message: t.String(),
    locations: t.Optional(t.Array(Location)),
    path: t.Optional(t.Array(t.Union([t.String(), integer()]), { description: "The field that failed" })),
    extensions: ErrorExtensions,
  },
  {
    title: "GraphqlFieldError",
    examples: [
      {
        message: "there is no such file",
        locations: [{ line: 1, column: 3 }],
        path: ["file"],
        extensions: { code: "not_found", request_id: "req_01m7y48vkz3s85f1acdta2" },
      },
    ],
  },
)

const Result = t.Object(
  {
    data: t.Union([JsonObject, t.Null()], {
      description: "As the query asks for it; null where the hash of a persisted query is not known",
    }),
    errors: t.Optional(t.Array(FieldError, { description: "Of the fields that are null because they failed" })),
    extensions: t.Object({
      cost: integer({ description: "Of this query" }),
      max_cost: integer({ description: "What one query may cost" }),
    }),
  },
  {
    title: "GraphqlResult",
    examples: [
      {
        data: {
          files: {
            nodes: [{ id: "file_01m7y48vkz3s85f1acdta2", name: "lease.pdf", status: "searchable" }],
            totalCount: 1,
          },
        },
        extensions: { cost: 321, max_cost: 50_000 },
      },
    ],
  },
)

export type GraphqlResult = typeof Result.static

const SHARED = {
  // Texts of files that were read are told of by the handler, each by itself.
  audit: "nothing",
  anyKey: true,
  tag: "Compatible",
  compatible: "graphql",
  answers: { 200: { description: "What was asked for", schema: Result, alsoAs: RESPONSE_TYPE } },
  errors: ["not_found"],
} as const

export const query = operation({
  ...SHARED,
  id: "queryGraphql",
  summary: "GraphQL: read files, passages, search, conversations, runs, usage",
  description:
    "Reads what the key may see, as a GraphQL query asks for it. A query needs the scopes of all its fields: files:read, search, chat, agents, usage. Lists are connections with cursors. A query that was sent once with its hash (`extensions.persistedQuery`) can be named by that alone; `PersistedQueryNotFound` asks for it again. A query that is not valid, nested too deep or too costly is 400 and nothing of it is executed; a field that fails is null, and `errors` says why with a code as of all errors. It counts as one request.",
  body: Query,
  example: EXAMPLE,
})

export const queryByAddress = operation({
  ...SHARED,
  id: "queryGraphqlByAddress",
  summary: "GraphQL: a query in the address",
  description:
    "The same for clients that read by GET. A browser that opens the address, and accepts `text/html`, gets GraphiQL instead: an editor of queries.",
  query: t.Object({
    query: t.Optional(t.String({ examples: [EXAMPLE.query] })),
    operationName: t.Optional(t.String()),
    variables: t.Optional(t.String({ description: "JSON", examples: [JSON.stringify(EXAMPLE.variables)] })),
    extensions: t.Optional(t.String({ description: "JSON" })),
  }),
  answers: { 200: { ...SHARED.answers[200], hasPage: true } },
})

export const schema = operation({
  id: "getGraphqlSchema",
  audit: "nothing",
  open: true,
  tag: "Compatible",
  summary: "GraphQL: the schema",
  answers: {
    200: {
      description: "In the schema definition language, with scopes and costs as directives",
      type: "text/plain",
      example: "type Query {\n  file(id: ID!): File\n}\n",
    },
  },
  errors: ["not_found"],
})
