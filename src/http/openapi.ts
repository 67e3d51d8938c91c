/** The OpenAPI document, made from the routes themselves. */
import { toOpenAPISchema } from "@elysiajs/openapi"
import type { AnyElysia } from "elysia"
import { ERRORS, type ErrorCode } from "../errors.ts"
import { ComponentSchemas, exampleOf } from "./openapi-schemas.ts"
import { type Answer, type Declared, TAGS } from "./operation.ts"
import { ErrorResponse } from "./schemas.ts"

const DESCRIPTION = `Carrel gives an application models, file upload and indexing, a library, hybrid search, streamed chat,
headless agents and privacy redaction over HTTP.

Every path also answers without the prefix \`/external-docs\`. Every endpoint needs the three headers \`client-id\`,
\`private-key\` and \`secret\`, but for those under \`/external/keys\`, this reference and the health endpoints.
Ids are prefixed and sort by creation time. Times are ISO-8601 in UTC. Character offsets count UTF-16 code units.
Unknown request fields are ignored unless a route says otherwise.`

const header = (name: string, description: string) => ({ type: "apiKey", in: "header", name, description })

/** @param app the routes under their canonical prefix, mounted once */
export function openApiDocument(app: AnyElysia, version: string) {
  const made = toOpenAPISchema(app) as unknown as { paths: Record<string, Record<string, Entry>> }
  const schemas = new ComponentSchemas()
  const paths = mapValues(made.paths, item => mapValues(item, entry => complete(entry, schemas)))
  return {
    openapi: "3.1.0",
    info: {
      title: "Carrel",
      version,
      description: DESCRIPTION,
      contact: { name: "Whoever runs this installation" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.all,
      headers: HEADERS,
      securitySchemes: {
        clientId: header("client-id", "Client identifier, cid_…"),
        privateKey: header("private-key", "Private key, cpk_…"),
        secret: header("secret", "Secret, csk_…"),
        session: {
          type: "http",
          scheme: "bearer",
          description: "Console session token; the console's cookie serves as well",
        },
      },
    },
  }
}

const mapValues = <From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

/** What the framework makes of a route: paths and parameters. */
interface Entry {
  "x-operation": Declared
  parameters?: Parameter[]
}
interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: { description?: string }
}

function complete({ "x-operation": declared, parameters = [], ...entry }: Entry, schemas: ComponentSchemas) {
  const { answers, headers = [], security } = declared
  const own = headers.map(each => ({ in: "header", required: false, ...each }))
  const responses: Record<string, object> = {}
  for (const [status, answer] of Object.entries(answers)) responses[status] = successOf(answer, schemas)
  for (const [status, codes] of groupByStatus(errorsOf(declared))) responses[status] ??= errorOf(codes, schemas)
  const isLimited = security.some(scheme => "clientId" in scheme)
  for (const [status, response] of Object.entries(responses))
    responses[status] = { ...response, headers: headersOf(status, isLimited) }
  return {
    ...entry,
    security,
    parameters: [...parameters.map(each => parameterOf(each, schemas)), ...own],
    ...requestOf(declared, schemas),
    responses,
  }
}

function parameterOf({ schema, ...parameter }: Parameter, schemas: ComponentSchemas) {
  const { description, ...served } = schemas.serve(schema)
  return { ...parameter, ...(description ? { description } : {}), schema: served }
}

/** JSON only, whatever else the framework could read; see `body.ts`. */
function requestOf({ body, bodyRequired: required, form, example }: Declared, schemas: ComponentSchemas) {
  if (form)
    return { requestBody: { required: true, content: { "multipart/form-data": { schema: schemas.serve(form) } } } }
  if (!body) return {}
  const schema = schemas.serve(body)
  return {
    requestBody: {
      required,
      content: { "application/json": { schema, ...(example === undefined ? {} : { example }) } },
    },
  }
}

function successOf({ description, schema, events, type, example }: Answer, schemas: ComponentSchemas) {
  const content: Record<string, object> = {}
  if (schema) content["application/json"] = { schema: schemas.serve(schema), example: example ?? exampleOf(schema) }
  if (events) content["text/event-stream"] = { schema: schemas.serve(events), example: exampleOf(events) }
  if (type) content[type] = { schema: { type: "string" }, ...(example === undefined ? {} : { example }) }
  return { description, ...(Object.keys(content).length > 0 ? { content } : {}) }
}

/** Of every route with credentials. */
const ALWAYS: readonly ErrorCode[] = ["unauthorized", "forbidden", "rate_limited"]
/** A Host that is malformed, a disk that fails and a process without descriptors show anywhere. */
const ANYWHERE: readonly ErrorCode[] = ["invalid_request", "internal_error", "overloaded", "insufficient_storage"]
const OF_BODY: readonly ErrorCode[] = [
  "invalid_json",
  "invalid_request",
  "request_timeout",
  "request_too_large",
  "unsupported_media_type",
]

function errorsOf({ errors = [], body, open }: Declared): Set<ErrorCode> {
  return new Set([...errors, ...(body ? OF_BODY : []), ...(open ? [] : ALWAYS), ...ANYWHERE])
}

function errorOf(codes: ErrorCode[], schemas: ComponentSchemas) {
  const code = codes[0]!
  return {
    description: codes.map(name => `\`${name}\`: ${ERRORS[name].message}`).join("; "),
    content: {
      "application/json": {
        schema: schemas.serve(ErrorResponse),
        example: { error: { code, message: ERRORS[code].message, request_id: "req_01m7y48vkz3s85f1acdta2" } },
      },
    },
  }
}

function groupByStatus(codes: Iterable<ErrorCode>): Map<number, ErrorCode[]> {
  const groups = Map.groupBy(codes, code => ERRORS[code].status)
  return new Map([...groups].sort(([left], [right]) => left - right))
}

const HEADERS = {
  "X-Request-Id": { description: "Names this request in the log", schema: { type: "string" } },
  "X-RateLimit-Limit": { description: "Requests allowed per minute", schema: { type: "integer" } },
  "X-RateLimit-Remaining": { description: "Requests left in the current window", schema: { type: "integer" } },
  "X-RateLimit-Reset": { description: "Unix time at which the window ends", schema: { type: "integer" } },
  "Retry-After": { description: "Seconds until a retry makes sense", schema: { type: "integer" } },
}
type HeaderName = keyof typeof HEADERS

function headersOf(status: string, isLimited: boolean): Record<string, { $ref: string }> {
  const names: HeaderName[] = ["X-Request-Id"]
  if (isLimited && status !== "401") names.push("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
  if (status === "429" || status === "503") names.push("Retry-After")
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
