/** What the library gives to one turn: passages found with the message, pictures for models that see. */
import type { ChatImage } from "../backends/backend.ts"
import type { Guard } from "../grounding/guard.ts"
import type { Scope } from "../grounding/scope.ts"
import { CHANCE } from "../search/relevance.ts"
import type { SearchService } from "../search/types.ts"
import { SOURCE } from "./fields.ts"
import { toSources } from "./passages.ts"
import type { ChatEvent, Source } from "./types.ts"

/** A file as chat knows it; a FileRecord has all of these. */
export interface ChatFile {
  id: string
  name: string
  mime_type: string
  size: number
  status: string
}

/** What chat asks of the library. */
export interface ChatFiles {
  /** In the given order. @throws AppError not_found when the workspace lacks one */
  getAll(workspaceId: string, fileIds: readonly string[]): Promise<ChatFile[]>
  /** Ids of the files that were uploaded with this context. */
  idsOfContext(workspaceId: string, contextId: string): Promise<string[]>
  /** Where the original bytes lie. */
  content(workspaceId: string, fileId: string): Promise<{ path: string }>
}

export interface RetrievalDependencies {
  search: SearchService
  files: ChatFiles
  /** Longest wait for given files that are still being indexed. */
  fileWaitMs: number
}

/** Hits that are asked for; merging and the window leave fewer. */
const HITS = 10
const POLL_MS = 300
const MAX_IMAGES = 4
const MAX_IMAGE_BYTES = 20_000_000
const PENDING = new Set(["queued", "indexing"])

/** The given files that still exist: inherited ones may have been deleted since. */
export async function existingFiles(
  files: ChatFiles,
  workspaceId: string,
  ids: readonly string[],
): Promise<ChatFile[]> {
  const found = await Promise.all(ids.map(id => files.getAll(workspaceId, [id]).catch(() => [])))
  return found.flat()
}

/** What a search for one turn gave. */
export interface Retrieved {
  sources: Source[]
  /** There are files, and none of them bears on the message. */
  inVain: boolean
}

const NOTHING_ASKED: Retrieved = { sources: [], inVain: false }

/**
 * Yields status and warnings, returns the passages, redacted where the turn is. Passages that are no likelier to answer than
 * any other are left out, unless the turn names the files: then those are what it is about.
 */
export async function* retrieve(
  { search, files, fileWaitMs }: RetrievalDependencies,
  turn: { workspaceId: string; query: string; scope: Scope; guard: Guard },
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, Retrieved> {
  const { workspaceId, query, scope, guard } = turn
  if (scope.fileIds) yield* awaitFiles(files, workspaceId, scope.fileIds, fileWaitMs, signal)
  if (!query.trim() || scope.fileIds?.length === 0) return NOTHING_ASKED
  const result = await search.search(
    {
      workspaceId,
      query,
      limit: HITS,
      highlight: false,
      min_relevance: scope.fileIds ? 0 : CHANCE,
      accidents: scope.fileIds !== undefined,
      filters: {
        ...(scope.fileIds ? { file_ids: scope.fileIds } : {}),
        ...(scope.contextId === null ? {} : { context_id: scope.contextId }),
      },
    },
    signal,
  )
  if (result.degraded)
    yield {
      event: "warning",
      data: {
        code: "keyword_only_search",
        message: "the embedding model does not answer: passages were found by their words alone",
      },
    }
  const inVain =
    result.hits.length === 0 && result.index.searchable_files > 0 && !(await isEmpty(files, workspaceId, scope))
  if (inVain) yield { event: "status", data: { phase: "retrieving", detail: "nothing in the library bears on this" } }
  const sources: Source[] = []
  for (const source of toSources(result.hits))
    sources.push(await guard.pass<Source>({ ...source, text: await guard.text(source.text) }, SOURCE))
  return { sources, inVain }
}

/** A context that no file was uploaded with is no library that could hold an answer. */
async function isEmpty(files: ChatFiles, workspaceId: string, { contextId }: Scope): Promise<boolean> {
  return contextId !== null && (await files.idsOfContext(workspaceId, contextId)).length === 0
}

/** A file that was uploaded a moment ago is waited for; one that takes longer is said. */
async function* awaitFiles(
  files: ChatFiles,
  workspaceId: string,
  ids: string[],
  waitMs: number,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void> {
  const deadline = performance.now() + waitMs
  let said = ""
  for (;;) {
    const pending = (await existingFiles(files, workspaceId, ids)).filter(file => PENDING.has(file.status))
    if (pending.length === 0) return
    const names = pending.map(file => file.name).join(", ")
    const late = performance.now() >= deadline
    const detail = late ? `answering without ${names}: not indexed yet` : `waiting until ${names} can be searched`
    if (detail !== said) yield { event: "status", data: { phase: "retrieving", detail } }
    said = detail
    if (late) return
    await Bun.sleep(POLL_MS)
    signal.throwIfAborted()
  }
}

/** Pictures among the given files, in the form in which models take them. */
export async function imagesOf(files: ChatFiles, workspaceId: string, ids: readonly string[]): Promise<ChatImage[]> {
  const pictures = (await existingFiles(files, workspaceId, ids))
    .filter(file => file.mime_type.startsWith("image/") && file.size <= MAX_IMAGE_BYTES)
    .slice(-MAX_IMAGES)
  return Promise.all(
    pictures.map(async ({ id, mime_type }) => {
      const { path } = await files.content(workspaceId, id)
      return { mimeType: mime_type, data: Buffer.from(await Bun.file(path).arrayBuffer()).toString("base64") }
    }),
  )
}
