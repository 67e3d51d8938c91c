/**
 * The thread in which both legs of search run, so that no query, merge or index build holds up the event loop. Every task
 * but indexing and erasing is synchronous and short; these give way to others every few milliseconds.
 */
import { join } from "node:path"
import { serveThread } from "../../threads/thread-side.ts"
import { subtract } from "../ids/id-ranges.ts"
import { Checkpoints } from "../keyword/checkpoints.ts"
import { KeywordIndex } from "../keyword/keyword-index.ts"
import { KeywordStore } from "../keyword/keyword-store.ts"
import { Upkeep } from "../keyword/upkeep.ts"
import { StoredTexts } from "../text/stored-texts.ts"
import { VectorSets } from "../vector/vector-sets.ts"
import { QueryAnswerer } from "./query-answerer.ts"
import type { WorkerTasks } from "./worker-messages.ts"

let keyword: KeywordIndex
let texts: StoredTexts
let vectors: VectorSets
let upkeep: Upkeep
let queries: QueryAnswerer

serveThread<WorkerTasks>({
  open({ dataDirectory, root }) {
    const path = join(dataDirectory, "keyword.db")
    const checkpoints = new Checkpoints(path)
    const hasLog = checkpoints.logBytes() > 0 // looked at before opening, which begins one
    keyword = new KeywordIndex(new KeywordStore(path))
    texts = new StoredTexts(dataDirectory, root)
    vectors = new VectorSets(dataDirectory)
    upkeep = new Upkeep(keyword, checkpoints, hasLog)
    queries = new QueryAnswerer(keyword, vectors, texts)
    upkeep.mergeLater()
  },
  async index({ firstId, texts: added, documents }) {
    await upkeep.paced(pace => keyword.add(firstId, added, documents, pace))
    upkeep.mergeLater()
  },
  beginVectors({ tier, table, dimensions }) {
    vectors.begin(tier, table, dimensions)
  },
  addVectors({ table, ids, vectors: added }) {
    vectors.add(table, ids, added)
  },
  swapVectors({ table }) {
    vectors.swap(table)
  },
  remove({ ranges }) {
    keyword.remove(ranges)
    vectors.remove(ranges)
    upkeep.noteRemoved()
  },
  erase: ({ extent }) => upkeep.erase(extent),
  search: ask => queries.search(ask),
  stats: () => ({
    segments: keyword.segments.length,
    passages: keyword.table.rows.end,
    vectors: Object.fromEntries(
      vectors.entries().map(([tier, { table, count, bytes }]) => [tier, { table, count, bytes }]),
    ),
    keywordBytes: keyword.store.sizeBytes(),
    merges: upkeep.merges,
    merging: upkeep.isMerging,
    longestSliceMs: upkeep.longestSliceMs,
  }),
  holdings: () => ({
    keyword: subtract(keyword.held(), keyword.removedRanges()),
    vectors: new Map(vectors.entries().map(([, set]) => [set.table, set.held()])),
  }),
  async close() {
    await upkeep.close()
    texts.close()
    vectors.close()
    keyword.store.close()
  },
})
