/**
 * What the audit log is told of requests: one place for all of them, after the route and before the answer leaves. A route
 * says in its declaration what it does; its handler may note which resource it was, and who asked where no credential says so.
 */
import { AppError } from "../errors.ts"
import type { Outcome } from "../governance/audit/actions.ts"
import type { AuditLog } from "../governance/audit/audit-log.ts"
import type { AuditEntry } from "../governance/audit/entry.ts"
import type { AuditSubjects } from "../governance/audit/subjects.ts"
import { seesWhole } from "../governance/whole.ts"
import { isId } from "../id.ts"
import { pathIn } from "./access-log.ts"
import { type AskedRoute, type AuditNote, actorOfPrincipal } from "./audit-note.ts"
import type { RequestContext } from "./context.ts"
import type { MethodTable } from "./method-table.ts"

interface Dependencies {
  audit: Pick<AuditLog, "append" | "countStranger">
  auditSubjects: AuditSubjects
}

/** An answer as it is about to leave. */
interface Answered {
  method: string
  status: number
  context: RequestContext
  /** Of a route that has not begun; looked for where something was refused. */
  findRoute: () => AskedRoute | undefined
}

/** Returns once it is committed. @throws where it cannot be: the answer must not leave then */
async function recordAnswer(answered: Answered, dependencies: Dependencies): Promise<void> {
  const { status, context } = answered
  const note = context.audit ?? {}
  if (status < 400 && (!note.begun || status === 304)) return
  if (isBounded(status, context.failure)) return
  const route = note.begun ?? answered.findRoute()
  if (!route) return
  const { audit } = route
  const refusal = status >= 400 ? await refusalOf(answered, route, dependencies) : undefined
  if (audit === "nothing" && !refusal?.counts) return
  const who = await actorOf(note, context, dependencies.auditSubjects)
  if (!who) return refusal?.outcome === "denied" ? dependencies.audit.countStranger() : undefined
  const entry: AuditEntry = {
    ...who,
    action: audit === "nothing" ? "request.refuse" : audit.action,
    outcome: refusal?.outcome ?? "success",
    requestId: context.requestId,
    endpoint: `${answered.method} ${route.pattern}`,
    sourceIp: context.address === "internal" ? null : context.address,
    details: {
      status,
      ...(refusal ? { code: refusal.code } : {}),
      ...(note.fields ? { fields: note.fields } : {}),
    },
  }
  const type = audit === "nothing" ? typeOf(idIn(route.params)) : audit.action.split(".")[0]!
  const ids = resourceIds(note, route)
  const entries = (ids.length > 0 ? ids : [null]).map(resourceId => ({ ...entry, resourceType: type, resourceId }))
  await dependencies.audit.append(...entries)
}

/** Told in other ways: a limit that many requests may meet, and a client that left. */
const isBounded = (status: number, failure: unknown): boolean =>
  status === 499 || (failure instanceof AppError && failure.code === "rate_limited")

/** Of answers in the form of a page. */
const CODES: Readonly<Record<number, string>> = { 401: "unauthorized", 403: "forbidden", 404: "not_found" }

interface Refusal {
  outcome: Outcome
  code: string
  /** Stands in the log even where the route has nothing to tell. */
  counts: boolean
}

async function refusalOf(
  { status, context }: Answered,
  route: AskedRoute,
  { auditSubjects }: Dependencies,
): Promise<Refusal> {
  const code = context.failure instanceof AppError ? context.failure.code : (CODES[status] ?? "error")
  if (status === 401 || status === 403 || code === "on_hold" || code === "quota_exceeded")
    return { outcome: "denied", code, counts: true }
  const { principal } = context
  const id = idIn(route.params)
  if (status !== 404 || !principal || !id || seesWhole(principal.view))
    return { outcome: "failure", code, counts: false }
  // Both stand there, so that nobody can tell by the time whether it exists.
  const exists = await auditSubjects.exists(principal.workspaceId, id)
  return { outcome: exists ? "denied" : "failure", code, counts: true }
}

async function actorOf(note: AuditNote, context: RequestContext, subjects: AuditSubjects) {
  const { principal, session } = context
  if (principal) return { workspaceId: principal.workspaceId, actor: actorOfPrincipal(principal) }
  if (session) return { workspaceId: session.workspaceId, actor: { type: "user" as const, id: session.userId } }
  const { actor, named } = note
  const workspaceId = note.workspaceId ?? (actor && (await subjects.workspaceOf(actor.id)))
  if (actor && workspaceId) return { workspaceId, actor }
  const found = named && (await subjects.find(named))
  return found && { workspaceId: found.workspaceId, actor: { type: "anonymous" as const, id: found.id } }
}

function resourceIds({ ids = [] }: AuditNote, { audit, params }: AskedRoute): string[] {
  if (audit === "nothing") return [idIn(params) ?? ""].filter(isShown)
  const place = audit.id
  const [from, name = ""] = place?.split(".") ?? []
  if (from === "params") return [params[name] ?? ""].filter(isShown)
  return [...new Set(ids)].filter(isShown)
}

/** Ids alone, of our own making: a path may hold what its caller wrote. */
const isShown = (id: string): boolean => isId(id) || (id.startsWith("vs_") && isId(id.slice(3)))

/** The last part of the path that is an id: what the request is about. */
const idIn = (params: Readonly<Record<string, string>>): string | undefined => Object.values(params).findLast(isShown)

const TYPES: Readonly<Record<string, string>> = {
  conv: "conversation",
  ws: "workspace",
  src: "source",
  whk: "webhook",
  sched: "schedule",
  msg: "record",
  resp: "response",
  vs: "vector_store",
  sess: "session",
  inv: "invitation",
}

function typeOf(id: string | undefined): string | null {
  const prefix = id?.split("_")[0]
  return prefix === undefined ? null : (TYPES[prefix] ?? prefix)
}

/** The answer to a request that failed so. */
type Refuse = (error: unknown, request: Request, context: RequestContext) => Response

/** Records an answer and gives it back, or an error in its place where it cannot be recorded. */
export type Auditing = (request: Request, context: RequestContext, response: Response) => Promise<Response>

export const auditing =
  (dependencies: Dependencies, table: Pick<MethodTable, "find">, refuse: Refuse): Auditing =>
  async (request, context, response) => {
    const { method } = request
    const { status } = response
    if (status < 400 && !context.audit?.begun) return response
    const findRoute = () => table.find(method, pathIn(request.url))
    try {
      await recordAnswer({ method, status, context, findRoute }, dependencies)
      return response
    } catch (error) {
      void response.body?.cancel()
      return refuse(error, request, context)
    }
  }
