/** The low level of the Python SDK: types, errors, calls; and the synchronous client, which is the asynchronous one rewritten. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ApiDocument, ApiOperation } from "./document.ts"
import { PythonTypes } from "./python-types.ts"

const HEAD = '"""Made by `npm run sdk:generate`. Do not edit."""\n\nfrom __future__ import annotations\n'
const PACKAGE = "sdk/python/src/carrel"
const ASYNC = join(import.meta.dir, "../..", PACKAGE, "_async")

/** Differ by more than words: each kind of client has its own. */
const WRITTEN_TWICE = ["_platform.py"]

/** By file below the project, what makes it. */
export const python: Readonly<Record<string, (document: ApiDocument) => string>> = {
  [`${PACKAGE}/types.py`]: types,
  [`${PACKAGE}/_codes.py`]: codes,
  [`${PACKAGE}/_async/_calls.py`]: calls,
  [`${PACKAGE}/_sync/_calls.py`]: document => synchronous(calls(document)),
  ...Object.fromEntries(
    readdirSync(ASYNC)
      .filter(name => name.endsWith(".py") && name !== "_calls.py" && !WRITTEN_TWICE.includes(name))
      .map(name => [`${PACKAGE}/_sync/${name}`, () => synchronous(readFileSync(join(ASYNC, name), "utf8"))]),
  ),
}

/** The same module for callers without an event loop. */
const synchronous = (module: string): string =>
  module
    .replaceAll(/\basync (?=def|for|with)/g, "")
    .replaceAll(/\bawait /g, "")
    .replaceAll(/\b(_|__)a(?=iter__|next__|enter__|exit__)/g, "$1")
    .replaceAll(/\ba(?=iter_bytes|read\(|close\()/g, "")
    .replaceAll(/\bAsync(?=[A-Z])/g, "")
    .replaceAll(/\b_async\b/g, "_sync")
    .replaceAll(/Awaitable\[([\w.]+)\]/g, "$1")

function types({ version, types: named, operations }: ApiDocument): string {
  const writer = new PythonTypes()
  for (const { name, description, type } of named) writer.named(name, description, type)
  for (const operation of operations) {
    callTypes(writer, operation)
    const event = operation.results.find(({ kind }) => kind === "events")?.type
    if (event && event.kind !== "named") writer.named(`${pascal(operation.id)}Event`, "", event)
  }
  return `${HEAD}
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired

VERSION = ${JSON.stringify(version)}
"""The version of the product that these types are of."""

${writer.text}`
}

/** The types of a call that have no name in the document: its body and its answer. */
function callTypes(writer: PythonTypes, { id, body, results }: ApiOperation): { body: string; answer: string } {
  const name = pascal(id)
  const given = body ? writer.alias(`${name}Body`, body.type) : ""
  const json = results.flatMap(({ kind, type }) => (kind === "json" && type ? [type] : []))
  const different = [...new Map(json.map(type => [JSON.stringify(type), type])).values()]
  if (different.length > 0) {
    const [only] = different
    const type = different.length === 1 ? only! : ({ kind: "union", of: different } as const)
    return { body: given, answer: writer.alias(`${name}Answer`, type) }
  }
  const kinds = new Set(results.map(({ kind }) => kind))
  const answer = kinds.has("text") ? "str" : kinds.has("bytes") ? "AsyncDownload" : "None"
  return { body: given, answer }
}

function codes({ errors }: ApiDocument): string {
  const rows = errors.map(({ code, message }) => ({ code, message, name: errorName(code) }))
  const classes = rows.map(({ name, message }) => `class ${name}(ApiError):\n    """${message}"""\n`)
  const table = rows.map(({ code, name }) => `    ${JSON.stringify(code)}: ${name},`)
  return `${HEAD}
from typing import Dict, Type

from ._errors import ApiError


${classes.join("\n\n")}

ERROR_CLASSES: Dict[str, Type[ApiError]] = {
${table.join("\n")}
}
"""The class of each code."""
`
}

/** `not_found` is NotFoundError, `internal_error` InternalError. */
const errorName = (code: string): string =>
  `${code.replace(/_error$/, "").replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Error`

function calls({ operations }: ApiDocument): string {
  const routes = operations.map(
    operation => `    ${JSON.stringify(operation.id)}: Route(${routeFields(operation).join(", ")}),`,
  )
  return `${HEAD}
from typing import Any, Dict, List, Literal, Optional, Union, cast

from .. import types as _types
from .._policy import CallOptions, Route
from ._transport import AsyncDownload, AsyncTransport

ROUTES: Dict[str, Route] = {
${routes.join("\n")}
}


class AsyncCalls:
    """Every call of the API, by the name of its operation."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
${operations.filter(isPlain).map(call).join("")}`
}

/** Streams and forms are written by hand. */
const isPlain = ({ body, otherBodies, results }: ApiOperation): boolean =>
  results.some(({ kind }) => kind !== "events") && (body !== undefined || otherBodies.length === 0)

function routeFields({ id, method, path, results, takesIdempotencyKey, isHarmless }: ApiOperation): string[] {
  const kinds = new Set(results.map(({ kind }) => kind))
  const answers = (["json", "text", "bytes", "events"] as const).find(kind => kinds.has(kind)) ?? "none"
  const fields = [id, method.toUpperCase(), path, answers].map(value => JSON.stringify(value))
  return [...fields, ...(takesIdempotencyKey ? ["idempotent=True"] : []), ...(isHarmless ? ["harmless=True"] : [])]
}

function call(operation: ApiOperation): string {
  const { id, summary, parameters, body } = operation
  const writer = new PythonTypes("_types.")
  const { body: bodyType, answer } = callTypes(writer, operation)
  const taken = parameters.map(({ name, type, required, in: place }) => {
    const given = writer.of(type, `${pascal(id)}${pascal(name)}`)
    return { name, place, variable: variable(name), type: required ? given : optional(given), required }
  })
  const path = taken.filter(({ place }) => place === "path")
  const others = taken.filter(({ place }) => place !== "path")
  const arguments_ = [
    "self",
    ...path.map(({ variable, type }) => `${variable}: ${type}`),
    ...(body?.required ? [`body: ${bodyType}`] : []),
    "*",
    ...(body && !body.required ? [`body: ${optional(bodyType)} = None`] : []),
    ...others.map(({ variable, type, required }) => `${variable}: ${type}${required ? "" : " = None"}`),
    "options: Optional[CallOptions] = None",
  ]
  const inputs = (["path", "query", "header"] as const).flatMap(place => {
    const pairs = taken.filter(parameter => parameter.place === place)
    return pairs.length > 0
      ? [`${place}={${pairs.map(({ name, variable }) => `${JSON.stringify(name)}: ${variable}`).join(", ")}}`]
      : []
  })
  const given = [`ROUTES["${id}"]`, ...inputs, ...(body ? ["body=body"] : []), "options=options"]
  const asked = `await self._transport.call(${given.join(", ")})`
  const result = answer === "None" ? asked : `return cast(${JSON.stringify(answer)}, ${asked})`
  return `
    async def ${snake(id)}(
        ${arguments_.join(",\n        ")},
    ) -> ${answer}:
        """${text(summary)}"""
        ${result}
`
}

const optional = (type: string): string => (/^(?:Optional\[|Any$)/.test(type) ? type : `Optional[${type}]`)
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
const pascal = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** An argument's name. */
const variable = (name: string): string => {
  const plain = name.toLowerCase().replaceAll("-", "_")
  return plain === "from" ? "from_" : plain
}

const text = (words: string): string => words.replaceAll("\\", "\\\\").replaceAll('"""', "'''").trim()
