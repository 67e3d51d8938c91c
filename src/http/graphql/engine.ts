/** GraphQL itself: what answers one query. Loaded with the first one, so that the start of the daemon does not wait for it. */
import {
  buildSchema,
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLResolveInfo,
  getOperationAST,
  parse,
  validate,
} from "graphql"
import { AppError, asStorageError, toErrorBody } from "../../errors.ts"
import { log } from "../../log.ts"
import { needScope } from "../context.ts"
import { Linked } from "../linked.ts"
import type { Asked } from "./asked.ts"
import type { GraphqlCaller, GraphqlHouse, GraphqlQuery } from "./call.ts"
import { Costs } from "./cost.ts"
import {
  checkForm,
  MAX_COST,
  MAX_DEPTH,
  MAX_ERRORS,
  MAX_INTROSPECTION_DEPTH,
  PARSING,
  tooCostly,
  tooDeep,
} from "./limits.ts"
import { Loaders } from "./loaders.ts"
import type { GraphqlResult } from "./routes.docs.ts"
import SDL from "./schema.graphql" with { type: "text" }
import { QUERY } from "./types/index.ts"

const schema = buildSchema(SDL)
const costs = new Costs(schema)

/**
 * What the audit log is told of comes back with the result.
 * @throws AppError invalid_request for a query that cannot or may not be executed; forbidden
 */
export async function answer(
  house: GraphqlHouse,
  query: GraphqlQuery,
  { principal, requestId, signal }: GraphqlCaller,
): Promise<{ result: GraphqlResult } & Pick<Asked, "read" | "missed">> {
  const document = parsed(query.query)
  const variables = query.variables ?? {}
  const operation = getOperationAST(document, query.operationName)
  const cost = operation ? admitted(document, operation, variables, principal) : 0
  const { view } = principal
  const loaders = new Loaders(house, view)
  const linked = new Linked(house.links, principal)
  const told = { read: new Set<string>(), missed: new Map() }
  const asked: Asked = { house, principal, view, linked, loaders, signal, requestId, ...told }
  const { data, errors } = await execute({
    schema,
    document,
    rootValue: QUERY,
    contextValue: asked,
    variableValues: variables,
    operationName: query.operationName,
    fieldResolver: resolve,
    abortSignal: signal,
    options: { maxCoercionErrors: MAX_ERRORS },
  })
  signal.throwIfAborted()
  if (data === undefined) throw refusal(errors ?? [])
  const failed = errors?.slice(0, MAX_ERRORS).map(error => toldError(error, requestId))
  const extensions = { cost, max_cost: MAX_COST }
  return { result: { ...(failed ? { errors: failed } : {}), data, extensions }, ...told }
}

/**
 * By this message clients know that they have to send the query. It is no error of the protocol below: some give up on any
 * other status than 200.
 */
export const unknownHash = ({ requestId }: GraphqlCaller): GraphqlResult => ({
  errors: [{ message: "PersistedQueryNotFound", extensions: { code: "not_found", request_id: requestId } }],
  data: null,
  extensions: { cost: 0, max_cost: MAX_COST },
})

/** @throws AppError invalid_request */
function parsed(query: string): DocumentNode {
  let document: DocumentNode
  try {
    document = parse(query, PARSING)
  } catch (error) {
    throw refusal([error as GraphQLError])
  }
  checkForm(document)
  const errors = validate(schema, document, undefined, { maxErrors: MAX_ERRORS })
  if (errors.length > 0) throw refusal(errors)
  return document
}

/** @returns the cost. @throws AppError invalid_request for what asks for too much; forbidden */
function admitted(
  document: DocumentNode,
  operation: NonNullable<ReturnType<typeof getOperationAST>>,
  variables: Readonly<Record<string, unknown>>,
  principal: GraphqlCaller["principal"],
): number {
  const { cost, depth, introspectionDepth, scopes } = costs.of(document, operation, variables)
  if (depth > MAX_DEPTH) throw tooDeep(MAX_DEPTH)
  if (introspectionDepth > MAX_INTROSPECTION_DEPTH) throw tooDeep(MAX_INTROSPECTION_DEPTH)
  if (!(cost <= MAX_COST)) throw tooCostly(cost)
  for (const scope of scopes) needScope(principal, scope)
  return cost
}

/** Nothing was executed: every error says where in the query it is. */
function refusal(errors: readonly GraphQLError[]): AppError {
  const details = errors.slice(0, MAX_ERRORS).map(({ message, locations }) => ({
    field: "query",
    issue: message,
    ...(locations ? { locations } : {}),
  }))
  return new AppError("invalid_request", { message: `query: ${details[0]?.issue}`, details })
}

/** A field that failed, by the one table of errors. */
function toldError({ message, locations, path, originalError }: GraphQLError, requestId: string) {
  const cause = originalError ?? new Error(message)
  const known = cause instanceof AppError ? cause : asStorageError(cause)
  if (!known) log.error("a field of a query failed", { request_id: requestId, path: path?.join("."), error: cause })
  const { message: told, ...extensions } = toErrorBody(known ?? cause, requestId)
  const retry = known?.retryAfter === undefined ? {} : { retry_after: known.retryAfter }
  return {
    message: told,
    ...(locations ? { locations: [...locations] } : {}),
    ...(path ? { path: [...path] } : {}),
    extensions: { ...extensions, ...retry },
  }
}

type Source = Readonly<Record<string, unknown>>

/** Records are spelled as on the rest of the wire, `mime_type` for `mimeType`; what must be asked for is a function. */
function resolve(source: Source, given: unknown, asked: Asked, { fieldName }: GraphQLResolveInfo): unknown {
  const value = source[spelled(fieldName)]
  return typeof value === "function" ? value(given, asked) : value
}

const spellings = new Map<string, string>()

function spelled(fieldName: string): string {
  const known = spellings.get(fieldName) ?? fieldName.replace(/[A-Z]/g, capital => `_${capital.toLowerCase()}`)
  spellings.set(fieldName, known)
  return known
}
