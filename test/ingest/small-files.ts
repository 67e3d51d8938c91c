/** The quick lane over the real stores and queue, with a reader that makes a passage of each line. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { IndexFileDependencies } from "../../src/ingest/index-file.ts"
import type { QuickOutcome } from "../../src/ingest/process/protocol.ts"
import { INDEX_FILE, indexingLanes, indexJob } from "../../src/ingest/task.ts"
import { JobQueue } from "../../src/jobs/queue.ts"
import { JobWorker } from "../../src/jobs/worker.ts"
import type { SearchIndexOptions } from "../../src/search/index.ts"
import { DiskBlobs } from "../../src/storage/blobs/disk.ts"
import { inMemory, lines, TestLibrary, wordEmbedder } from "../search/library.ts"
import { until } from "../support/until.ts"

export class SmallFiles {
  readonly queue: JobQueue
  readonly blobs: DiskBlobs
  /** Files that the ordinary lane did, in order. */
  readonly alone: string[] = []
  private readonly worker: JobWorker

  private constructor(
    readonly library: TestLibrary,
    reached: (point: string) => void,
    replace: Partial<IndexFileDependencies>,
  ) {
    this.queue = new JobQueue(library.db)
    this.blobs = new DiskBlobs(library.directory)
    const dependencies: IndexFileDependencies = {
      database: library.db,
      blobs: this.blobs,
      queue: this.queue,
      reader: {
        read: async ({ path, name }) => {
          this.alone.push(name)
          const text = await Bun.file(path).text()
          const textPath = `${this.blobs.temporaryDirectory}/${name}.${this.alone.length}`
          await Bun.write(textPath, text)
          return { ...outlineOf(text), textPath, layoutPath: undefined, close: async () => {} }
        },
      },
      quickReader: {
        readAll: files =>
          Promise.all(files.map(async ({ path }): Promise<QuickOutcome> => readQuickly(await Bun.file(path).text()))),
      },
      index: library.index,
      isStoresFault: async () => false,
      announce: () => {},
      reached,
      ...replace,
    }
    const { isStoresFault } = dependencies
    this.worker = new JobWorker(this.queue, { task: INDEX_FILE, lanes: indexingLanes(1, dependencies), isStoresFault })
  }

  static async open(
    options: Pick<Partial<SearchIndexOptions>, "reached" | "store"> & { directory?: string } = {},
    replace: (library: TestLibrary) => Partial<IndexFileDependencies> = () => ({}),
  ): Promise<SmallFiles> {
    const { reached = () => {} } = options
    const library = await TestLibrary.open({ embedder: wordEmbedder(), ...options })
    const files = new SmallFiles(library, reached, replace(library))
    await files.queue.reclaim()
    return files
  }

  /** Bytes, rows and jobs of files, new or with a new version, as an upload commits them. */
  async put(texts: Record<string, string>): Promise<void> {
    const ids = Object.keys(texts)
    for (const id of ids) {
      const size = Buffer.byteLength(texts[id]!)
      const generation = await this.library.register(id, { type: "txt", status: "queued", size })
      const blob = `${id}_${generation}`
      await this.library.db.updateTable("files").set({ blob }).where("id", "=", id).execute()
      mkdirSync(dirname(this.blobs.path(blob)), { recursive: true })
      writeFileSync(this.blobs.path(blob), texts[id]!)
    }
    const rows = await this.library.db.selectFrom("files").selectAll().where("id", "in", ids).execute()
    await this.queue.enqueue(this.library.db, rows.map(indexJob))
    this.queue.announce()
  }

  start(): void {
    this.worker.start()
  }

  /** Waits until no job is left. */
  async settled(): Promise<void> {
    await until(async () => (await this.queue.depth(INDEX_FILE)).count === 0)
  }

  status = async (id: string): Promise<string | undefined> =>
    (await this.library.db.selectFrom("files").select("status").where("id", "=", id).executeTakeFirst())?.status

  /** Texts of passages that hold the word. */
  find = (word: string): Promise<string[]> => this.library.texts(word, { mode: "keyword", limit: 100 })

  async close(): Promise<void> {
    await this.worker.stop()
    await this.library.close()
  }
}

const outlineOf = (text: string) => ({
  pageCount: null,
  ocrPageCount: 0,
  warnings: [],
  characterCount: text.length,
  chunks: inMemory(text, lines(text)),
})

/** Some texts say how the reading of them ends. */
function readQuickly(text: string): QuickOutcome {
  if (text.includes("BROKEN")) return new Error("this reader fails")
  return text.includes("SLOW") ? "not quick" : { ...outlineOf(text), text }
}
