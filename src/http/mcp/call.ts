/** What the tools and resources of an assistant work with, over HTTP or on standard input and output alike. */
import type { Links } from "../../access/links.ts"
import type { Principal } from "../../access/principal.ts"
import type { Chat } from "../../chat/chat.ts"
import type { AuditLog } from "../../governance/audit/audit-log.ts"
import type { Guard } from "../../grounding/guard.ts"
import type { RedactionRules } from "../../grounding/under-guard.ts"
import type { Library } from "../../library/library.ts"
import type { Uploads } from "../../library/uploads.ts"
import type { WebPages } from "../../library/web/web-pages.ts"
import type { SearchService } from "../../search/types.ts"
import type { AgentLibrary } from "../../tools/library.ts"
import type { TableReader } from "../../tools/table-reader.ts"

export interface McpHouse extends RedactionRules {
  version: string
  library: Library
  /** Texts and originals of files. */
  reading: AgentLibrary
  tables: TableReader
  search: SearchService
  links: Pick<Links, "linkTo">
  /** Absent where no daemon runs: nothing is changed there. */
  audit?: Pick<AuditLog, "append">
  /** Absent where no model answers. */
  chat?: Pick<Chat, "answer">
  /** Absent where nothing may be changed. */
  uploads?: Uploads
  /** Absent where nothing may be fetched. */
  webPages?: Pick<WebPages, "add">
}

/** Who calls, as the request says that carries the call: a session keeps nothing of it. */
export interface McpCaller {
  principal: Principal
  /** For the log. */
  requestId: string
  /** Aborts when whoever waits for the answer is gone, and when the credential ends. */
  signal: AbortSignal
}

/** One call of a tool. */
export interface McpCall extends Pick<McpCaller, "principal" | "requestId"> {
  house: McpHouse
  guard: Guard
  /** Also aborts when the call is cancelled or its time is over. */
  signal: AbortSignal
  /** Tells how far the call is, where the client asked for that; `done` grows with each. */
  progress(done: number, message: string): void
}
