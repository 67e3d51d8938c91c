/**
 * How each route is declared: who may call it, what it takes, what it answers, what can go wrong. From this one object come
 * the check of the caller, the validation of the request, the type that the handler must return, and the entry of the
 * OpenAPI document. A route that is not declared here fails `test/http/route-table.test.ts`.
 */
import type { AnyElysia, DocumentDecoration, Static, TSchema, t } from "elysia"
import type { Scope } from "../access/principal.ts"
import type { ErrorCode } from "../errors.ts"
import type { AuditAction, Deleting } from "../governance/audit/actions.ts"
import type { UserRole } from "../storage/users.ts"
import type { Audited } from "./audit-note.ts"
import { auditHooks } from "./noting.ts"
import { isOptional } from "./schemas.ts"

/** Sections of the reference, in its order. */
export const TAGS = {
  Files: "Upload files and have them indexed; list, read, change and delete them.",
  Sources: "Places that are kept in sync with the library: folders, servers, repositories, mailboxes, web sites.",
  Events: "What happened, as a feed and as signed messages to receivers.",
  Governance: "What may not be deleted, and what is deleted by itself.",
  Batches: "Many requests that are worked on in the background.",
  Schedules: "Requests that are made again and again at set times.",
  Receipts: "Proofs that what was deleted is gone from every store.",
  Links: "Addresses that open one place of one file without sign-in, for a while.",
  Search: "Hybrid search over all indexed files: passages, or the documents that they stand in.",
  Conversations: "Ask a model, with the library at hand, and be answered by a stream of events.",
  "Conversations (JSON)": "The same conversations for clients that wait for the whole reply.",
  Models: "The chat models that can be used now.",
  Agents: "Tasks that a model works on by itself with tools, step by step.",
  Compatible:
    "Endpoints in the shapes of others, under no prefix: their clients work with this server's address and a key as bearer token.",
  Redaction: "Private values in a text, found and replaced.",
  "Keys and sessions": "API keys, and the console sessions that make them.",
  Console: "What the web console uses beyond the API: accounts, users, invitations, workspaces.",
  Operation: "For monitors: health, readiness, figures.",
} as const

export interface Answer {
  description: string
  /** Of a JSON body. */
  schema?: TSchema
  /** Of each event where the answer is a stream of server-sent events. With `schema`, `Accept` decides. */
  events?: TSchema
  /** Another content type of the same JSON, for clients that accept it. */
  alsoAs?: string
  /** A browser, which accepts `text/html`, gets a page in its place. */
  hasPage?: true
  /** Content type of a body that is neither. */
  type?: string
  /** The header `X-Receipt-Id` names the receipt of what was deleted. */
  hasReceipt?: true
  /** The JSON is written piece by piece: the handler returns a `Response`. */
  inPieces?: true
  /** Of the body; that of JSON is made from the examples of its schema where absent. */
  example?: unknown
}

/** A request header that changes what the route does. */
export interface Header {
  name: string
  description: string
  schema: object
}

interface Described {
  /** Name of the operation in clients that are generated from the document: it never changes. */
  id: string
  summary: string
  description?: string
  tag: keyof typeof TAGS
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** JSON Schema of a multipart form, which the handler reads itself. */
  form?: object
  /** Bodies of other content types than JSON, by type, each as JSON Schema, with an example: the handler reads them itself. */
  bodies?: Readonly<Record<string, { type: string; example?: unknown } & object>>
  /** The handler reads the JSON itself as it comes, and checks it; `body` is what the document says of it. */
  readsBody?: true
  /** Where pictures stand in the JSON, as `images.0.data`: with them a body may have 110 MB. `maxBytes` is of all else. */
  pictures?: RegExp
  /** Largest body, where it is not that of all other routes. */
  maxBytes?: number
  /** By status; those of errors are made from `errors`. */
  answers: Readonly<Record<number, Answer>>
  /** Beyond those that every route of its kind has. */
  errors?: readonly ErrorCode[]
  /** Of the request body. */
  example?: unknown
  headers?: readonly Header[]
  /** Errors have the shape of `/v1`, or the one that is named. */
  compatible?: true | "dify" | "graphql"
}

/** Who may call: a key with that scope; any key; a console session, of administrators perhaps; anyone. */
type Access =
  | { scope: Scope; anyKey?: never; session?: never; open?: never }
  | { anyKey: true; scope?: never; session?: never; open?: never }
  | { session: UserRole; scope?: never; anyKey?: never; open?: never }
  | { open: true; scope?: never; anyKey?: never; session?: never }

/** What holds say to a route that deletes: see `Governed`. */
export type Held = "refused" | "not covered"

/**
 * What the audit log tells of it, and what holds say to it. Neither can be left out where it matters, and
 * `test/trust/governed-routes.test.ts` asks each route whether it does what it declares.
 */
type Governed =
  /** `nothing`: it changes nothing, and gives away nothing worth telling; only its refusals stand in the audit log. */
  | { audit: "nothing"; held?: never }
  /** `refused`: it deletes files, conversations or runs, or versions or parts of them, and answers 409 `on_hold`. */
  | { audit: Audited & { action: Deleting }; held: Held }
  /** The same of a route that takes the place of what was there. */
  | { audit: Audited & { action: Exclude<AuditAction, Deleting> }; held?: "refused" }

export type Operation = Described & Access & Governed

type Unsafe<T> = ReturnType<typeof t.Unsafe<T>>

/** What a handler returns for one status. */
type Returned<A> = A extends { schema: infer Schema extends TSchema }
  ? A extends { events: TSchema } | { inPieces: true }
    ? Unsafe<Static<Schema> | Response>
    : Schema
  : A extends { events: TSchema } | { type: string }
    ? Unsafe<Response>
    : Unsafe<undefined>

/** By status. Where 200 is none of them it is named all the same, as nothing: without it the framework takes anything. */
type Responses<Answers> = { -readonly [Status in keyof Answers]: Returned<Answers[Status]> } & (Answers extends {
  200: Answer
}
  ? unknown
  : { 200: Unsafe<never> })

/** The route's options, as the framework takes them. */
type RouteOptions<Spec extends Operation> = Pick<
  Spec,
  Extract<keyof Spec, "scope" | "session" | "params" | "query" | (Spec extends { readsBody: true } ? never : "body")>
> & {
  detail: DocumentDecoration
  response: Responses<Spec["answers"]>
} & (Spec extends { form: object } | { readsBody: true } ? { parse: "none" } : unknown)

/** What `openapi.ts` makes the entry of the document from. */
export type Declared = Operation & { security: Record<string, never[]>[]; bodyRequired: boolean }

/**
 * Makes the options of a route, anew for each use: the framework writes into what it is given. At run time `response` is
 * absent: the compiler holds handlers to it and the tests hold every answer to the document, so that no request pays for a
 * check of what the daemon itself wrote.
 */
export const operation =
  <const Spec extends Operation>(spec: Spec) =>
  (): RouteOptions<Spec> =>
    optionsOf(spec) as unknown as RouteOptions<Spec>

function optionsOf(spec: Operation) {
  const { id, audit, summary, description, tag, scope, session, params, query, body, form, readsBody } = spec
  return {
    ...(audit === "nothing" ? {} : auditHooks(audit, Object.keys((body?.properties as object | undefined) ?? {}))),
    ...(scope ? { scope } : {}),
    ...(session ? { session } : {}),
    ...(params ? { params } : {}),
    ...(query ? { query } : {}),
    ...(body && !readsBody ? { body } : {}),
    ...(form || readsBody ? { parse: "none" } : {}),
    detail: {
      operationId: id,
      summary,
      ...(description ? { description } : {}),
      tags: [tag],
      "x-operation": { ...spec, security: securityOf(spec), bodyRequired: body !== undefined && !isOptional(body) },
    },
  }
}

/** How a route of the framework's table was declared; undefined for one that was not. */
export const declaredAs = ({ hooks }: { hooks?: { detail?: unknown } }): Declared | undefined =>
  (hooks?.detail as { "x-operation"?: Declared } | undefined)?.["x-operation"]

/** What of the declared routes decides how their bodies are read. */
export function bodyRules(
  app: () => AnyElysia,
): (
  method: string,
  route: string,
) => Pick<Declared, "form" | "bodies" | "readsBody" | "maxBytes" | "pictures"> | undefined {
  let rules: Map<string, Declared | undefined> | undefined
  return (method, route) => {
    rules ??= new Map(app().routes.map(each => [`${each.method} ${each.path}`, declaredAs(each)]))
    return rules.get(`${method} ${route}`)
  }
}

/** Three headers, all three as one token, or the console's session, which acts in its own workspace. */
function securityOf({ open, session }: Operation): Declared["security"] {
  if (open) return []
  return session ? [{ session: [] }] : [{ clientId: [], privateKey: [], secret: [] }, { token: [] }, { session: [] }]
}
