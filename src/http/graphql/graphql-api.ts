/** The door to GraphQL: what it takes and gives, and what the audit log is told. */
import type { AuditLog } from "../../governance/audit/audit-log.ts"
import { actorOfPrincipal } from "../audit-note.ts"
import type { GraphqlCaller, GraphqlHouse, GraphqlQuery } from "./call.ts"
import type { GraphqlResult } from "./routes.docs.ts"

export const GRAPHQL_PATH = "/graphql"

export class GraphqlApi {
  constructor(
    private readonly house: GraphqlHouse,
    private readonly audit: Pick<AuditLog, "append">,
  ) {}

  /** @throws AppError invalid_request for a query that cannot or may not be executed; forbidden */
  async answer(query: GraphqlQuery, caller: GraphqlCaller): Promise<GraphqlResult> {
    const { answer } = await import("./engine.ts")
    const { result, read } = await answer(this.house, query, caller)
    await this.tell([...read], caller)
    return result
  }

  /** Reading a file's text is a download, whichever way it goes. */
  private async tell(
    fileIds: readonly string[],
    { principal, requestId, address, endpoint }: GraphqlCaller,
  ): Promise<void> {
    await this.audit.append(
      ...fileIds.map(resourceId => ({
        workspaceId: principal.workspaceId,
        actor: actorOfPrincipal(principal),
        action: "file.download" as const,
        outcome: "success" as const,
        resourceType: "file",
        resourceId,
        requestId,
        endpoint,
        sourceIp: address,
      })),
    )
  }
}
