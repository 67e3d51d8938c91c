/** The OpenAPI document, made from the routes themselves. */
import { toOpenAPISchema } from "@elysiajs/openapi"
import type { AnyElysia } from "elysia"
import { ErrorAnswers, errorsOf, HEADERS, headersOf } from "./openapi-errors.ts"
import { ComponentSchemas, exampleOf } from "./openapi-schemas.ts"
import { type Answer, type Declared, TAGS } from "./operation.ts"

const DESCRIPTION = `Carrel gives an application models, file upload and indexing, a library, hybrid search, streamed chat,
headless agents and privacy redaction over HTTP.

Every path also answers without the prefix \`/external-docs\`. Every endpoint needs the three headers \`client-id\`,
\`private-key\` and \`secret\`, or all three in one: \`Authorization: Bearer <client_id>.<private_key>.<secret>\`; but for
those under \`/external/keys\`, signed links under \`/view\`, this reference and the health endpoints.
Ids are prefixed and sort by creation time. Times are ISO-8601 in UTC. Character offsets count UTF-16 code units.
Unknown request fields are ignored unless a route says otherwise.`

const header = (name: string, description: string) => ({ type: "apiKey", in: "header", name, description })

/** @param app the routes under their canonical prefix, mounted once */
export function openApiDocument(app: AnyElysia, version: string) {
  const made = toOpenAPISchema(app, { staticFile: false }) as unknown as {
    paths: Record<string, Record<string, Entry>>
  }
  const schemas = new ComponentSchemas()
  const errors = new ErrorAnswers(schemas)
  const paths = mapValues(made.paths, item => mapValues(item, entry => complete(entry, schemas, errors)))
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
      responses: errors.all,
      headers: HEADERS,
      securitySchemes: {
        clientId: header("client-id", "Client identifier, cid_…"),
        privateKey: header("private-key", "Private key, cpk_…"),
        secret: header("secret", "Secret, csk_…"),
        token: {
          type: "http",
          scheme: "bearer",
          description:
            "The three values of a key in one, `<client_id>.<private_key>.<secret>`, or a scoped token, `cat_…`",
        },
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

function complete(
  { "x-operation": declared, parameters = [], ...entry }: Entry,
  schemas: ComponentSchemas,
  errors: ErrorAnswers,
) {
  const { answers, headers = [], security } = declared
  const own = headers.map(each => ({ in: "header", required: false, ...each }))
  const isLimited = security.some(scheme => "clientId" in scheme)
  const responses: Record<string, object> = {}
  for (const [status, answer] of Object.entries(answers))
    responses[status] = { ...successOf(answer, schemas), headers: headersOf(status, isLimited, answer) }
  for (const [status, codes] of errorsOf(declared))
    responses[status] ??= errors.refer(codes, isLimited, declared.compatible === true ? "openai" : declared.compatible)
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
function requestOf({ body, bodyRequired: required, form, bodies = {}, example }: Declared, schemas: ComponentSchemas) {
  if (form)
    return { requestBody: { required: true, content: { "multipart/form-data": { schema: schemas.serve(form) } } } }
  if (!body) return {}
  const schema = schemas.serve(body)
  return {
    requestBody: {
      required,
      content: {
        "application/json": { schema, ...(example === undefined ? {} : { example }) },
        ...mapValues({ ...bodies }, ({ example: given, ...other }) => ({
          schema: schemas.serve(other),
          ...(given === undefined ? {} : { example: given }),
        })),
      },
    },
  }
}

function successOf({ description, schema, alsoAs, hasPage, events, type, example }: Answer, schemas: ComponentSchemas) {
  const content: Record<string, object> = {}
  if (schema) content["application/json"] = { schema: schemas.serve(schema), example: example ?? exampleOf(schema) }
  if (alsoAs) content[alsoAs] = content["application/json"]!
  if (hasPage) content["text/html"] = { schema: { type: "string" }, example: "<!doctype html>" }
  if (events) content["text/event-stream"] = { schema: schemas.serve(events), example: exampleOf(events) }
  if (type) content[type] = { schema: { type: "string" }, ...(example === undefined ? {} : { example }) }
  return { description, ...(Object.keys(content).length > 0 ? { content } : {}) }
}
