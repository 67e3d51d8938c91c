/**
 * Writes one generation of a file into every store, seen by nothing until it is published. Whatever fails or is cut
 * off leaves a generation that is not staged, and so is swept: staging again starts from new ids.
 */
import type { Embedder } from "../backends/backend.ts"
import { log } from "../log.ts"
import { type Generation, insertChunks, markDead, markStaged, reserve, yieldToOthers } from "../storage/chunks.ts"
import type { Database } from "../storage/database.ts"
import type { Chunk } from "../storage/document.ts"
import { schemeOf } from "./analyze.ts"
import type { SearchThread } from "./search-thread.ts"
import type { VectorLeg } from "./vector-leg.ts"

/** Passages of one keyword segment: 512 take about 60 ms of the worker, in which queries wait. */
const PASSAGES_PER_SEGMENT = 512
/** Passages embedded at a time. */
export const EMBED_BATCH = 32
/** Vectors of one add to LanceDB: each makes a fragment and a version. */
const VECTORS_PER_ADD = 2048

export interface StageDependencies {
  db: Database
  thread: SearchThread
  vectors: VectorLeg
  /** Named points of the write path; tests die here. */
  reached(point: string): void
  /** Generations being written in this process: a sweep leaves them alone. */
  active: Set<number>
  /** Passages were indexed without vectors. */
  vectorsMissing(): void
}

export interface StageRequest {
  fileId: string
  generation: number
  text: string
  chunks: Chunk[]
  on: (stage: "embedding" | "committing", progress: number) => void | Promise<void>
  signal: AbortSignal
}

export async function stageFile(dependencies: StageDependencies, request: StageRequest): Promise<void> {
  const { db, reached, active } = dependencies
  const { fileId, generation: number, chunks, signal } = request
  signal.throwIfAborted()
  const generation = await reserve(db, fileId, number, chunks.length)
  active.add(generation.id)
  try {
    reached("reserved")
    await insertChunks(db, generation, request.text, chunks, signal)
    reached("chunks written")
    await indexWords(dependencies, request, generation)
    reached("words indexed")
    await indexMeaning(dependencies, request, generation)
    reached("vectors written")
    await request.on("committing", 0)
    signal.throwIfAborted()
    if (!(await markStaged(db, generation))) throw new Error(`indexing of ${fileId} was overtaken`)
    reached("staged")
  } catch (error) {
    await markDead(db, generation, fileId, number)
    throw error
  } finally {
    active.delete(generation.id)
  }
}

/** What of a chunk is indexed: a table's header or the section title before its text. */
export const indexedText = (text: string, context?: string | null): string => (context ? `${context}\n${text}` : text)

async function indexWords(
  { thread }: StageDependencies,
  { text, chunks, signal }: StageRequest,
  generation: Generation,
): Promise<void> {
  const scheme = schemeOf(text)
  for (let from = 0; from < chunks.length; from += PASSAGES_PER_SEGMENT) {
    signal.throwIfAborted()
    const texts = textsOf(text, chunks.slice(from, from + PASSAGES_PER_SEGMENT))
    await thread.ask("index", { firstId: generation.first + from, texts, scheme })
  }
}

/**
 * Without a working embedding model the file becomes searchable by its words; its vectors are made when there is one.
 */
async function indexMeaning(
  { vectors, reached, vectorsMissing }: StageDependencies,
  { text, chunks, on, signal }: StageRequest,
  generation: Generation,
): Promise<void> {
  for (let from = 0; from < chunks.length; from += VECTORS_PER_ADD) {
    const part = chunks.slice(from, from + VECTORS_PER_ADD)
    const embedded = await embedOrSay(vectors, textsOf(text, part), signal, done =>
      on("embedding", (from + done) / chunks.length),
    )
    if (!embedded) return vectorsMissing()
    reached("embedded")
    const ids = Int32Array.from(part, (_, i) => generation.first + from + i)
    await vectors.add(embedded.table, ids, embedded.rows)
  }
}

async function embedOrSay(
  vectors: VectorLeg,
  texts: string[],
  signal: AbortSignal,
  on: (done: number) => void | Promise<void>,
): Promise<{ table: string; rows: Float32Array } | undefined> {
  try {
    const model = await vectors.model()
    return model && { table: model.table, rows: await embedAll(model.embedder, texts, signal, on) }
  } catch (error) {
    if (signal.aborted) throw error
    log.warn("passages are indexed without vectors for now: the embedding model fails", { error })
    return undefined
  }
}

const textsOf = (text: string, chunks: Chunk[]): string[] =>
  chunks.map(({ start, end, context }) => indexedText(text.slice(start, end), context))

/** Embeds passages in batches, giving way between them. */
export async function embedAll(
  embedder: Embedder,
  texts: string[],
  signal: AbortSignal | undefined,
  on: (done: number) => void | Promise<void>,
): Promise<Float32Array> {
  const rows = new Float32Array(texts.length * embedder.dimensions)
  for (let from = 0; from < texts.length; from += EMBED_BATCH) {
    signal?.throwIfAborted()
    const batch = texts.slice(from, from + EMBED_BATCH)
    const vectors = await embedder.embed(batch, "passage", signal)
    vectors.forEach((vector, i) => {
      if (vector.length !== embedder.dimensions) throw new Error(`${embedder.model} gave ${vector.length} dimensions`)
      rows.set(vector, (from + i) * embedder.dimensions)
    })
    await on(Math.min(texts.length, from + batch.length))
    await yieldToOthers()
  }
  return rows
}
