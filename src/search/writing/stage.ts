/**
 * Writes generations of files into every store, seen by nothing until they are published. Whatever fails or is cut off
 * leaves a generation that is not staged, and so is swept: staging again starts from new ids.
 *
 * A large file goes batch by batch. Small ones go together: one commit, one segment of words, one version of the vectors
 * cost as much for one file as for sixty.
 */
import type { Embedder } from "../../backends/backend.ts"
import { log } from "../../log.ts"
import {
  type ChunkStretch,
  type FileVersion,
  type Generation,
  insertChunks,
  markDead,
  markStaged,
  reserve,
  yieldToOthers,
} from "../../storage/chunks.ts"
import type { Database } from "../../storage/database.ts"
import type { ChunkSource, TextChunk } from "../../storage/document.ts"
import { both } from "../../threads/both.ts"
import { type Scheme, schemeOf } from "../text/analyze.ts"
import type { SearchThread } from "../thread/search-thread.ts"
import type { VectorLeg } from "../vector/vector-leg.ts"

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

type Progress = (stage: "embedding" | "committing", progress: number) => void | Promise<void>

export interface StagedFile extends FileVersion {
  chunks: ChunkSource
}

interface Reserved<F extends StagedFile = StagedFile> extends Generation {
  file: F
}

/** @throws Error when the file was overtaken or is gone */
export async function stageFile(
  dependencies: StageDependencies,
  file: StagedFile,
  on: Progress,
  signal: AbortSignal,
): Promise<void> {
  const staged = await stage(dependencies, [file], signal, async ([generation]) => {
    await writeInBatches(dependencies, generation!, on, signal)
    await on("committing", 0)
  })
  if (staged.length === 0) throw new Error(`indexing of ${file.fileId} was overtaken`)
}

/**
 * Stages files of which all passages together fit in memory, as one.
 * @returns those that may be published: the others were overtaken, or are gone
 */
export function stageTogether<F extends StagedFile>(
  dependencies: StageDependencies,
  files: readonly F[],
  on: (stage: "embedding" | "committing") => void,
  signal: AbortSignal,
): Promise<F[]> {
  return stage(dependencies, files, signal, async generations => {
    on("embedding")
    const parts: Part[] = []
    for (const generation of generations) {
      const { chunks } = generation.file
      const all: TextChunk[] = []
      for await (const batch of chunks.batches(PASSAGES_PER_BATCH)) all.push(...batch)
      assertCount(generation, all.length)
      parts.push({ generation, ordinal: 0, chunks: all, scheme: schemeOf(chunks.opening) })
    }
    if (!(await writeParts(dependencies, parts, true, () => {}, signal))) dependencies.vectorsMissing()
    on("committing")
  })
}

async function stage<F extends StagedFile>(
  { db, reached, active }: StageDependencies,
  files: readonly F[],
  signal: AbortSignal,
  write: (generations: readonly Reserved<F>[]) => Promise<void>,
): Promise<F[]> {
  signal.throwIfAborted()
  const wanted = files.map(({ fileId, generation, chunks }) => ({ fileId, generation, count: chunks.count }))
  const generations = (await reserve(db, wanted)).map(
    (generation, i): Reserved<F> => ({ ...generation, file: files[i]! }),
  )
  for (const { id } of generations) active.add(id)
  try {
    reached("reserved")
    await write(generations)
    signal.throwIfAborted()
    const staged = await markStaged(db, generations)
    for (const generation of generations) if (!staged.includes(generation)) await giveUp(db, generation)
    reached("staged")
    return staged.map(({ file }) => file)
  } catch (error) {
    for (const generation of generations) await giveUp(db, generation)
    throw error
  } finally {
    for (const { id } of generations) active.delete(id)
  }
}

const giveUp = (db: Database, { file, ...generation }: Reserved): Promise<void> =>
  markDead(db, generation, file.fileId, file.generation)

async function writeInBatches(
  dependencies: StageDependencies,
  generation: Reserved,
  on: Progress,
  signal: AbortSignal,
): Promise<void> {
  const { chunks: source } = generation.file
  const scheme = schemeOf(source.opening)
  let written = 0
  let embedding = true
  for await (const chunks of source.batches(PASSAGES_PER_BATCH)) {
    signal.throwIfAborted()
    if (written + chunks.length > source.count) break
    const told = (done: number) => on("embedding", (written + done) / source.count)
    const parts = [{ generation, ordinal: written, chunks, scheme }]
    // After a first failure the rest waits as well, instead of failing batch by batch.
    embedding = await writeParts(dependencies, parts, embedding, told, signal)
    await told(chunks.length)
    written += chunks.length
  }
  assertCount(generation, written)
  if (!embedding) dependencies.vectorsMissing()
}

function assertCount({ file }: Reserved, count: number): void {
  if (count !== file.chunks.count) throw new Error(`${file.fileId} has not ${file.chunks.count} passages`)
}

/** Passages of one generation that are written together. */
interface Part extends ChunkStretch {
  /** How the words of passages are taken whose own language does not show. */
  scheme: Scheme
}

/**
 * Writes parts whose ids follow one another to all stores.
 * @returns false where vectors were not wanted or could not be made
 */
async function writeParts(
  dependencies: StageDependencies,
  parts: readonly Part[],
  embedding: boolean,
  on: (done: number) => void | Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, thread, reached } = dependencies
  const firstId = parts[0]!.generation.first + parts[0]!.ordinal
  const texts = parts.flatMap(({ chunks }) => chunks.map(({ text, context }) => indexedText(text, context)))
  const documents = parts.map(({ chunks, scheme }) => ({ count: chunks.length, scheme }))
  await insertChunks(db, parts, signal)
  reached("chunks written")
  const indexWords = async () => {
    await thread.ask("index", { firstId, texts, documents })
    reached("words indexed")
  }
  // Two threads do them; what fails must not leave the other at work on a generation that is given up.
  const meaning = embedding ? indexMeaning(dependencies, firstId, texts, on, signal) : Promise.resolve(false)
  const [embedded] = await both(meaning, indexWords())
  reached("vectors written")
  return embedded
}

/** What of a chunk is indexed: a table's header or the section title before its text. */
export const indexedText = (text: string, context?: string | null): string => (context ? `${context}\n${text}` : text)

/**
 * Without a working embedding model the file becomes searchable by its words; its vectors are made when there is one.
 * @returns false then
 */
async function indexMeaning(
  { vectors, reached }: StageDependencies,
  firstId: number,
  texts: string[],
  on: (done: number) => void | Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const embedded = await embedOrSay(vectors, texts, signal, on)
  if (!embedded) return false
  reached("embedded")
  const ids = Int32Array.from(texts, (_, i) => firstId + i)
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
