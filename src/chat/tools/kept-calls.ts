/**
 * Calls of a reply that was cut, as they stand in its record: whoever writes the reply on knows what was called, and what it
 * gave. Results that the caller of now does not see, or whose files are deleted, are withheld from the model.
 */
import type { View } from "../../access/view.ts"
import type { ChatTurn, ToolCall } from "../../backends/backend.ts"
import type { Guard } from "../../grounding/guard.ts"
import { type Guarded, joined, NOTHING } from "../../guarded.ts"
import type { KeptCalls } from "../asked.ts"
import type { MessageRow } from "../conversation-rows.ts"
import type { ChatDependencies } from "../dependencies.ts"
import type { PlacedUse } from "../record/facts.ts"
import type { StoredRecord } from "../record/record-store.ts"

const WITHHELD = "[This result is no longer shown.]"

/** @returns the reply as it is seen now, with its calls */
export async function keptCalls(
  { records, files }: Pick<ChatDependencies, "records" | "files">,
  view: View,
  { id, content, redaction }: MessageRow,
  guard: Guard,
): Promise<{ written: Guarded<string>; calls: KeptCalls }> {
  const record = await records.find(id)
  const stored = usesOf(record)
  const ids = [...new Set(stored.flatMap(({ file_ids }) => file_ids))]
  const there = new Set(ids.length > 0 ? (await files.existing(view, ids)).map(file => file.id) : [])
  if (record && record.facts.redaction.rules === guard.key)
    guard.trust(...stored.flatMap(({ result, name, arguments: given }) => [result, name, given]))
  guard.trust(WITHHELD)
  const seen = (part: string) => {
    if (redaction === guard.key) guard.trust(part)
    return guard.silently(part)
  }
  const exchanges: ChatTurn[] = []
  const uses: PlacedUse[] = []
  let written = NOTHING
  let from = 0
  for (const turn of new Set(stored.map(use => use.turn))) {
    const made = stored.filter(use => use.turn === turn)
    const said = content.slice(from, made[0]!.at)
    from = made[0]!.at
    written = joined(written, await seen(said))
    for (const use of made) uses.push({ ...use, at: written.length })
    exchanges.push(...(await exchangeOf(await seen(said.trim()), made, there, guard)))
  }
  const rest = content.slice(from)
  return {
    written: joined(written, await seen(rest)),
    calls: { uses, exchanges, rest: await seen(from > 0 ? rest.trimStart() : rest) },
  }
}

/** Those of former versions do not say where they stand: before all that was written. */
const usesOf = (record: StoredRecord | undefined): PlacedUse[] =>
  (record?.facts.tool_calls ?? []).map((call, position) => ({
    ...call,
    turn: call.turn ?? 1,
    at: call.at ?? 0,
    result: record?.texts.get(position + 1)?.text ?? "",
  }))

async function exchangeOf(
  said: Guarded<string>,
  made: readonly PlacedUse[],
  there: ReadonlySet<string>,
  guard: Guard,
): Promise<ChatTurn[]> {
  const toolCalls: ToolCall[] = []
  const results: ChatTurn[] = []
  for (const { id, name: given, arguments: args, result, file_ids } of made) {
    const name = await guard.silently(given)
    const isSeen = result !== "" && file_ids.every(file => there.has(file))
    toolCalls.push({ id, name, arguments: await guard.value(args) })
    results.push({ role: "tool", toolCallId: id, name, content: isSeen ? await guard.silently(result) : WITHHELD })
  }
  return [{ role: "assistant", content: said, toolCalls }, ...results]
}
