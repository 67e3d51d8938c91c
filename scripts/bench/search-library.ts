/** The product's search over real stores in a directory of its own, as the benchmarks drive it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Embedder } from "../../src/backends/backend.ts"
import { chunkDocument } from "../../src/ingest/chunk.ts"
import { useNativeDirectory } from "../../src/native/native.ts"
import { embeddedIn } from "../../src/search/embedded/embedded-store.ts"
import { SearchIndex } from "../../src/search/index.ts"
import type { RerankLine } from "../../src/search/rerank/rerank-line.ts"
import type { Database } from "../../src/storage/database.ts"
import { type Block, type ChunkSource, NOWHERE, type TextChunk } from "../../src/storage/document.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"

/** A fresh index with a workspace of its own. The tests have a kit like it; benchmarks do not lean on tests. */
export class Bench {
  private constructor(
    readonly directory: string,
    readonly db: Database,
    readonly index: SearchIndex,
    private readonly hasQuality: boolean,
  ) {}

  static async open(
    embedder: Embedder,
    directory = mkdtempSync(join(tmpdir(), "bench-search-")),
    store = embeddedIn(directory),
    { quality, reranker }: { quality?: Embedder | undefined; reranker?: RerankLine } = {},
  ): Promise<Bench> {
    useNativeDirectory(join(directory, "native"))
    const db = await openSqlite(directory)
    const workspace = { id: "ws", name: "ws", created_at: "" }
    await db
      .insertInto("workspaces")
      .values(workspace)
      .onConflict(conflict => conflict.doNothing())
      .execute()
    const index = new SearchIndex({ database: db, store, embedders: { fast: embedder, quality }, reranker })
    await index.start()
    return new Bench(directory, db, index, quality !== undefined)
  }

  /** One file of the given passages. @returns where each begins. */
  async addFile(id: string, passages: string[]): Promise<number[]> {
    const chunks: TextChunk[] = []
    let text = ""
    for (const passage of passages) {
      chunks.push({ start: text.length, end: text.length + passage.length, place: NOWHERE, text: passage })
      text += `${passage}\n\n`
    }
    await this.put(id, text, chunks)
    return chunks.map(({ start }) => start)
  }

  /** Waits until all passages have the vector of the quality model, where there is one. */
  async upgraded(): Promise<void> {
    for (let isDone = !this.hasQuality; !isDone; await Bun.sleep(20)) {
      const { vectors, passages } = await this.index.stats()
      isDone = (vectors.quality?.count ?? 0) >= passages
    }
  }

  /** One file of the given paragraphs, cut as the product cuts it. */
  async addDocument(id: string, paragraphs: string[]): Promise<void> {
    const blocks: Block[] = []
    let text = ""
    for (const paragraph of paragraphs.filter(each => each !== "")) {
      blocks.push({ kind: "paragraph", start: text.length, end: text.length + paragraph.length, place: NOWHERE })
      text += `${paragraph}\n\n`
    }
    const chunks = chunkDocument({ text, blocks }).map(chunk => ({
      ...chunk,
      text: text.slice(chunk.start, chunk.end),
    }))
    await this.put(id, text, chunks)
  }

  private async put(id: string, text: string, chunks: TextChunk[]): Promise<void> {
    const now = new Date().toISOString()
    const row = {
      id,
      workspace_id: "ws",
      name: id,
      name_folded: id,
      type: "txt",
      mime_type: "text/plain",
      size: text.length,
    }
    const rest = {
      sha256: id,
      status: "queued",
      created_at: now,
      updated_at: now,
      blob: id,
      tags: "[]",
      metadata: "{}",
    }
    await this.db
      .insertInto("files")
      .values({ ...row, ...rest, warnings: "[]", generation: 1 } as never)
      .execute()
    const source: ChunkSource = {
      count: chunks.length,
      opening: text,
      async *batches(size) {
        for (let from = 0; from < chunks.length; from += size) yield chunks.slice(from, from + size)
      },
    }
    await this.index.stage({ id, workspaceId: "ws" }, 1, source, () => {}, new AbortController().signal)
    await this.db.transaction().execute(async trx => {
      await this.index.publish(trx, [{ fileId: id, generation: 1 }])
      await trx.updateTable("files").set({ status: "searchable", live_generation: 1 }).where("id", "=", id).execute()
    })
  }

  async removeFile(id: string): Promise<void> {
    await this.db.transaction().execute(async trx => {
      await this.index.retire(trx, id)
      await trx.deleteFrom("files").where("id", "=", id).execute()
    })
  }

  async stop(): Promise<void> {
    await this.index.stop()
    await this.db.destroy()
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(this.directory, { recursive: true, force: true })
  }
}
