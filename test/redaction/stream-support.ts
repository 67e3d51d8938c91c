/** Shared by the stream tests. */
import type { Entity } from "../../src/redaction/redact.ts"

export { parseRedaction, type RedactionPolicy, Redactor } from "../../src/redaction/redact.ts"

/** The plainest possible replacement, to compare with. */
export function REPLACED(text: string, entities: readonly Entity[]): string {
  let result = text
  for (const { kind, start, end } of [...entities].reverse())
    result = `${result.slice(0, start)}[REDACTED_${kind}]${result.slice(end)}`
  return result
}
