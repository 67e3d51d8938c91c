/** Holds every answer that a test receives to the OpenAPI document: its status, its content type, its body, its events. */
import Ajv2020 from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { openApiDocument } from "../../src/http/openapi.ts"
import { PREFIX } from "../../src/http/prefix.ts"
import { documentedRoutes } from "../../src/http/routes/index.ts"
import type { Services } from "../../src/http/services.ts"

type Json = Record<string, unknown>
interface DocumentedAnswer {
  /** Of an error: the answer stands under the components. */
  $ref?: string
  description: string
  content?: Record<string, { schema: Json }>
}
interface Entry {
  operationId: string
  responses: Record<string, DocumentedAnswer>
}

/** The routes are made, never called. */
const document = openApiDocument(documentedRoutes({ fileTypes: new Map() } as unknown as Services), "test")
const paths = document.paths as unknown as Record<string, Record<string, Entry>>
const errors = document.components.responses as Record<string, DocumentedAnswer>

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(closed(document) as Json, "document")

/** A field that the document does not name is an error here, though clients must bear one. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== "object" || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]))
  const isRecord = typeof copy.properties === "object" && copy.type === "object" && !("additionalProperties" in copy)
  return isRecord ? { ...copy, additionalProperties: false } : copy
}

const templates = Object.entries(paths).map(([path, item]) => ({
  path,
  item,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}/?$`),
}))

/** `search`, with where it stands in the document; undefined for what is not in it. */
function operationOf(method: string, pathname: string): { entry: Entry; pointer: string } | undefined {
  const canonical = pathname.startsWith("/external/") ? PREFIX + pathname : pathname
  const fixed = (path: string) => Number(path.includes("{"))
  const matching = templates
    .filter(({ pattern }) => pattern.test(canonical))
    .sort((a, b) => fixed(a.path) - fixed(b.path))
  const found = matching.find(({ item }) => method.toLowerCase() in item)
  if (!found) return undefined
  const pointer = ["paths", found.path, method.toLowerCase()].map(escaped).join("/")
  return { entry: found.item[method.toLowerCase()]!, pointer }
}

const escaped = (name: string): string => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))

interface Received {
  method: string
  pathname: string
  status: number
  /** Undefined without a body. */
  type: string | undefined
}

/** What checks the body of an answer whose status and type are documented; undefined where there is nothing to check. */
export function expectDocumented({ method, pathname, status, type }: Received): ((text: string) => void) | undefined {
  const operation = operationOf(method, pathname)
  if (!operation) return undefined
  const name = `${method} ${pathname} (${operation.entry.operationId}) ${status}`
  const listed = operation.entry.responses[status]
  if (!listed) throw new Error(`the document does not name this answer: ${name}`)
  const shared = listed.$ref?.split("/").at(-1)
  const answer = shared === undefined ? listed : errors[shared]!
  const types = Object.keys(answer.content ?? {})
  if (type === undefined || types.includes("*/*") || status === 304) return undefined
  if (!types.includes(type)) throw new Error(`the document does not name the type ${type} of ${name}`)
  const place = shared === undefined ? [operation.pointer, "responses", status] : ["components", "responses", shared]
  const pointer = [...place, "content", escaped(type), "schema"].join("/")
  if (type === "application/json") return text => check(name, pointer, JSON.parse(text), answer)
  if (type === "text/event-stream")
    return text => {
      for (const event of eventsIn(text)) check(name, pointer, event, answer)
    }
  return undefined
}

function check(name: string, pointer: string, body: unknown, { description }: DocumentedAnswer): void {
  const validate = ajv.getSchema(`document#/${pointer}`)
  if (!validate) throw new Error(`no schema for ${name}`)
  if (!validate(body))
    throw new Error(
      `not as documented: ${name}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 2_000)}`,
    )
  const code = (body as { error?: { code?: unknown } } | null)?.error?.code
  if (typeof code === "string" && name.match(/\d+$/)![0]! >= "400" && !description.includes(`\`${code}\``))
    throw new Error(`the document does not name the code ${code} of ${name}`)
}

/** Whole events only: a client may have left amid one. */
const eventsIn = (text: string) =>
  text
    .split("\n\n")
    .slice(0, -1)
    .filter(block => !block.startsWith(":") && block !== "data: [DONE]")
    .map(block => {
      if (block.startsWith("data: ")) return JSON.parse(block.slice("data: ".length)) // as OpenAI's chunks are
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? "null"
      const id = /^id: /m.test(block) ? { id: idOf(field("id")) } : {}
      return { ...id, event: field("event"), data: JSON.parse(field("data")) }
    })

/** A number, but in the feed of events. */
const idOf = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text)

let isHeld = false

/** From here on, `fetch` fails for answers of the daemon that are not as documented. */
export function holdToDocument(): void {
  if (isHeld) return
  isHeld = true
  const ask = globalThis.fetch
  const held = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await ask(input, init)
    if (!response.headers.has("x-request-id")) return response // of another server
    const request = typeof input === "object" && "url" in input ? input : undefined
    const { pathname } = new URL(request?.url ?? String(input))
    const method = (init?.method ?? request?.method ?? "GET").toUpperCase()
    if (method === "HEAD") return response
    const type = response.headers.get("content-type")?.split(";")[0]
    const checkBody = expectDocumented({ method, pathname, status: response.status, type })
    return checkBody ? checkedWhenRead(response, checkBody) : response
  }
  globalThis.fetch = Object.assign(held, ask)
}

/** The body is looked at as the test reads it, so that streams stay streams. */
function checkedWhenRead(response: Response, checkBody: (text: string) => void): Response {
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const body = response.body!.pipeThrough(checkedStream(checkBody))
    return Object.defineProperties(response, {
      body: { value: body },
      text: { value: () => new Response(body).text() },
    })
  }
  const read = response.text.bind(response)
  const text = async () => {
    const body = await read()
    checkBody(body)
    return body
  }
  return Object.defineProperties(response, {
    text: { value: text },
    json: { value: async () => JSON.parse(await text()) },
  })
}

function checkedStream(checkBody: (text: string) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  let rest = ""
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes)
      rest += decoder.decode(bytes, { stream: true })
      const end = rest.lastIndexOf("\n\n") + 2
      if (end < 2) return
      checkBody(rest.slice(0, end))
      rest = rest.slice(end)
    },
  })
}
