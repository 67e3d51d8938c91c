/**
 * One library searched in both modes: the same rows, words and vectors held in this process and in OpenSearch. Rows lie in a
 * temporary SQLite, so that an engine for search is all that is needed.
 */

import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wholeOf } from "../../src/access/view.ts"
import type { Embedder } from "../../src/backends/backend.ts"
import { KeywordIndex } from "../../src/search/keyword/keyword-index.ts"
import { KeywordStore } from "../../src/search/keyword/keyword-store.ts"
import { Pace } from "../../src/search/keyword/pace.ts"
import { OpenSearchClient } from "../../src/search/opensearch/client.ts"
import {
  documentId,
  type IndexedPassage,
  vectorDocument,
  vectorsIndex,
  vectorsIndexBody,
  wordsDocument,
  wordsIndex,
  wordsIndexBody,
} from "../../src/search/opensearch/layout.ts"
import { ClusterAnswerer } from "../../src/search/opensearch/query-answerer.ts"
import { askedOf } from "../../src/search/query-vector.ts"
import { schemeOf, termsOf } from "../../src/search/text/analyze.ts"
import { PassageLanguages } from "../../src/search/text/language.ts"
import { StoredTexts } from "../../src/search/text/stored-texts.ts"
import { QueryAnswerer } from "../../src/search/thread/query-answerer.ts"
import type { WorkerAnswer, WorkerSearch } from "../../src/search/thread/worker-messages.ts"
import { quantize } from "../../src/search/vector/quantize.ts"
import { VectorSets } from "../../src/search/vector/vector-sets.ts"
import type { Database } from "../../src/storage/database.ts"
import type { FilesTable } from "../../src/storage/files.ts"
import { openSqlite } from "../../src/storage/sqlite/open.ts"

const TABLE = "vectors_test"
const BETTER_TABLE = "vectors_better"
/** Passages of one bulk request. */
const BULK = 500

export interface Address {
  url: string
  /** Of the authority that signed its certificate; left out where the process knows it. */
  caFile?: string
  prefix: string
}

export interface Document {
  id: string
  workspaceId: string
  passages: readonly string[]
  row?: Partial<FilesTable>
}

interface Written extends Document {
  generation: number
  first: number
}

/** Counts what goes over the wire. */
export class CountingClient extends OpenSearchClient {
  requests = 0
  bytes = 0

  override async ask<Answer>(...given: Parameters<OpenSearchClient["ask"]>): Promise<Answer> {
    const answer = await super.ask<Answer>(...given)
    this.requests++
    this.bytes += JSON.stringify(answer).length + JSON.stringify(given[2]?.body ?? "").length
    return answer
  }
}

export class BothModes {
  readonly client: CountingClient
  readonly cluster: ClusterAnswerer
  private readonly keyword: KeywordIndex
  private readonly store: KeywordStore
  private readonly texts: StoredTexts
  private readonly vectors: VectorSets
  private readonly local: QueryAnswerer
  private readonly written = new Map<number, { passage: IndexedPassage; text: string }>()
  private nextPassage = 1
  private nextGeneration = 1

  private constructor(
    readonly db: Database,
    private readonly directory: string,
    private readonly embedder: Embedder,
    address: Address,
    /** Of the quality tier, whose vectors `upgrade` makes. */
    private readonly better?: Embedder,
  ) {
    this.client = new CountingClient(addressOf(address))
    this.cluster = new ClusterAnswerer({ db, client: this.client, heldForMs: 0 })
    this.store = new KeywordStore(join(directory, "keyword.db"))
    this.keyword = new KeywordIndex(this.store)
    this.texts = new StoredTexts(directory)
    this.vectors = new VectorSets(directory)
    this.vectors.begin("fast", TABLE, embedder.dimensions)
    this.vectors.swap(TABLE)
    if (better) {
      this.vectors.begin("quality", BETTER_TABLE, better.dimensions)
      this.vectors.swap(BETTER_TABLE)
    }
    this.local = new QueryAnswerer(this.keyword, this.vectors, this.texts)
  }

  static async open(address: Address, embedder: Embedder, better?: Embedder): Promise<BothModes> {
    const directory = mkdtempSync(join(tmpdir(), "both-modes-"))
    const both = new BothModes(await openSqlite(directory), directory, embedder, address, better)
    const size = { shards: 2, copies: 0 }
    await both.client.ask("PUT", both.words, { body: wordsIndexBody(size), timeoutMs: 60_000 })
    const body = vectorsIndexBody(size, embedder.dimensions)
    await both.client.ask("PUT", both.near, { body, timeoutMs: 60_000 })
    if (better) {
      const betterBody = vectorsIndexBody(size, better.dimensions)
      await both.client.ask("PUT", both.nearer, { body: betterBody, timeoutMs: 60_000 })
    }
    return both
  }

  /** Publishes documents, in this order; what was there under their ids is replaced. */
  async add(documents: readonly Document[]): Promise<void> {
    const written: Written[] = []
    for (const document of documents) written.push(await this.write(document))
    await this.index(written)
    for (const { id, generation } of written) await this.publish(id, generation)
  }

  /** A document that both engines hold and nobody may see. */
  async stage(document: Document): Promise<void> {
    const written = await this.write(document)
    await this.index([written])
    await this.db.updateTable("generations").set({ state: "staged" }).where("id", "=", written.generation).execute()
  }

  /** What the engine holds of a document that the database knows nothing of. */
  async strand(document: Document): Promise<void> {
    const { generation } = await this.write(document)
    const written = { ...document, generation, first: this.nextPassage - document.passages.length }
    await this.send(passagesOf(written, "english"), document.passages)
    await this.refresh()
    await this.db.deleteFrom("generations").where("id", "=", generation).execute()
    await this.db.deleteFrom("files").where("id", "=", document.id).execute()
  }

  /** Takes a document from the library and leaves what the engines hold of it. */
  async remove(id: string): Promise<void> {
    await this.db.updateTable("generations").set({ state: "dead" }).where("file_id", "=", id).execute()
    await this.db.deleteFrom("files").where("id", "=", id).execute()
  }

  async ask(
    workspaceId: string,
    query: WorkerSearch["query"],
    more: Partial<WorkerSearch> = {},
  ): Promise<WorkerSearch> {
    const [values] = await this.embedder.embed([query.text], "query")
    const model = { tier: "fast" as const, table: TABLE, embedder: this.embedder }
    const vectors = [askedOf({ model, values: values! })]
    const tables: WorkerSearch["tables"] = { fast: TABLE }
    if (this.better) {
      const [betterValues] = await this.better.embed([query.text], "query")
      const better = { tier: "quality" as const, table: BETTER_TABLE, embedder: this.better }
      vectors.push(askedOf({ model: better, values: betterValues! }))
      tables.quality = BETTER_TABLE
    }
    return { view: wholeOf(workspaceId), query, mode: "hybrid", vectors, tables, depth: 100, ...more }
  }

  embedded(ask: WorkerSearch): WorkerAnswer {
    return this.local.search(ask)
  }

  async close(): Promise<void> {
    for (const index of [this.words, this.near, ...(this.better ? [this.nearer] : [])])
      await this.client.ask("DELETE", index, { timeoutMs: 60_000 })
    this.store.close()
    this.texts.close()
    this.vectors.close()
    await this.db.destroy()
    rmSync(this.directory, { recursive: true, force: true })
  }

  private get words(): string {
    return wordsIndex(this.client.prefix)
  }

  private get near(): string {
    return vectorsIndex(this.client.prefix, TABLE)
  }

  private get nearer(): string {
    return vectorsIndex(this.client.prefix, BETTER_TABLE)
  }

  /** Makes the quality vectors of those passages, by number. */
  async upgrade(wanted: (passage: number) => boolean): Promise<void> {
    const better = this.better!
    const some = [...this.written.values()].filter(({ passage }) => wanted(passage.id))
    for (let from = 0; from < some.length; from += BULK) {
      const part = some.slice(from, from + BULK)
      const made = await better.embed(
        part.map(({ text }) => text),
        "passage",
      )
      const body = part.flatMap(({ passage }, i) => [
        { index: { _index: this.nearer, _id: documentId(passage.id), routing: passage.workspaceId } },
        vectorDocument(passage, made[i]!),
      ])
      const { errors } = await this.client.ask<{ errors: boolean }>("POST", "_bulk", { body, timeoutMs: 120_000 })
      if (errors) throw new Error("the engine refused passages")
      this.vectors.add(
        BETTER_TABLE,
        Float64Array.from(part, ({ passage }) => passage.id),
        flatOf(made, better.dimensions),
      )
    }
    await this.client.ask("POST", `${this.nearer}/_refresh`, { timeoutMs: 120_000 })
  }

  private async write({ id, workspaceId, passages, row }: Document): Promise<Written> {
    const now = new Date().toISOString()
    const values = { ...BLANK, id, workspace_id: workspaceId, name: id, name_folded: id, sha256: id, blob: id }
    const generation = this.nextGeneration++
    const first = this.nextPassage
    this.nextPassage += passages.length
    await this.db.transaction().execute(async trx => {
      const workspace = { id: workspaceId, name: workspaceId, created_at: now }
      await trx
        .insertInto("workspaces")
        .values(workspace)
        .onConflict(conflict => conflict.doNothing())
        .execute()
      const file = { ...values, created_at: now, updated_at: now, generation, ...row }
      const { id: _, ...changes } = file
      await trx
        .insertInto("files")
        .values(file as never)
        .onConflict(conflict => conflict.column("id").doUpdateSet(changes as never))
        .execute()
      const span = { first_chunk: first, last_chunk: first + passages.length - 1 }
      await trx
        .insertInto("generations")
        .values({ id: generation, file_id: id, generation, ...span, state: "staging" })
        .execute()
      for (let from = 0; from < passages.length; from += BULK)
        await trx
          .insertInto("chunks")
          .values(
            passages.slice(from, from + BULK).map((text, i) => chunk(first + from + i, generation, from + i, text)),
          )
          .execute()
    })
    return { id, workspaceId, passages, generation, first }
  }

  private async publish(id: string, generation: number): Promise<void> {
    await this.db.transaction().execute(async trx => {
      await trx.updateTable("generations").set({ state: "dead" }).where("file_id", "=", id).execute()
      await trx.updateTable("generations").set({ state: "live" }).where("id", "=", generation).execute()
      const live = { status: "searchable" as const, live_generation: generation }
      await trx.updateTable("files").set(live).where("id", "=", id).execute()
    })
  }

  private async index(written: readonly Written[]): Promise<void> {
    const texts = written.flatMap(({ passages }) => passages)
    if (texts.length === 0) return
    const documents = written.map(({ passages }) => ({
      count: passages.length,
      scheme: schemeOf(passages.join("\n")),
    }))
    await this.keyword.add(written[0]!.first, [...texts], documents, new Pace())
    const passages = written.flatMap((each, nth) => passagesOf(each, documents[nth]!.scheme))
    passages.forEach((passage, i) => void this.written.set(passage.id, { passage, text: texts[i]! }))
    for (let from = 0; from < passages.length; from += BULK) {
      const some = passages.slice(from, from + BULK)
      const made = await this.send(some, texts.slice(from, from + BULK))
      const flat = flatOf(made, this.embedder.dimensions)
      this.vectors.add(
        TABLE,
        Float64Array.from(some, ({ id }) => id),
        flat,
      )
    }
    await this.refresh()
  }

  /** To the engine. @returns the vectors */
  private async send(passages: readonly IndexedPassage[], texts: readonly string[]): Promise<Float32Array[]> {
    const made = await this.embedder.embed([...texts], "passage")
    const body = passages.flatMap((passage, i) => [
      { index: { _index: this.words, _id: documentId(passage.id), routing: passage.workspaceId } },
      wordsDocument(passage),
      { index: { _index: this.near, _id: documentId(passage.id), routing: passage.workspaceId } },
      vectorDocument(passage, made[i]!),
    ])
    const { errors } = await this.client.ask<{ errors: boolean }>("POST", "_bulk", { body, timeoutMs: 120_000 })
    if (errors) throw new Error("the engine refused passages")
    return made
  }

  private async refresh(): Promise<void> {
    await this.client.ask("POST", `${this.words},${this.near}/_refresh`, { timeoutMs: 120_000 })
  }
}

function flatOf(vectors: readonly Float32Array[], dimensions: number): Float32Array {
  const flat = new Float32Array(vectors.length * dimensions)
  vectors.forEach((vector, i) => {
    flat.set(vector, i * dimensions)
  })
  return flat
}

const BLANK = {
  type: "txt",
  mime_type: "text/plain",
  size: 1,
  status: "queued" as const,
  progress: 0,
  warnings: "[]",
  attempts: 0,
  ocr_page_count: 0,
  tags: "[]",
  metadata: "{}",
}

const chunk = (id: number, generation_id: number, ordinal: number, text: string) => ({
  id,
  generation_id,
  ordinal,
  start: 0,
  end: text.length,
  text,
  context: null,
  page: null,
  sheet: null,
  slide: null,
  member: null,
  section: null,
  sections: null,
})

function passagesOf(
  { workspaceId, generation, first, passages }: Written,
  scheme: ReturnType<typeof schemeOf>,
): IndexedPassage[] {
  const told = new PassageLanguages()
  return passages.map((text, ordinal) => ({
    workspaceId,
    generation,
    id: first + ordinal,
    ordinal,
    passages: passages.length,
    terms: termsOf(text, schemeOf(text, scheme)),
    language: told.next(text),
  }))
}

function addressOf({ url, caFile, prefix }: Address) {
  const { origin, username, password } = new URL(url)
  const credentials = username ? { user: username, password: decodeURIComponent(password) } : undefined
  const ca = caFile === undefined ? {} : { ca: readFileSync(caFile, "utf8") }
  return { url: origin, prefix, ...ca, ...(credentials ? { credentials } : {}) }
}

/** A model whose vectors one byte for each dimension holds without loss, as memory holds them on one machine. */
export const rounded = (embedder: Embedder): Embedder => ({
  ...embedder,
  embed: async (...given) => (await embedder.embed(...given)).map(round),
  close: () => embedder.close(),
})

function round(vector: Float32Array): Float32Array {
  const codes = new Uint8Array(vector.length)
  const scale = quantize(vector, codes)
  return Float32Array.from(new Int8Array(codes.buffer), code => code * scale)
}
