import type { ExternalTool } from "../tools/tool.ts"

/** A server of tools, as administrators see it. */
export interface ToolServer {
  name: string
  /** The program that is started, or the host that is asked; nothing of what may be secret. */
  place: string
  connected: boolean
  /** Why it is not. */
  problem: string | null
  tools: { name: string; description: string; needs_approval: boolean }[]
}

/** A source of tools that are not built in. */
export interface ToolProvider {
  /** Those that can be called now; a source that does not answer is left out. */
  tools(): Promise<ExternalTool[]>
  /** Why tools whose names begin like this are missing: their source did not answer. */
  problemOf(toolName: string): string | undefined
  /** All that are configured, after a look at each. */
  servers(): Promise<ToolServer[]>
}
