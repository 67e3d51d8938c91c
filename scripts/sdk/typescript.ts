/** The low level of the TypeScript SDK: types, and a table of calls that the transport carries out. */
import type { ApiDocument, ApiOperation, Field, NamedType, Parameter, Result, Type } from "./document.ts"

const HEAD = `// Made by \`npm run sdk:generate\` from the OpenAPI document of the product. Do not edit.
import { ApiError } from "./api-error.ts"
`

export const typescript = ({ version, types, operations, errors }: ApiDocument): string =>
  [
    HEAD,
    `/** The version of the product that these types are of. */\nexport const VERSION = ${JSON.stringify(version)}\n`,
    ...types.map(namedType),
    errorCodes(errors),
    calls(operations),
    table(operations),
  ].join("\n")

function namedType({ name, description, type }: NamedType): string {
  const body =
    type.kind === "record" ? `export interface ${name} ${record(type.fields, "")}` : `export type ${name} = ${of(type)}`
  return `${comment(description, "")}${body}\n`
}

const errorCodes = (errors: ApiDocument["errors"]): string => `/** The codes of errors, each with its HTTP status. */
export const ERROR_CODES = {
${errors.map(({ code, status, message }) => `  /** ${message} */\n  ${code}: ${status},`).join("\n")}
} as const

export type ErrorCode = keyof typeof ERROR_CODES

${errors.map(({ code, message }) => `/** \`${code}\`: ${message} */\nexport class ${className(code)} extends ApiError {}`).join("\n")}

/** The class of each code. */
export const ERROR_CLASSES: { readonly [Code in ErrorCode]: typeof ApiError } = {
${errors.map(({ code }) => `  ${code}: ${className(code)},`).join("\n")}
}
`

/** `not_found` is `NotFoundError`. */
const className = (code: string): string => {
  const name = code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return name.endsWith("Error") ? name : `${name}Error`
}

/** What each call takes and answers, by its name. */
const calls = (operations: readonly ApiOperation[]): string =>
  `export interface Calls {\n${operations.map(call).join("\n")}\n}\n`

function call({ id, summary, parameters, body, results }: ApiOperation): string {
  const part = (place: Parameter["in"]) => parameters.filter(parameter => parameter.in === place)
  const inputs = (["path", "query", "header"] as const).flatMap(place => {
    const fields = part(place)
    const mark = fields.some(({ required }) => required) ? "" : "?"
    return fields.length > 0 ? [`    ${place}${mark}: ${record(fields, "    ")}`] : []
  })
  if (body) inputs.push(`    body${body.required ? "" : "?"}: ${of(body.type, "    ")}`)
  inputs.push(`    answer: ${answerOf(results)}`)
  const event = results.find(({ kind }) => kind === "events")?.type
  if (event) inputs.push(`    event: ${of(event, "    ")}`)
  return `${comment(summary, "  ")}  ${id}: {\n${inputs.join("\n")}\n  }`
}

function answerOf(results: readonly Result[]): string {
  const json = results.flatMap(({ kind, type }) => (kind === "json" && type ? [of(type, "    ")] : []))
  if (json.length > 0) return [...new Set(json)].join(" | ")
  const [first] = results.filter(({ kind }) => kind !== "events")
  return first?.kind === "text" ? "string" : first?.kind === "bytes" ? "ReadableStream<Uint8Array>" : "undefined"
}

function table(operations: readonly ApiOperation[]): string {
  const rows = operations.map(({ id, method, path, results, takesIdempotencyKey, isHarmless, takesLastEventId }) => {
    const kinds = new Set(results.map(({ kind }) => kind))
    const kind = (["json", "text", "bytes", "events"] as const).find(each => kinds.has(each)) ?? "none"
    const marks = [
      ...(takesIdempotencyKey ? ["idempotent: true"] : []),
      ...(isHarmless ? ["harmless: true"] : []),
      ...(kinds.has("events") ? ["events: true"] : []),
      ...(takesLastEventId ? ["resumes: true"] : []),
    ]
    const fields = [
      `method: "${method.toUpperCase()}"`,
      `path: ${JSON.stringify(path)}`,
      `answers: "${kind}"`,
      ...marks,
    ]
    return `  ${id}: { ${fields.join(", ")} },`
  })
  return `export interface Route {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** With \`{name}\` for each parameter. */
  path: string
  answers: "json" | "text" | "bytes" | "events" | "none"
  /** Carried out once under an Idempotency-Key. */
  idempotent?: true
  /** A POST that may be sent twice. */
  harmless?: true
  /** May answer as a stream of events. */
  events?: true
  /** Goes on behind the event that Last-Event-ID names. */
  resumes?: true
}

export const ROUTES: { readonly [Id in keyof Calls]: Route } = {
${rows.join("\n")}
}
`
}

function record(fields: readonly Field[], indent: string): string {
  const inner = `${indent}  `
  const lines = fields.map(
    ({ name, type, required, description }) =>
      `${comment(description, inner)}${inner}${key(name)}${required ? "" : "?"}: ${of(type, inner)}`,
  )
  return `{\n${lines.join("\n")}\n${indent}}`
}

function of(type: Type, indent = ""): string {
  switch (type.kind) {
    case "any":
      return "unknown"
    case "null":
    case "boolean":
      return type.kind
    case "integer":
    case "number":
      return "number"
    case "string":
      return type.values ? type.values.map(value => JSON.stringify(value)).join(" | ") : "string"
    case "literal":
      return JSON.stringify(type.value)
    case "array": {
      const items = of(type.items, indent)
      return /^[\w.]+$/.test(items) ? `${items}[]` : `Array<${items}>`
    }
    case "map":
      return `Record<string, ${of(type.values, indent)}>`
    case "record":
      return record(type.fields, indent)
    case "union":
      return type.of.map(each => of(each, indent)).join(" | ")
    case "named":
      return type.name
  }
}

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** Of one line, or of several; empty where there is nothing to say. */
function comment(text: string, indent: string): string {
  const lines = text.replaceAll("*/", "*\\/").trim().split("\n")
  if (lines[0] === "") return ""
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map(line => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
}
