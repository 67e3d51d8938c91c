/**
 * Writes generations of files into every store, seen by nothing until they are published. Whatever fails or is cut off
 * leaves a generation that is not staged, and so is swept: staging again starts from new ids.
 *
 * A large file goes batch by batch. Small ones go together: one commit, one segment of words, one version of the vectors
 * cost as much for one file as for sixty.
 */
import {
  type ChunkStretch,
  type FileVersion,
  type Generation,
  insertChunks,
  markDead,
  markStaged,
  releaseOthers,
  reserve,
} from "../../storage/chunks.ts"
import type { Database } from "../../storage/database.ts"
import type { ChunkSource, TextChunk } from "../../storage/document.ts"
import { type Scheme, schemeOf } from "../text/analyze.ts"
import { indexedText } from "../text/indexed-text.ts"
import type { Membership } from "./membership.ts"
import type { AddOptions, PassageIndex } from "./passage-index.ts"

/**
 * Passages in memory at a time: they go to all stores before the next are read. Also the vectors of one add to LanceDB,
 * each of which makes a fragment and a version.
 */
const PASSAGES_PER_BATCH = 2048

type Progress = (stage: "embedding" | "committing", progress: number) => void | Promise<void>

export interface StagedFile extends FileVersion {
  workspaceId: string
  chunks: ChunkSource
}

interface Reserved<F extends StagedFile = StagedFile> extends Generation {
  file: F
}

/** Passages of one generation that are written together. */
interface Part extends ChunkStretch {
  workspaceId: string
  /** How the words of passages are taken whose own language does not show. */
  scheme: Scheme
}

export class Stage {
  /** Generations being written in this process: a sweep leaves them alone. */
  private readonly active = new Set<number>()
  /** Calls that may have recorded generations which are not in `active` yet. */
  private reserving = 0

  /** @param reached named points of the write path; tests die there */
  constructor(
    private readonly db: Database,
    private readonly index: PassageIndex,
    private readonly members: Membership,
    private readonly reached: (point: string) => void,
  ) {}

  isWriting(generation: number): boolean {
    return this.active.has(generation)
  }

  /** True while anything is written. */
  get isWorking(): boolean {
    return this.active.size + this.reserving > 0
  }

  /** Gives up what this node is recorded to write and does not. */
  async release(): Promise<void> {
    if (this.reserving === 0) await releaseOthers(this.db, this.members.node, this.active)
  }

  /** @throws Error when the file was overtaken or is gone */
  async one(file: StagedFile, on: Progress, signal: AbortSignal): Promise<void> {
    const staged = await this.stage([file], signal, async ([generation]) => {
      await this.writeInBatches(generation!, on, signal)
      await on("committing", 0)
    })
    if (staged.length === 0) throw new Error(`indexing of ${file.fileId} was overtaken`)
  }

  /**
   * Files of which all passages together fit in memory, as one.
   * @returns those that may be published: the others were overtaken, or are gone
   */
  together<F extends StagedFile>(
    files: readonly F[],
    on: (stage: "embedding" | "committing") => void,
    signal: AbortSignal,
  ): Promise<F[]> {
    return this.stage(files, signal, async generations => {
      on("embedding")
      const parts: Part[] = []
      for (const generation of generations) {
        const { chunks, workspaceId } = generation.file
        const all: TextChunk[] = []
        for await (const batch of chunks.batches(PASSAGES_PER_BATCH)) all.push(...batch)
        assertCount(generation, all.length)
        parts.push({ generation, workspaceId, ordinal: 0, chunks: all, scheme: schemeOf(chunks.opening) })
      }
      if (!(await this.writeParts(parts, { embedding: true, on: () => {}, signal }))) this.index.told.vectorsMissing()
      on("committing")
    })
  }

  private async stage<F extends StagedFile>(
    files: readonly F[],
    signal: AbortSignal,
    write: (generations: readonly Reserved<F>[]) => Promise<void>,
  ): Promise<F[]> {
    const { db, active } = this
    signal.throwIfAborted()
    const wanted = files.map(({ fileId, generation, chunks }) => ({ fileId, generation, count: chunks.count }))
    this.reserving++
    let generations: Reserved<F>[]
    try {
      const reserved = await reserve(db, wanted, this.members.node)
      generations = reserved.map((generation, i) => ({ ...generation, file: files[i]! }))
      for (const { id } of generations) active.add(id)
    } finally {
      this.reserving--
    }
    try {
      this.reached("reserved")
      await write(generations)
      signal.throwIfAborted()
      await this.index.settle()
      const staged = await markStaged(db, generations)
      for (const generation of generations) if (!staged.includes(generation)) await giveUp(db, generation)
      this.reached("staged")
      this.index.told.staged(staged)
      return staged.map(({ file }) => file)
    } catch (error) {
      for (const generation of generations) await giveUp(db, generation)
      throw error
    } finally {
      for (const { id } of generations) active.delete(id)
    }
  }

  private async writeInBatches(generation: Reserved, on: Progress, signal: AbortSignal): Promise<void> {
    const { chunks: source, workspaceId } = generation.file
    const scheme = schemeOf(source.opening)
    let written = 0
    let embedding = true
    for await (const chunks of source.batches(PASSAGES_PER_BATCH)) {
      signal.throwIfAborted()
      if (written + chunks.length > source.count) break
      const told = (done: number) => on("embedding", (written + done) / source.count)
      const parts = [{ generation, workspaceId, ordinal: written, chunks, scheme }]
      // After a first failure the rest waits as well, instead of failing batch by batch.
      embedding = await this.writeParts(parts, { embedding, on: told, signal })
      await told(chunks.length)
      written += chunks.length
    }
    assertCount(generation, written)
    if (!embedding) this.index.told.vectorsMissing()
  }

  /**
   * Writes parts whose ids follow one another to all stores.
   * @returns false where vectors were not wanted or could not be made
   */
  private async writeParts(parts: readonly Part[], options: AddOptions): Promise<boolean> {
    const stretches = parts.map(({ generation, workspaceId, ordinal, chunks, scheme }) => ({
      generation,
      workspaceId,
      firstId: generation.first + ordinal,
      texts: chunks.map(({ text, context }) => indexedText(text, context)),
      scheme,
    }))
    await insertChunks(this.db, parts, options.signal)
    this.reached("chunks written")
    return await this.index.add(stretches, options)
  }
}

const giveUp = (db: Database, { file, ...generation }: Reserved): Promise<void> =>
  markDead(db, generation, file.fileId, file.generation)

function assertCount({ file }: Reserved, count: number): void {
  if (count !== file.chunks.count) throw new Error(`${file.fileId} has not ${file.chunks.count} passages`)
}
