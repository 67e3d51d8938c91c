/**
 * What the search worker does, task by task. Every task but indexing and erasing is synchronous and short; these give
 * way to others every few milliseconds.
 */
import { join } from "node:path"
import { NO_IDS, subtract } from "../ids/id-ranges.ts"
import { Checkpoints } from "../keyword/checkpoints.ts"
import { KeywordIndex } from "../keyword/keyword-index.ts"
import { KeywordStore } from "../keyword/keyword-store.ts"
import { Upkeep } from "../keyword/upkeep.ts"
import { StoredTexts } from "../text/stored-texts.ts"
import { VectorSets } from "../vector/vector-sets.ts"
import { QueryAnswerer } from "./query-answerer.ts"
import type { TaskName, WorkerRequest, WorkerTasks } from "./worker-messages.ts"

type Answer<Name extends TaskName> = WorkerTasks[Name]["answer"]
type Tasks = {
  [Name in Exclude<TaskName, "open">]: (ask: WorkerTasks[Name]["ask"]) => Answer<Name> | Promise<Answer<Name>>
}

export class SearchCore {
  private tasks: Tasks | undefined

  /** @returns the answer, or a promise of it where the task takes several turns */
  run(request: WorkerRequest): unknown {
    if (request.task === "open") {
      this.tasks = openTasks(request.ask.dataDirectory)
      return
    }
    if (!this.tasks) throw new Error("search is not open")
    const task = this.tasks[request.task] as (ask: typeof request.ask) => unknown
    return task(request.ask)
  }
}

/** The tasks over the stores of one data directory. */
function openTasks(dataDirectory: string): Tasks {
  const path = join(dataDirectory, "keyword.db")
  const keyword = new KeywordIndex(new KeywordStore(path))
  const texts = new StoredTexts(dataDirectory)
  const vectors = new VectorSets(dataDirectory)
  const upkeep = new Upkeep(keyword, new Checkpoints(path), texts)
  const queries = new QueryAnswerer(keyword, vectors, texts)
  upkeep.mergeLater()
  return {
    async index({ firstId, texts, documents }) {
      await upkeep.paced(pace => keyword.add(firstId, texts, documents, pace))
      upkeep.mergeLater()
    },
    beginVectors({ table, dimensions }) {
      vectors.begin(table, dimensions)
    },
    addVectors({ table, ids, vectors: values }) {
      vectors.add(table, ids, values)
    },
    swapVectors({ table }) {
      vectors.swap(table)
    },
    remove({ ranges }) {
      keyword.remove(ranges)
      vectors.remove(ranges)
      upkeep.noteRemoved()
    },
    async erase({ extent }) {
      await upkeep.erase(extent)
    },
    search: ask => queries.search(ask),
    stats: () => ({
      segments: keyword.segments.length,
      passages: keyword.table.rows.end,
      vectors: vectors.serving?.count ?? 0,
      vectorTable: vectors.serving?.table ?? null,
      vectorBytes: vectors.serving?.bytes ?? 0,
      keywordBytes: keyword.store.sizeBytes(),
      merges: upkeep.merges,
      merging: upkeep.isMerging,
      longestSliceMs: upkeep.longestSliceMs,
    }),
    holdings: () => ({
      keyword: subtract(keyword.held(), keyword.removedRanges()),
      vector: vectors.serving?.held() ?? NO_IDS,
    }),
    async close() {
      await upkeep.close()
      texts.close()
      vectors.close()
      keyword.store.close()
    },
  }
}
