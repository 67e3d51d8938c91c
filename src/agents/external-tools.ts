import type { ExternalTool } from "./tools/tool.ts"

/** Where tools come from that are not built in. */
export interface ToolProvider {
  /** Those that can be called now; a source that does not answer is left out. */
  tools(): Promise<ExternalTool[]>
  /** Why tools that begin with this name cannot be had, when their source did not answer. */
  problemOf(toolName: string): string | undefined
}
