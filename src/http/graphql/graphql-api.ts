/** The door to GraphQL: what it takes and gives, and what the audit log is told. */
import type { AuditLog } from "../../governance/audit/audit-log.ts"
import type { AuditEntry } from "../../governance/audit/entry.ts"
import type { AuditSubjects } from "../../governance/audit/subjects.ts"
import { seesWhole } from "../../governance/whole.ts"
import { isId } from "../../id.ts"
import { actorOfPrincipal } from "../audit-note.ts"
import type { GraphqlCaller, GraphqlHouse, GraphqlRequest } from "./call.ts"
import { PersistedQueries } from "./persisted-queries.ts"
import type { GraphqlResult } from "./routes.docs.ts"

export const GRAPHQL_PATH = "/graphql"

export class GraphqlApi {
  private readonly persisted = new PersistedQueries()

  constructor(
    private readonly house: GraphqlHouse,
    private readonly audit: Pick<AuditLog, "append">,
    private readonly subjects: Pick<AuditSubjects, "existing">,
  ) {}

  /** @throws AppError invalid_request for a query that cannot or may not be executed; forbidden */
  async answer(request: GraphqlRequest, caller: GraphqlCaller): Promise<GraphqlResult> {
    const { answer, unknownHash } = await import("./engine.ts")
    const { workspaceId } = caller.principal
    const query = this.persisted.find(workspaceId, request)
    if (query === undefined) return unknownHash(caller)
    const { result, read, missed } = await answer(this.house, { ...request, query }, caller)
    this.persisted.keep(workspaceId, request)
    const rows = [...[...read].map(downloaded), ...(await this.refused(missed, caller))]
    await this.audit.append(...rows.map(row => ({ ...aboutCaller(caller), ...row })))
    return result
  }

  /** As of a path that names an id: told of who does not see the whole workspace, whether there is such a thing or not. */
  private async refused(missed: ReadonlyMap<string, string>, { principal }: GraphqlCaller): Promise<Told[]> {
    const named = [...missed].filter(([id]) => isId(id))
    if (named.length === 0 || seesWhole(principal.view)) return []
    const ids = named.map(([id]) => id)
    const existing = await this.subjects.existing(principal.workspaceId, ids)
    return named.map(([resourceId, resourceType]) => ({
      ...{ action: "request.refuse", resourceType, resourceId, details: { code: "not_found" } },
      outcome: existing.has(resourceId) ? "denied" : "failure",
    }))
  }
}

type Told = Pick<AuditEntry, "action" | "outcome" | "resourceType" | "resourceId" | "details">

/** Reading a file's text is a download, whichever way it goes. */
const downloaded = (resourceId: string): Told => ({
  ...{ action: "file.download", outcome: "success", resourceType: "file", resourceId },
})

const aboutCaller = ({ principal, requestId, address, endpoint }: GraphqlCaller) => ({
  workspaceId: principal.workspaceId,
  actor: actorOfPrincipal(principal),
  requestId,
  endpoint,
  sourceIp: address,
})
