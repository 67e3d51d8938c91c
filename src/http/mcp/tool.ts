/** A tool declares; `callTool` enforces for every tool alike: arguments that meet the schema, time, redaction, size. */
import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/sdk/types.js"
import type { Principal, Scope } from "../../access/principal.ts"
import { AppError, asStorageError } from "../../errors.ts"
import type { AuditAction, Outcome } from "../../governance/audit/actions.ts"
import { underGuard } from "../../grounding/under-guard.ts"
import { isId } from "../../id.ts"
import { log } from "../../log.ts"
import { orAbort } from "../../threads/or-abort.ts"
import { argumentsOf } from "../../tools/arguments.ts"
import type { JsonSchema } from "../../tools/json-schema.ts"
import { ToolError } from "../../tools/tool-error.ts"
import { actorOfPrincipal } from "../audit-note.ts"
import { type ToolResult, toCallResult } from "./bounds.ts"
import type { McpCall, McpHouse } from "./call.ts"

export interface McpTool<Arguments = Record<string, unknown>> {
  name: string
  /** For people. */
  title: string
  /** For the model: what it gives and when to use it. */
  description: string
  /** Callers without it neither see the tool nor can call it. */
  scope: Scope
  /** It changes nothing. */
  readOnly: boolean
  /** A second call with the same arguments does nothing more. */
  idempotent: boolean
  /** What the audit log tells of a call. */
  audit: AuditAction | "nothing"
  /** JSON Schema of the arguments object. */
  parameters: JsonSchema
  /** JSON Schema of the structured content. */
  result: JsonSchema
  /** Longest one call may take; `TOOL_TIMEOUT_MS` where absent. */
  timeoutMs?: number
  /** False where this house cannot do it. */
  isAvailable?(house: McpHouse): boolean
  /** What it gives has passed `call.guard`. @throws ToolError for what the model should read and can act on */
  execute(args: Arguments, call: McpCall): Promise<ToolResult>
}

const TOOL_TIMEOUT_MS = 60_000
const MCP_ENDPOINT = "POST /mcp"

export const isFor = (tool: McpTool, { scopes }: Principal, house: McpHouse): boolean =>
  scopes.includes(tool.scope) && (tool.isAvailable?.(house) ?? true)

export const listed = ({
  name,
  title,
  description,
  parameters,
  result,
  readOnly,
  idempotent,
}: McpTool): ListedTool => ({
  name,
  title,
  description,
  inputSchema: parameters as ListedTool["inputSchema"],
  outputSchema: result as ListedTool["outputSchema"],
  annotations: {
    title,
    readOnlyHint: readOnly,
    destructiveHint: false,
    idempotentHint: idempotent,
    openWorldHint: false,
  },
})

/** Carries out one call; what fails is told in words that a model can act on. Throws when `signal` aborts. */
export async function callTool(
  tool: McpTool,
  given: unknown,
  { signal: wanted, ...call }: Omit<McpCall, "guard">,
): Promise<CallToolResult> {
  const checked = await argumentsOf(tool, given ?? {})
  if ("problem" in checked) return failure(checked.problem)
  const { house, principal, requestId } = call
  const timeoutMs = tool.timeoutMs ?? TOOL_TIMEOUT_MS
  const limit = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([wanted, limit])
  try {
    return await underGuard(house, principal.view.workspaceId, undefined, async guard => {
      try {
        const result = await orAbort(tool.execute(checked.args, { ...call, guard, signal }), signal)
        await tell(tool, call, "success", { ...checked.args, ...result.structured })
        guard.audit({ request_id: requestId, tool: tool.name })
        return toCallResult(result)
      } catch (error) {
        if (error instanceof ToolError) await tell(tool, call, "failure", checked.args)
        if (error instanceof ToolError) return failure(await guard.textAbout(error.message, checked.args))
        throw error
      }
    })
  } catch (error) {
    await tell(tool, call, isDenial(error) ? "denied" : "failure", checked.args)
    wanted.throwIfAborted()
    if (limit.aborted) return failure(`The tool gave no result within ${timeoutMs / 1000} s and was stopped.`)
    return failure(explain(tool, error, requestId))
  }
}

/** Writes the row of a call before its result is given. @param about what may name the file that the call is about */
export async function tell(
  { name, audit }: Pick<McpTool, "name" | "audit">,
  { house, principal, requestId }: Pick<McpCall, "house" | "principal" | "requestId">,
  outcome: Outcome,
  about: { file_id?: unknown; id?: unknown },
): Promise<void> {
  if (audit === "nothing") return
  await house.audit?.append({
    workspaceId: principal.workspaceId,
    actor: actorOfPrincipal(principal),
    action: audit,
    outcome,
    resourceType: audit.split(".")[0]!,
    resourceId: [about.file_id, about.id].map(id => String(id).split("@")[0]!).find(isId) ?? null,
    requestId,
    endpoint: MCP_ENDPOINT,
    details: { tool: name },
  })
}

const isDenial = (error: unknown): boolean =>
  error instanceof AppError && ["forbidden", "on_hold", "quota_exceeded"].includes(error.code)

const failure = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true })

function explain(tool: McpTool, error: unknown, requestId: string): string {
  const known = error instanceof AppError ? error : asStorageError(error)
  if (known) return known.hint ? `${known.message} (${known.hint})` : known.message
  log.error("a tool of an assistant failed", { request_id: requestId, tool: tool.name, error })
  return `The tool ${tool.name} failed inside and gave no result.`
}
