/** A small library over the real stores for tests of search: temporary data directory, a model that counts words. */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wholeOf } from "../../src/access/view.ts"
import type { Embedder } from "../../src/backends/backend.ts"
import { embeddedIn } from "../../src/search/embedded/embedded-store.ts"
import { SearchIndex, type SearchIndexOptions } from "../../src/search/index.ts"
import type { SearchRequest } from "../../src/search/types.ts"
import type { Database } from "../../src/storage/database.ts"
import { type Chunk, type ChunkSource, NOWHERE } from "../../src/storage/document.ts"
import type { FilesTable } from "../../src/storage/files.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"
import { until } from "../support/until.ts"

/** Unit vectors from hashed words: texts that share words are near each other. */
export function wordEmbedder(
  model = "test/words",
  dimensions = 64,
): Embedder & { failing: boolean; failingOn: string | undefined } {
  return {
    model,
    dimensions,
    fusionWeight: 0.35,
    failing: false,
    /** With a text that holds this it fails, and with others not. */
    failingOn: undefined,
    async embed(texts) {
      const { failing, failingOn } = this
      if (failing || (failingOn && texts.some(text => text.includes(failingOn)))) throw new Error("the model is down")
      return texts.map(text => {
        const vector = new Float32Array(dimensions)
        for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [""]) {
          const hash = Number(Bun.hash(model + word) & 0xffffffn)
          vector[hash % dimensions]! += (hash & 1024) === 0 ? 1 : -1
        }
        vector[0]! += 0.001
        const length = Math.hypot(...vector)
        return vector.map(value => value / length)
      })
    },
    async close() {},
  }
}

export interface LibraryOptions extends Partial<SearchIndexOptions> {
  directory?: string
  /** Of the fast tier. */
  embedder?: Embedder
  /** Of the other one, which there is not when left out. */
  quality?: Embedder
}

export class TestLibrary {
  private constructor(
    readonly directory: string,
    readonly db: Database,
    readonly index: SearchIndex,
    private readonly owned: boolean,
  ) {}

  static async open(options: LibraryOptions = {}): Promise<TestLibrary> {
    const directory = options.directory ?? mkdtempSync(join(tmpdir(), "search-test-"))
    const db = await openSqlite(directory)
    for (const id of ["ws_a", "ws_b"])
      await db
        .insertInto("workspaces")
        .values({ id, name: id, created_at: new Date().toISOString() })
        .onConflict(conflict => conflict.doNothing())
        .execute()
    const { directory: _, embedder: fast = wordEmbedder(), quality, ...rest } = options
    const index = new SearchIndex({ embedders: { fast, quality }, store: embeddedIn(directory), ...rest, database: db })
    await index.start()
    return new TestLibrary(directory, db, index, options.directory === undefined)
  }

  /** Waits until the stores agree: what a restart lacks is made, and what it has too much is removed, in the background. */
  async whole(): Promise<void> {
    let problems: string[] = []
    const isWhole = async () => {
      problems = (await this.index.check()).problems
      return problems.length === 0
    }
    await until(isWhole, { everyMs: 100 }).catch(error => {
      throw new Error(problems.join("; "), { cause: error })
    })
  }

  /** Adds or replaces a file with one passage per line, and publishes it. */
  async put(id: string, text: string, row: Partial<FilesTable> = {}): Promise<void> {
    const generation = await this.register(id, row)
    await this.index.stage(
      { id, workspaceId: "ws_a" },
      generation,
      inMemory(text, lines(text)),
      () => {},
      AbortSignal.timeout(60_000),
    )
    await this.publish(id, generation)
  }

  /** The file row alone, queued. @returns its generation. */
  async register(id: string, row: Partial<FilesTable> = {}): Promise<number> {
    const former = await this.db.selectFrom("files").selectAll().where("id", "=", id).executeTakeFirst()
    if (former) {
      const generation = former.generation + 1
      await this.db
        .updateTable("files")
        .set({ generation, ...row })
        .where("id", "=", id)
        .execute()
      return generation
    }
    const now = new Date().toISOString()
    const values = {
      id,
      workspace_id: "ws_a",
      name: `${id}.txt`,
      name_folded: `${id}.txt`,
      type: "txt",
      mime_type: "text/plain",
      size: 1,
      sha256: id,
      status: "queued" as const,
      progress: 0,
      warnings: "[]",
      attempts: 0,
      ocr_page_count: 0,
      tags: "[]",
      metadata: "{}",
      created_at: now,
      updated_at: now,
      blob: id,
      generation: 1,
      ...row,
    }
    await this.db
      .insertInto("files")
      .values(values as never)
      .execute()
    return 1
  }

  async publish(id: string, generation: number): Promise<void> {
    await this.db.transaction().execute(async trx => {
      await this.index.publish(trx, [{ fileId: id, generation }])
      await trx
        .updateTable("files")
        .set({ status: "searchable", live_generation: generation })
        .where("id", "=", id)
        .execute()
    })
  }

  async remove(id: string): Promise<void> {
    await this.db.transaction().execute(async trx => {
      await this.index.retire(trx, id)
      await trx.deleteFrom("files").where("id", "=", id).execute()
    })
  }

  search(query: string, options: Partial<SearchRequest> = {}) {
    return this.index.search({ view: wholeOf("ws_a"), limit: 10, query, ...options })
  }

  /** Texts of the hits. */
  async texts(query: string, options: Parameters<TestLibrary["search"]>[1] = {}): Promise<string[]> {
    return (await this.search(query, options)).hits.map(hit => hit.text)
  }

  /** Without ending the stores in order, as after a crash of this part. */
  async close(): Promise<void> {
    await this.index.stop()
    await this.db.destroy()
    if (this.owned) rmSync(this.directory, { recursive: true, force: true })
  }
}

export function lines(text: string): Chunk[] {
  const chunks: Chunk[] = []
  for (const match of text.matchAll(/[^\n]+/g))
    chunks.push({ start: match.index, end: match.index + match[0].length, place: NOWHERE })
  return chunks
}

/** Chunks of a text as a reader hands them over. */
export function inMemory(text: string, chunks: Chunk[]): ChunkSource {
  return {
    count: chunks.length,
    opening: text,
    async *batches(size) {
      for (let from = 0; from < chunks.length; from += size)
        yield chunks.slice(from, from + size).map(chunk => ({ ...chunk, text: text.slice(chunk.start, chunk.end) }))
    },
  }
}
