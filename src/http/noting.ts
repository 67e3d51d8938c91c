/** Notes for the audit log, made while a request is worked on; `audit.ts` reads them when it is answered. */
import type { ActorType } from "../governance/audit/actions.ts"
import type { Named } from "../governance/audit/subjects.ts"
import type { Audited, AuditNote } from "./audit-note.ts"
import { contextOf, type RequestContext } from "./context.ts"

function noteOf(context: RequestContext): AuditNote {
  context.audit ??= {}
  return context.audit
}

/** Ids of what the request made or changed, where neither path nor answer says it. */
export function noteResource(context: RequestContext, ...ids: string[]): void {
  const note = noteOf(context)
  note.ids = [...(note.ids ?? []), ...ids]
}

/** Who asked, where no credential says so. Without a workspace it stands in the first one of that user. */
export function noteActor(context: RequestContext, type: ActorType, id: string, workspaceId?: string): void {
  Object.assign(noteOf(context), { actor: { type, id }, workspaceId })
}

/** Whom credentials name that were wrong. */
export function noteNamed(context: RequestContext, named: Named): void {
  noteOf(context).named = named
}

interface Handled {
  request: Request
  route: string
  params?: Record<string, string>
  body?: unknown
}

/** What a route that has something to tell does beside its handler. @param fieldNames that its body may have */
export const auditHooks = (audit: Audited, fieldNames: readonly string[]) => ({
  beforeHandle({ request, route, params = {}, body }: Handled) {
    const note = noteOf(contextOf(request))
    note.begun = { audit, pattern: route, params }
    if (audit.fields && body) note.fields = fieldNames.filter(name => name in (body as object))
  },
  ...(audit.id?.startsWith("answer.") ? { afterHandle: noteAnswer(audit.id.slice("answer.".length)) } : {}),
})

/** The answer as it is returned, or with a status of its own. */
const noteAnswer =
  (field: string) =>
  ({ request, response }: { request: Request; response?: unknown }): void => {
    const answer = response as Record<string, unknown> | undefined
    const given = answer?.[field] ?? (answer?.response as Record<string, unknown> | undefined)?.[field]
    if (typeof given === "string") noteResource(contextOf(request), given)
  }
