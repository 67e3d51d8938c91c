/** Which tools of the daemon a model may use for one answer, and what it is told of the files that they reach. */
import type { Capability } from "../../backends/backend.ts"
import { withoutMarks } from "../../grounding/citations.ts"
import type { Source } from "../../grounding/passages.ts"
import { filtersOf } from "../../grounding/scope.ts"
import { TOOLS } from "../../tools/index.ts"
import type { AgentFile } from "../../tools/library.ts"
import { TABLE_TYPES } from "../../tools/query-table.ts"
import type { Tool } from "../../tools/tool.ts"
import type { Asked, Lent } from "../asked.ts"
import type { ChatDependencies } from "../dependencies.ts"
import lentText from "../prompts/lent.txt" with { type: "text" }
import type { Excerpt } from "../record/facts.ts"

/** Files that are named to the model; the tools reach the others of the scope as well. */
const MAX_FILES = 20
/** Tables whose first lines are shown, each so many characters. */
const MAX_SHOWN = 5
const SHOWN_CHARACTERS = 300

/**
 * Null where the model calls no tools, the caller brings its own or forbids ours, an answer must be JSON (which the form
 * of a call would break), or the scope holds nothing that tools could add.
 */
export async function lentFor(
  asked: Asked,
  found: readonly Source[],
  { bench }: Pick<ChatDependencies, "bench">,
): Promise<Lent | null> {
  const { settings, model, guard } = asked
  const canCall = model.info.capabilities.includes("tools" satisfies Capability)
  if (!canCall || !settings.use_library || asked.tools || settings.response_format || settings.tools.length === 0)
    return null
  const files = await reachable(asked, found, bench.library)
  const tables = files.filter(isTable)
  const longer = files.filter(file => isLonger(file, found))
  const names = settings.tools.filter(name => name !== "query_table" || tables.length > 0)
  const useful = tables.length > 0 ? names : names.filter(() => longer.length > 0)
  if (useful.length === 0 || (useful.length === 1 && useful[0] === "calculate")) return null
  const tools = useful.map(name => TOOLS[name] as unknown as Tool)
  for (const { name, description, parameters } of tools) guard.trust(name, description, parameters)
  const head = lentText.trim()
  guard.trust(head)
  const lines: string[] = []
  const excerpts: Excerpt[] = []
  for (const file of new Set([...tables, ...longer])) {
    const begin = lines.length < MAX_SHOWN && isTable(file) ? await beginOf(file, asked, bench.library) : undefined
    if (begin) excerpts.push({ text: begin, file_ids: [file.id] })
    lines.push(await lineOf(file, begin, asked))
  }
  return {
    tools,
    definitions: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    guide: [head, ...lines].join("\n"),
    excerpts,
    exchanges: [],
  }
}

type Library = ChatDependencies["bench"]["library"]

/** Those that passages were found in come first, then tables, then what else a narrowed scope holds; newest first. */
async function reachable({ view, scope }: Asked, found: readonly Source[], library: Library): Promise<AgentFile[]> {
  const filter = filtersOf(scope)
  const ids = [...new Set(found.map(({ file_id }) => file_id))].slice(0, MAX_FILES)
  const isNarrowed = scope.fileIds !== null || scope.contextId !== null || scope.filter !== null
  const lists = await Promise.all([
    ids.length > 0 ? library.list(view, { ...filter, file_ids: ids, limit: MAX_FILES }) : undefined,
    library.list(view, { ...filter, types: TABLE_TYPES, limit: MAX_FILES }),
    isNarrowed ? library.list(view, { ...filter, limit: MAX_FILES }) : undefined,
  ])
  const byId = new Map<string, AgentFile>()
  for (const file of lists.flatMap(list => list?.files ?? [])) if (!byId.has(file.id)) byId.set(file.id, file)
  return [...byId.values()].filter(({ character_count }) => character_count !== null).slice(0, MAX_FILES)
}

const isTable = ({ type }: AgentFile): boolean => TABLE_TYPES.includes(type)

/** Whether there is more in the file than the model is given of it. */
function isLonger({ id, character_count }: AgentFile, found: readonly Source[]): boolean {
  const own = found.filter(({ file_id }) => file_id === id)
  if (own.some(({ whole }) => whole)) return false
  return (character_count ?? 0) > own.reduce((sum, { text }) => sum + text.length, 0)
}

/** On a line of its own, so that it is found again in the stored prompt; undefined where nothing can be read. */
async function beginOf({ id }: AgentFile, { view, guard }: Asked, library: Library): Promise<string | undefined> {
  const begin = await library.readText(view, id, { start: 0, end: SHOWN_CHARACTERS }).catch(() => undefined)
  return begin?.text ? withoutMarks(JSON.stringify(await guard.silently(begin.text))) : undefined
}

async function lineOf(file: AgentFile, begin: string | undefined, { guard }: Asked): Promise<string> {
  const { id, name, type, character_count, page_count } = file
  const size = [page_count ? `${page_count} pages` : "", `${character_count} characters`].filter(Boolean).join(", ")
  const line = `- ${id}: ${withoutMarks(await guard.silently(name))} (${type}, ${size})${begin ? ", begins:" : ""}`
  guard.trust(line, ...(begin ? [begin] : []))
  return begin ? `${line}\n${begin}` : line
}
