/**
 * Writes one generation of a file into every store, seen by nothing until it is published. Whatever fails or is cut
 * off leaves a generation that is not staged, and so is swept: staging again starts from new ids.
 */
import type { Embedder } from "../backends/backend.ts"
import { log } from "../log.ts"
import { type Generation, insertChunks, markDead, markStaged, reserve, yieldToOthers } from "../storage/chunks.ts"
import type { Database } from "../storage/database.ts"
import type { ChunkSource, TextChunk } from "../storage/document.ts"
import { schemeOf } from "./analyze.ts"
import type { SearchThread } from "./search-thread.ts"
import type { VectorLeg } from "./vector-leg.ts"

/** Passages embedded at a time. */
export const EMBED_BATCH = 32
/**
 * Passages in memory at a time: they go to all stores before the next are read. Also the vectors of one add to LanceDB,
 * each of which makes a fragment and a version.
 */
const PASSAGES_PER_BATCH = 2048

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
  chunks: ChunkSource
  on: (stage: "embedding" | "committing", progress: number) => void | Promise<void>
  signal: AbortSignal
}

export async function stageFile(dependencies: StageDependencies, request: StageRequest): Promise<void> {
  const { db, reached, active } = dependencies
  const { fileId, generation: number, chunks, signal } = request
  signal.throwIfAborted()
  const generation = await reserve(db, fileId, number, chunks.count)
  active.add(generation.id)
  try {
    reached("reserved")
    await writeAll(dependencies, request, generation)
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

async function writeAll(
  dependencies: StageDependencies,
  { fileId, chunks, on, signal }: StageRequest,
  generation: Generation,
): Promise<void> {
  const { db, reached } = dependencies
  const scheme = schemeOf(chunks.opening)
  let written = 0
  let embedding = true
  for await (const batch of chunks.batches(PASSAGES_PER_BATCH)) {
    signal.throwIfAborted()
    if (written + batch.length > chunks.count) break
    const part: Part = { first: generation.first + written, texts: textsOf(batch) }
    const told = (done: number) => on("embedding", (written + done) / chunks.count)
    await insertChunks(db, generation, written, batch, signal)
    reached("chunks written")
    await dependencies.thread.ask("index", { firstId: part.first, texts: part.texts, scheme })
    reached("words indexed")
    // After a first failure the rest waits as well, instead of failing batch by batch.
    embedding &&= await indexMeaning(dependencies, part, told, signal)
    reached("vectors written")
    await told(batch.length)
    written += batch.length
  }
  if (written !== chunks.count) throw new Error(`${fileId} has not ${chunks.count} passages`)
  if (!embedding) dependencies.vectorsMissing()
}

/** What of a chunk is indexed: a table's header or the section title before its text. */
export const indexedText = (text: string, context?: string | null): string => (context ? `${context}\n${text}` : text)

const textsOf = (chunks: TextChunk[]): string[] => chunks.map(({ text, context }) => indexedText(text, context))

/** Passages of a generation that are written together. */
interface Part {
  /** Id of the first passage. */
  first: number
  texts: string[]
}

/**
 * Without a working embedding model the file becomes searchable by its words; its vectors are made when there is one.
 * @returns false then
 */
async function indexMeaning(
  { vectors, reached }: StageDependencies,
  { first, texts }: Part,
  on: (done: number) => void | Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const embedded = await embedOrSay(vectors, texts, signal, on)
  if (!embedded) return false
  reached("embedded")
  const ids = Int32Array.from(texts, (_, i) => first + i)
  await vectors.add(embedded.table, ids, embedded.rows)
  return true
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
