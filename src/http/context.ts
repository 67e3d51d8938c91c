/** What the server knows about a request before a route runs. Kept beside the request, so that routes stay plain. */
import { Elysia } from "elysia"
import type { Principal, Scope } from "../access/principal.ts"
import type { SessionPrincipal } from "../access/sessions.ts"
import { AppError } from "../errors.ts"
import type { AuditNote } from "./audit-note.ts"
import type { OpenRequest } from "./open-requests.ts"

export interface RequestContext {
  requestId: string
  /** Address of the peer, for throttling. */
  address: string
  /** The connection itself is encrypted, not only that to a proxy. */
  secure: boolean
  /** Set for authenticated requests. */
  principal: Principal | undefined
  /** Of the console; set where a route asks for one. */
  session?: SessionPrincipal
  /** True once a valid session of the console came with the request. */
  fromConsole?: boolean
  /** True for a file of the console or of the reference. */
  isPage?: boolean
  /** How it was asked, without what its caller put into the path: `GET /external/libraries/:file_id`. */
  route?: () => string
  /** What the request failed with, before it was dressed for its client. */
  failure?: unknown
  /** For the audit log. */
  audit?: AuditNote
  /** The request has come to its end, body included. */
  isRead?: boolean
  /** Headers that every response of this request carries, such as the rate limit's. */
  headers: Record<string, string>
  /** Lifts the idle cut-off of the connection, for streams and long calls, which from then on end with their credential. */
  keepOpen(): OpenRequest
}

const contexts = new WeakMap<Request, RequestContext>()

export function setContext(request: Request, context: RequestContext): void {
  contexts.set(request, context)
}

export function contextOf(request: Request): RequestContext {
  const context = contexts.get(request)
  if (!context) throw new Error("a request reached a route without its context")
  return context
}

/** @throws AppError forbidden */
export function needScope({ scopes, holderId }: Principal, scope: Scope): void {
  if (scopes.includes(scope)) return
  throw new AppError("forbidden", {
    message: `the ${holderId.startsWith("tok_") ? "token" : "key"} lacks the scope ${scope}`,
  })
}

/**
 * Gives routes `context` and, with `scope: "search"` in their options, `principal` and the check of that scope.
 * Every route file that needs a caller begins with `new Elysia().use(caller)`.
 */
export const caller = new Elysia({ name: "caller" })
  .derive({ as: "scoped" }, ({ request }) => ({ context: contextOf(request) }))
  .macro({
    scope: (scope: Scope) => ({
      resolve({ request }: { request: Request }) {
        const { principal } = contextOf(request)
        if (!principal) throw new AppError("unauthorized")
        needScope(principal, scope)
        return { principal }
      },
    }),
  })
