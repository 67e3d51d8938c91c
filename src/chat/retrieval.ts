/** What the library gives to one turn: passages found with the message, pictures for models that see. */
import type { View } from "../access/view.ts"
import type { ChatImage } from "../backends/backend.ts"
import { AppError, engineTrouble } from "../errors.ts"
import type { Guard } from "../grounding/guard.ts"
import { Live } from "../grounding/live.ts"
import { SOURCE, type Source, toSources } from "../grounding/passages.ts"
import { filtersOf, type Scope } from "../grounding/scope.ts"
import { log } from "../log.ts"
import { CHANCE } from "../search/relevance.ts"
import { FOR_A_REPLY } from "../search/rerank/budgets.ts"
import type { PassageRules } from "./asked.ts"
import type { ChatDependencies, ChatFile, ChatFiles } from "./dependencies.ts"
import type { ChatEvent } from "./events.ts"
import type { Searched } from "./record/facts.ts"

/** Hits that are asked for; merging and the window leave fewer. */
const HITS = 10
/** Files may change many at a time: they are not looked at more often than this. */
const LOOK_AGAIN_MS = 200
/** Files whose names are told of those that are waited for. */
const MAX_NAMED = 5
const MAX_IMAGES = 4
const MAX_IMAGE_BYTES = 20_000_000
const PENDING = new Set(["queued", "indexing"])

/** What a search for one turn gave. */
export interface Retrieved {
  sources: Source[]
  /** There are files, and none of them bears on the message. */
  inVain: boolean
  /** The library could not be searched. */
  unavailable?: boolean
  /** The sources are the whole text of the files, in reading order, or with notes what those cite. */
  whole?: boolean
  /** Made of the parts of a text that does not fit into the window; given in its place. */
  notes?: readonly string[]
  /** Absent where nothing was searched. */
  searched?: Searched
}

const NOTHING_ASKED: Retrieved = { sources: [], inVain: false }

/**
 * Yields status and warnings, returns the passages, redacted where the turn is. Passages no likelier to answer than
 * chance are left out, unless the turn names files: then those are what it is about.
 */
export async function* retrieve(
  { search, files, fileWaitMs }: ChatDependencies,
  turn: {
    view: View
    query: string
    /** The query is a model's. */
    rewritten?: boolean
    scope: Scope
    guard: Guard
    passages?: PassageRules | undefined
  },
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, Retrieved> {
  const { view, query, rewritten = false, scope, guard, passages = {} } = turn
  if (scope.fileIds) yield* awaitFiles(files, view, scope.fileIds, fileWaitMs, signal)
  if (!query.trim() || scope.fileIds?.length === 0) return NOTHING_ASKED
  const result = await withoutEngine(
    search.search(
      {
        view,
        query,
        limit: passages.limit ?? HITS,
        highlight: false,
        min_relevance: passages.minRelevance ?? (scope.fileIds ? 0 : CHANCE),
        accidents: scope.fileIds !== undefined,
        rerank: FOR_A_REPLY,
        filters: filtersOf(scope),
      },
      signal,
    ),
  )
  if (!result) {
    const message = "the library cannot be searched at present: the reply is written without it"
    yield { event: "warning", data: { code: "library_unavailable", message } }
    return { sources: [], inVain: false, unavailable: true }
  }
  if (result.degraded === "keyword_only")
    yield {
      event: "warning",
      data: {
        code: "keyword_only_search",
        message: "the embedding model does not answer: passages were found by keywords only",
      },
    }
  const inVain = result.hits.length === 0 && result.index.searchable_files > 0 && !(await isEmpty(files, view, scope))
  if (inVain) yield { event: "status", data: { phase: "retrieving", detail: "nothing in the library bears on this" } }
  const sources: Source[] = []
  for (const source of toSources(result.hits))
    sources.push(await guard.pass<Source>({ ...source, text: await guard.text(source.text) }, SOURCE))
  const { embedding_model: embeddingModel, vectors } = result.index
  return { sources, inVain, searched: { query, rewritten, embeddingModel, vectors, degraded: result.degraded } }
}

/** Undefined while the search engine does not answer: a reply is of use without passages. */
async function withoutEngine<T>(search: Promise<T>): Promise<T | undefined> {
  try {
    return await search
  } catch (error) {
    if (engineTrouble(error) !== "search") throw error
    log.debug("a turn goes on without the library", { error })
    return undefined
  }
}

/** A context that no file was uploaded with is no library that could hold an answer. */
async function isEmpty(files: ChatFiles, view: View, { contextId }: Scope): Promise<boolean> {
  return contextId !== null && !(await files.hasContext(view, contextId))
}

/** A file that was uploaded a moment ago is waited for; one that takes longer is said. */
export async function* awaitFiles(
  files: ChatFiles,
  view: View,
  ids: readonly string[],
  waitMs: number,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void> {
  const late = waitMs > 0 ? AbortSignal.timeout(waitMs) : AbortSignal.abort()
  const stop = AbortSignal.any([signal, late])
  const changes = new Live()
  using _ = changes.wakeOn(stop)
  const ignore = files.listen(ids, () => changes.notify())
  try {
    for (let pending = ids, said = ""; ; ) {
      const changed = changes.changed() // before looking, so that nothing falls between
      const found = (await files.existing(view, pending)).filter(file => PENDING.has(file.status))
      if (found.length === 0) return
      const names = namesOf(found)
      const detail = late.aborted
        ? `answering without ${names}: not indexed yet`
        : `waiting until ${names} can be searched`
      if (detail !== said) yield { event: "status", data: { phase: "retrieving", detail } }
      if (late.aborted) return
      said = detail
      pending = found.map(({ id }) => id)
      if (!stop.aborted) await changed
      if (!stop.aborted) await Bun.sleep(LOOK_AGAIN_MS)
      signal.throwIfAborted()
    }
  } finally {
    ignore()
  }
}

function namesOf(files: readonly ChatFile[]): string {
  const names = files.slice(0, MAX_NAMED).map(({ name }) => name)
  const more = files.length - names.length
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

/** Pictures among the given files, in the form in which models take them. */
export async function imagesOf(files: ChatFiles, view: View, ids: readonly string[]): Promise<ChatImage[]> {
  const pictures = (await files.existing(view, ids))
    .filter(file => file.mime_type.startsWith("image/") && file.size <= MAX_IMAGE_BYTES)
    .slice(-MAX_IMAGES)
  const images = await Promise.all(pictures.map(picture => imageOf(files, view, picture)))
  return images.filter(image => image !== undefined)
}

/** Undefined for a file that was deleted since it was listed. */
async function imageOf(files: ChatFiles, view: View, { id, mime_type }: ChatFile) {
  try {
    const { bytes } = await files.content(view, id)
    const data = Buffer.from(await new Response(await bytes.stream()).arrayBuffer()).toString("base64")
    return { mimeType: mime_type, data }
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return undefined
    throw error
  }
}
