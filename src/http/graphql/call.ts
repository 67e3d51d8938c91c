/** What GraphQL reads from, what it is asked, and by whom. */
import type { Links } from "../../access/links.ts"
import type { Principal } from "../../access/principal.ts"
import type { AgentRuns } from "../../agents/runs.ts"
import type { Chat } from "../../chat/chat.ts"
import type { Usage } from "../../governance/usage/usage.ts"
import type { Library } from "../../library/library.ts"
import type { SearchService } from "../../search/types.ts"

export interface GraphqlHouse {
  library: Pick<Library, "files" | "passages" | "existing">
  chat: Pick<Chat, "lists">
  agents: Pick<AgentRuns, "lists">
  usage: Pick<Usage, "read">
  search: SearchService
  links: Links
  fileTypes: ReadonlyMap<string, string>
}

/** As it comes: the query may be named by its hash instead. */
export interface GraphqlRequest extends Omit<GraphqlQuery, "query"> {
  query?: string | null | undefined
  extensions?: Record<string, unknown> | null | undefined
}

export interface GraphqlQuery {
  query: string
  operationName?: string | null | undefined
  variables?: Record<string, unknown> | null | undefined
}

export interface GraphqlCaller {
  principal: Principal
  requestId: string
  /** Of the peer. */
  address: string
  /** As the audit log names it. */
  endpoint: string
  /** Aborts when whoever waits for the answer is gone. */
  signal: AbortSignal
}
