/** The OpenAPI document, made from the routes themselves, and the reference page that shows it. */
import { toOpenAPISchema } from "@elysiajs/openapi"
import type { AnyElysia } from "elysia"
import swaggerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" }
import swaggerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" }
import { ERRORS, type ErrorCode } from "../errors.ts"
import { ErrorResponse, isClosed } from "./schemas.ts"

export const DOCS_PATH = "/external-docs/docs"

const DESCRIPTION = `Carrel gives an application models, file upload and indexing, a library, hybrid search, streamed chat,
headless agents and privacy redaction over HTTP.

Every path also answers without the prefix \`/external-docs\`. Every endpoint needs the three headers \`client-id\`,
\`private-key\` and \`secret\`, but for those under \`/external/keys\`, this reference and the health endpoints.
Ids are prefixed and sort by creation time. Times are ISO-8601 in UTC. Character offsets count UTF-16 code units.
Unknown request fields are ignored unless a route says otherwise.`

const header = (name: string, description: string) => ({ type: "apiKey", in: "header", name, description })

/** @param app the routes under their canonical prefix, mounted once */
export function openApiDocument(app: AnyElysia, version: string) {
  const { paths, components } = toOpenAPISchema(app) as unknown as { paths: Paths; components: { schemas: object } }
  for (const item of Object.values(paths)) for (const entry of Object.values(item)) complete(entry)
  return {
    openapi: "3.1.0",
    info: { title: "Carrel", version, description: DESCRIPTION, license: { name: "Apache-2.0" } },
    servers: [{ url: "/" }],
    paths,
    components: {
      ...components,
      schemas: { ...components.schemas, Error: ErrorResponse },
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

type Paths = Record<string, Record<string, Entry>>
interface Answer {
  description: string
  headers?: Record<string, unknown>
}
interface Entry {
  /** What `operation()` notes for this file to place. */
  "x-request-example"?: unknown
  "x-errors"?: ErrorCode[]
  "x-headers"?: { name: string }[]
  security?: Record<string, unknown>[]
  requestBody?: { content?: Record<string, { example?: unknown; schema?: unknown }> }
  parameters?: { in: string; description?: string; schema?: unknown }[]
  responses: Record<string, Answer>
}

/** Errors of every JSON body, whatever the route says. */
const BODY_ERRORS: ErrorCode[] = [
  "invalid_json",
  "invalid_request",
  "request_timeout",
  "request_too_large",
  "unsupported_media_type",
]

/** Brings what the framework makes of a route in line with what the server does. */
function complete(entry: Entry): void {
  const { "x-request-example": example, "x-errors": named = [], "x-headers": headers = [], requestBody } = entry
  delete entry["x-request-example"]
  delete entry["x-errors"]
  delete entry["x-headers"]
  if (headers.length > 0)
    entry.parameters = [
      ...(entry.parameters ?? []),
      ...headers.map(header => ({ in: "header", required: false, ...header })),
    ]
  const json = requestBody?.content?.["application/json"]
  if (json) {
    // The framework would also read forms; `body.ts` takes JSON only.
    requestBody.content = { "application/json": json }
    json.schema = asServed(json.schema)
    if (example !== undefined) json.example = example
  }
  for (const parameter of entry.parameters ?? []) {
    parameter.schema = asServed(parameter.schema)
    const { description } = (parameter.schema ?? {}) as { description?: string }
    if (description) parameter.description ??= description
  }
  const inQuery = entry.parameters?.some(parameter => parameter.in === "query")
  const codes = new Set([...named, ...(json ? BODY_ERRORS : []), ...(inQuery ? (["invalid_request"] as const) : [])])
  for (const [status, group] of groupByStatus(codes)) entry.responses[status] = errorAnswer(group)
  const isLimited = entry.security?.some(scheme => "clientId" in scheme) ?? false
  for (const [status, answer] of Object.entries(entry.responses)) answer.headers = headersOf(status, isLimited)
}

/** Unknown fields are ignored where the schema does not close its object; a number of a query is documented as the number it stands for. */
function asServed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asServed)
  if (typeof schema !== "object" || schema === null) return schema
  const { anyOf, additionalProperties, ...rest } = schema as Record<string, unknown>
  const choices = anyOf as Record<string, unknown>[] | undefined
  const number = choices?.some(({ format }) => format === "integer") && choices.find(({ type }) => type === "integer")
  if (number) return { ...number, ...rest }
  delete rest.unevaluatedProperties
  const open = additionalProperties === false && !isClosed(schema) ? {} : { additionalProperties }
  const kept = { ...rest, ...(anyOf ? { anyOf } : {}), ...(additionalProperties === undefined ? {} : open) }
  return Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, asServed(value)]))
}

function errorAnswer(codes: ErrorCode[]): Answer & { content: object } {
  const code = codes[0]!
  return {
    description: codes.map(name => `\`${name}\`: ${ERRORS[name].message}`).join("; "),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        example: { error: { code, message: ERRORS[code].message, request_id: "req_01m7y48vkz3s85f1acdta2" } },
      },
    },
  }
}

function groupByStatus(codes: Iterable<ErrorCode>): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>()
  for (const code of codes) groups.set(ERRORS[code].status, [...(groups.get(ERRORS[code].status) ?? []), code])
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

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Carrel API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${DOCS_PATH}/assets/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="${DOCS_PATH}/assets/swagger-ui-bundle.js"></script>
<script src="${DOCS_PATH}/assets/start.js"></script>
</body>
</html>
`

const START = `window.ui = SwaggerUIBundle({
  url: "${DOCS_PATH}/json", dom_id: "#reference", deepLinking: true, validatorUrl: null,
  persistAuthorization: false, tryItOutEnabled: true, defaultModelsExpandDepth: 0, docExpansion: "list",
});
`

const POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"

/** Answers the reference page's paths; undefined for all others. `document` is called once, at the first use. */
export function referencePages(document: () => object): (path: string) => Response | undefined {
  let json: string | undefined
  const asset = (body: BodyInit, type: string) =>
    new Response(body, {
      headers: { "content-type": type, "cache-control": "public, max-age=3600", "content-security-policy": POLICY },
    })
  return path => {
    switch (path.replace(/\/$/, "")) {
      case DOCS_PATH:
        return asset(PAGE, "text/html; charset=utf-8")
      case `${DOCS_PATH}/json`:
        json ??= JSON.stringify(document())
        return new Response(json, { headers: { "content-type": "application/json; charset=utf-8" } })
      case `${DOCS_PATH}/assets/swagger-ui-bundle.js`:
        return asset(Bun.file(swaggerScript), "text/javascript; charset=utf-8")
      case `${DOCS_PATH}/assets/swagger-ui.css`:
        return asset(Bun.file(swaggerStyle), "text/css; charset=utf-8")
      case `${DOCS_PATH}/assets/start.js`:
        return asset(START, "text/javascript; charset=utf-8")
      default:
        return undefined
    }
  }
}
