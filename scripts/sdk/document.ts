/**
 * The API as the SDKs see it: the product's OpenAPI document in a small form of its own, so that three emitters need not
 * know JSON Schema. The routes are made for it, never called.
 */
import { ERRORS, type ErrorCode } from "../../src/errors.ts"
import { openApiDocument } from "../../src/http/openapi.ts"
import { declaredAs } from "../../src/http/operation.ts"
import { documentedRoutes } from "../../src/http/routes/index.ts"
import type { Services } from "../../src/http/services.ts"

/** What a value may be. A field that may be null is a union with `null`, which comes last. */
export type Type =
  | { kind: "any" | "null" | "boolean" | "integer" | "number" }
  /** `values` are the only ones, where given; `format` is `date-time` of a time. */
  | { kind: "string"; values?: readonly string[]; format?: string }
  | { kind: "literal"; value: string | number | boolean }
  | { kind: "array"; items: Type }
  /** A JSON object of any keys. */
  | { kind: "map"; values: Type }
  | { kind: "record"; fields: readonly Field[] }
  | { kind: "union"; of: readonly Type[] }
  | { kind: "named"; name: string }

export interface Field {
  /** As on the wire. */
  name: string
  type: Type
  required: boolean
  description: string
}

/** A type of the document with a name of its own: a record, a union of named ones, or a list of them. */
export interface NamedType {
  name: string
  description: string
  type: Type
}

export interface Parameter extends Field {
  in: "path" | "query" | "header"
}

export interface Result {
  status: number
  kind: "json" | "events" | "text" | "bytes" | "none"
  /** Of the JSON, or of each event: `{event, data}` in one object. */
  type: Type | undefined
}

export interface ApiOperation {
  /** camelCase, never changes. */
  id: string
  method: "get" | "post" | "put" | "patch" | "delete"
  /** With `{name}` for each path parameter. */
  path: string
  tag: string
  summary: string
  description: string
  /** Those of the path first, in its order. `Idempotency-Key` and `Last-Event-ID` are the transport's and not among them. */
  parameters: readonly Parameter[]
  /** Of a JSON body. */
  body: { type: Type; required: boolean } | undefined
  /** Content types that it takes beside JSON: the hand-written layer makes these bodies. */
  otherBodies: readonly string[]
  results: readonly Result[]
  /** The same request sent again under its Idempotency-Key is carried out once. */
  takesIdempotencyKey: boolean
  /** A POST that may be sent twice without a key: it changes nothing, as its declaration for the audit log has it. */
  isHarmless: boolean
  /** Its stream goes on behind the event that `Last-Event-ID` names. */
  takesLastEventId: boolean
}

export interface ApiDocument {
  version: string
  types: readonly NamedType[]
  operations: readonly ApiOperation[]
  errors: readonly { code: ErrorCode; status: number; message: string }[]
}

/** Names that mean something else in most languages. */
const RENAMED: Readonly<Record<string, string>> = {
  File: "FileRecord",
  Error: "ErrorEnvelope",
  Event: "EventRecord",
  Response: "ResponseObject",
  Key: "ApiKey",
}

/** Of the console, of pages for people, and of protocols that have clients of their own. */
const LEFT_OUT = [/^\/view\//, /^\/mcp$/, /^\/metrics$/, /\/keys\/(?:oidc|sessions|status|verify)/, /\/upload PUT$/]
const LEFT_OUT_TAGS = ["Console"]

/** Makes what lapses by itself, and serves nobody who did not get the answer. */
const LAPSING = ["createToken"]

const HEADERS_OF_TRANSPORT = { idempotency: "Idempotency-Key", lastEvent: "Last-Event-ID" }

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema, as it comes
type Schema = any

export function readDocument(version: string): ApiDocument {
  const app = documentedRoutes({ fileTypes: new Map() } as unknown as Services)
  const { paths, components } = openApiDocument(app, version) as Schema
  const harmless = [
    ...LAPSING,
    ...app.routes.map(declaredAs).flatMap(declared => (declared?.audit === "nothing" ? [declared.id] : [])),
  ]
  const operations = Object.entries<Schema>(paths).flatMap(([path, item]) =>
    Object.entries<Schema>(item)
      .filter(([method, { tags }]) => !LEFT_OUT_TAGS.includes(tags[0]) && !isLeftOut(path, method))
      .map(([method, entry]) => ({
        ...operationOf(method as ApiOperation["method"], path, entry),
        isHarmless: method === "post" && harmless.includes(entry.operationId),
      })),
  )
  const named = new Map<string, NamedType>(
    Object.entries<Schema>(components.schemas).map(([name, schema]) => [
      nameOf(name),
      { name: nameOf(name), description: schema.description ?? "", type: typeOf(schema) },
    ]),
  )
  const errors = Object.entries(ERRORS).map(([code, about]) => ({ code: code as ErrorCode, ...about }))
  return { version, types: reachable(operations, named), operations, errors }
}

const isLeftOut = (path: string, method: string): boolean =>
  LEFT_OUT.some(pattern => pattern.test(path) || pattern.test(`${path} ${method.toUpperCase()}`))

const nameOf = (name: string): string => RENAMED[name] ?? name

function operationOf(method: ApiOperation["method"], path: string, entry: Schema): Omit<ApiOperation, "isHarmless"> {
  const all: Schema[] = entry.parameters ?? []
  const content: Record<string, Schema> = entry.requestBody?.content ?? {}
  const { "application/json": json, ...others } = content
  const order = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const has = (name: string) => all.some(parameter => parameter.name === name)
  const parameters = all
    .filter(({ name }) => !Object.values(HEADERS_OF_TRANSPORT).includes(name))
    .map(({ name, in: place, required = false, description = "", schema }) => ({
      ...{ name, in: place, required, description, type: typeOf(schema) },
    }))
  return {
    id: entry.operationId,
    method,
    path,
    tag: entry.tags[0],
    summary: entry.summary ?? "",
    description: entry.description ?? "",
    parameters: [
      ...order.map(name => parameters.find(parameter => parameter.name === name)!),
      ...parameters.filter(parameter => parameter.in !== "path"),
    ],
    body: json && { type: typeOf(json.schema), required: entry.requestBody.required ?? false },
    otherBodies: Object.keys(others),
    results: resultsOf(entry.responses),
    takesIdempotencyKey: has(HEADERS_OF_TRANSPORT.idempotency),
    takesLastEventId: has(HEADERS_OF_TRANSPORT.lastEvent),
  }
}

/** Those without an error, JSON before events. */
function resultsOf(responses: Record<string, Schema>): Result[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([status, { content = {} }]): Result[] => {
      const types = Object.entries<Schema>(content)
      if (types.length === 0) return [{ status: Number(status), kind: "none", type: undefined }]
      return types
        .map(([type, { schema }]) => ({ status: Number(status), ...kindOf(type, schema) }))
        .sort((left, right) => Number(left.kind === "events") - Number(right.kind === "events"))
    })
}

function kindOf(contentType: string, schema: Schema): Pick<Result, "kind" | "type"> {
  if (contentType === "application/json") return { kind: "json", type: typeOf(schema) }
  if (contentType === "text/event-stream") return { kind: "events", type: typeOf(schema) }
  if (contentType === "text/plain") return { kind: "text", type: undefined }
  return { kind: "bytes", type: undefined }
}

function typeOf(schema: Schema): Type {
  if (!schema || Object.keys(schema).length === 0) return { kind: "any" }
  if (schema.$ref) return { kind: "named", name: nameOf(schema.$ref.split("/").at(-1)) }
  if (schema.const !== undefined)
    return schema.const === null ? { kind: "null" } : { kind: "literal", value: schema.const }
  const members: Schema[] | undefined = schema.anyOf ?? schema.oneOf
  if (members) return unionOf(members.map(typeOf))
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type: string) => typeOf({ ...schema, type })))
  switch (schema.type) {
    case "string":
      return stringOf(schema)
    case "integer":
    case "number":
    case "boolean":
    case "null":
      return { kind: schema.type }
    case "array":
      return { kind: "array", items: typeOf(schema.items) }
    case "object":
      return objectOf(schema)
    default:
      return { kind: "any" }
  }
}

function stringOf({ enum: values, format }: Schema): Type {
  // Null stands in the list as well where the field may be null.
  const texts = values?.filter((value: unknown) => typeof value === "string")
  return { kind: "string", ...(texts ? { values: texts } : {}), ...(format ? { format } : {}) }
}

function objectOf({ properties, required = [], additionalProperties, patternProperties }: Schema): Type {
  if (properties && Object.keys(properties).length > 0) {
    const fields = Object.entries<Schema>(properties).map(([name, schema]) => ({
      ...{ name, type: typeOf(schema), required: required.includes(name), description: schema.description ?? "" },
    }))
    return { kind: "record", fields }
  }
  const [values = typeof additionalProperties === "object" ? additionalProperties : undefined] = Object.values<Schema>(
    patternProperties ?? {},
  )
  return { kind: "map", values: typeOf(values) }
}

/** Flat, each member once, null last; several lists of texts are one. */
function unionOf(types: readonly Type[]): Type {
  const flat = types.flatMap(type => (type.kind === "union" ? type.of : [type]))
  const known = new Map(flat.filter(({ kind }) => kind !== "null").map(type => [JSON.stringify(type), type]))
  if ([...known.values()].some(({ kind }) => kind === "any")) return { kind: "any" }
  const of: Type[] = [...known.values(), ...(flat.some(({ kind }) => kind === "null") ? [NULL] : [])]
  return of.length === 1 ? of[0]! : { kind: "union", of }
}

const NULL: Type = { kind: "null" }

/** The types that an operation names, and those that these name, by name. */
function reachable(operations: readonly ApiOperation[], named: ReadonlyMap<string, NamedType>): NamedType[] {
  const found = new Map<string, NamedType>()
  const look = (type: Type | undefined): void => {
    if (type?.kind === "array") look(type.items)
    else if (type?.kind === "map") look(type.values)
    else if (type?.kind === "union") type.of.forEach(look)
    else if (type?.kind === "record") for (const field of type.fields) look(field.type)
    else if (type?.kind === "named" && !found.has(type.name)) {
      const target = named.get(type.name)
      if (!target) throw new Error(`no schema is named ${type.name}`)
      found.set(type.name, target)
      look(target.type)
    }
  }
  look({ kind: "named", name: "ErrorEnvelope" })
  for (const { parameters, body, results } of operations) {
    for (const { type } of parameters) look(type)
    look(body?.type)
    for (const { type } of results) look(type)
  }
  return [...found.values()].sort((left, right) => left.name.localeCompare(right.name, "en"))
}
