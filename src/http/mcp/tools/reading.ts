/** A stretch of a file's text as a result shows it. */

import type { Guarded } from "../../../guarded.ts"
import type { AgentFile, TextSlice } from "../../../tools/library.ts"
import { type ReadArguments, stretchOf } from "../../../tools/read-file.ts"
import type { ToolContext } from "../../../tools/tool.ts"
import { MOST_CHARACTERS, wholeUnits } from "../bounds.ts"
import type { McpCall } from "../call.ts"

export interface Stretch {
  file: AgentFile
  slice: TextSlice
  /** Of the asked-for part, from its first character: 0 unless told. */
  start: number
  /** Its first characters, private values hidden. */
  first(count: number): Guarded<string>
  /** Where to go on after so many, if there is more that was asked for. */
  nextStart(count: number): number | undefined
  /** The same number, or one less where it would split a pair. */
  whole(count: number): number
}

/** What is read beyond both ends under redaction, so that a value which the ends cut through is seen whole. */
const MARGIN = 500

export const everyFile = { fileIds: null, contextId: null, filter: null }

/** What the tools of agents take, for all that the caller may see. */
export const agentContext = ({
  house,
  principal,
  signal,
}: McpCall): Pick<ToolContext, "view" | "scope" | "library" | "tables" | "signal"> => ({
  view: principal.view,
  scope: everyFile,
  library: house.reading,
  tables: house.tables,
  signal,
})

/** @throws ToolError as `stretchOf` */
export async function readStretch(asked: ReadArguments, call: McpCall): Promise<Stretch> {
  const { file, slice } = await stretchOf(asked, MOST_CHARACTERS, agentContext(call))
  const start = slice.start - slice.from
  const last = Math.min(slice.to - slice.from, asked.end ?? Number.MAX_SAFE_INTEGER)
  const first = await shown(slice, file.id, call)
  return {
    file,
    slice,
    start,
    first,
    nextStart: count => (start + count < last ? start + count : undefined),
    whole: count => wholeUnits(slice.text, count),
  }
}

async function shown(
  slice: TextSlice,
  fileId: string,
  { guard, house, principal }: McpCall,
): Promise<Stretch["first"]> {
  const wider = guard.redacts
    ? await house.reading.readText(principal.view, fileId, {
        start: Math.max(0, slice.start - MARGIN),
        end: slice.end + MARGIN,
      })
    : undefined
  const around = wider ?? slice
  const part = await guard.window(around.text)
  const from = slice.start - around.start
  return count => part(from, from + count)
}
