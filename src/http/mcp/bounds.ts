/** Results stay below a size that every client takes. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"

/** 100 KB with what the protocol puts around a result. */
const MAX_RESULT_BYTES = 98_000
/** Of a text, UTF-16 units that are read for one result: each takes two bytes of it at least. */
export const MOST_CHARACTERS = MAX_RESULT_BYTES / 2

/** What a tool gives. */
export interface ToolResult {
  structured: Record<string, unknown>
  /** The same for a model that reads text alone; the structured content as JSON where absent. */
  text?: string
}

export const toCallResult = ({ structured, text = JSON.stringify(structured) }: ToolResult): CallToolResult => ({
  content: [{ type: "text", text }],
  structuredContent: structured,
})

/**
 * The largest result that fits: `make` is given how much of what there is goes in, and says in the result where to go on.
 * @param count rows, hits, UTF-16 units: with more the result only grows
 */
export const fitting = (count: number, make: (count: number) => ToolResult): ToolResult =>
  largest(count, make, result => Buffer.byteLength(JSON.stringify(toCallResult(result))))

/** The same of what is no tool's result. */
export function largest<T>(count: number, make: (count: number) => T, bytesOf: (made: T) => number): T {
  const whole = make(count)
  if (bytesOf(whole) <= MAX_RESULT_BYTES) return whole
  let least = 0
  let most = count - 1
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (bytesOf(make(middle)) <= MAX_RESULT_BYTES) least = middle
    else most = middle - 1
  }
  return make(least)
}

/** The same number of units, or one less where that would split a surrogate pair. */
export const wholeUnits = (text: string, count: number): number =>
  /[\uD800-\uDBFF]/.test(text[count - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[count] ?? "") ? count - 1 : count
