import type { ExternalTool } from "../tools/tool.ts"

/** A source of tools that are not built in. */
export interface ToolProvider {
  /** Those that can be called now; a source that does not answer is left out. */
  tools(): Promise<ExternalTool[]>
  /** Why tools whose names begin like this are missing: their source did not answer. */
  problemOf(toolName: string): string | undefined
}
