/** The OpenAPI document, made from the routes themselves, and the reference page that shows it. */
import { toOpenAPISchema } from "@elysiajs/openapi"
import type { AnyElysia } from "elysia"
import swaggerStyle from "swagger-ui-dist/swagger-ui.css" with { type: "file" }
import swaggerScript from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" }
import { ErrorResponse } from "./schemas.ts"

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
  for (const item of Object.values(paths)) for (const entry of Object.values(item)) moveExample(entry)
  return {
    openapi: "3.1.0",
    info: { title: "Carrel", version, description: DESCRIPTION, license: { name: "Apache-2.0" } },
    servers: [{ url: "/" }],
    paths,
    components: {
      ...components,
      schemas: { ...components.schemas, Error: ErrorResponse },
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
interface Entry {
  "x-request-example"?: unknown
  requestBody?: { content?: Record<string, { example?: unknown }> }
}

/** `operation()` keeps the request example beside the schemas; the document wants it inside the body's content. */
function moveExample(entry: Entry): void {
  const example = entry["x-request-example"]
  delete entry["x-request-example"]
  if (example === undefined) return
  for (const media of Object.values(entry.requestBody?.content ?? {})) media.example = example
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
