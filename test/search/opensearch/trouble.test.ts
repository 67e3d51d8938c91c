/** An engine that gives a part of an answer, or none, is the trouble that it is, and never fewer hits. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wholeOf } from "../../../src/access/view.ts"
import { engineTrouble } from "../../../src/errors.ts"
import { OpenSearchClient } from "../../../src/search/opensearch/client.ts"
import { ClusterAnswerer } from "../../../src/search/opensearch/query-answerer.ts"
import { parseQuery } from "../../../src/search/text/query.ts"
import type { WorkerSearch } from "../../../src/search/thread/worker-messages.ts"
import type { Database } from "../../../src/storage/database.ts"
import { openSqlite } from "../../../src/storage/sqlite/open.ts"

const directory = mkdtempSync(join(tmpdir(), "cluster-trouble-"))
let db: Database
let answers: unknown[] = []
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json(answers.shift() ?? {}) })

beforeAll(async () => {
  db = await openSqlite(directory)
  const at = "2026-01-01T00:00:00.000Z"
  await db.insertInto("workspaces").values({ id: "w1", name: "w1", created_at: at }).execute()
  const names = { id: "f1", workspace_id: "w1", name: "f1", name_folded: "f1", type: "txt", mime_type: "text/plain" }
  const state = { status: "searchable", size: 1, sha256: "f1", blob: "f1", generation: 1, live_generation: 1 }
  await db
    .insertInto("files")
    .values({ ...names, ...state, created_at: at, updated_at: at } as never)
    .execute()
  const span = { file_id: "f1", generation: 1, first_chunk: 1, last_chunk: 3 }
  await db
    .insertInto("generations")
    .values({ ...span, state: "live" })
    .execute()
})
afterAll(async () => {
  await server.stop(true)
  await db.destroy()
  rmSync(directory, { recursive: true, force: true })
})

const ask: WorkerSearch = {
  view: wholeOf("w1"),
  query: parseQuery("ferry"),
  mode: "keyword",
  vectors: [],
  tables: {},
  depth: 100,
}
const hybrid: WorkerSearch = {
  ...ask,
  mode: "hybrid",
  vectors: [
    {
      tier: "fast",
      table: "vectors_one",
      values: new Float32Array([1, 0]),
      languages: null,
      usual: null,
      slope: 1,
      fastShare: 0,
    },
  ],
}
const search = (given: WorkerSearch, ...told: unknown[]) => {
  answers = told
  const client = new OpenSearchClient({ url: `http://127.0.0.1:${server.port}`, prefix: "t" })
  return new ClusterAnswerer({ db, client }).search(given)
}

const whole = { _shards: { failed: 0 }, timed_out: false, hits: { total: { value: 3 }, hits: [{ sort: [1.5, 2] }] } }
const counted = {
  ...whole,
  aggregations: {
    groups: { buckets: [{ doc_count: 1 }] },
    any: { buckets: [{ doc_count: 1 }] },
    n: { value: 30 },
    m: { value: 30 },
  },
}
const first = { responses: [counted, whole] }
const held = { ...whole, hits: { hits: [{ sort: [2, 10, 2] }] } }
const second = { responses: [held] }

test("a whole answer is one", async () => {
  const { keyword, matching } = await search(ask, first, second)
  expect([keyword.ids.length, matching]).toEqual([1, 1])
})

test("a search that the engine had no room for is asked again", async () => {
  const busy = { error: { type: "search_phase_execution_exception", reason: "too much memory" }, status: 429 }
  expect((await search(ask, { responses: [counted, busy] }, first, second)).matching).toBe(1)
})

test.each([
  ["a shard failed", { ...whole, _shards: { failed: 1 } }],
  ["a shard took too long", { ...whole, timed_out: true }],
  ["a search failed", { error: { type: "search_phase_execution_exception", reason: "no" }, status: 500 }],
  ["the words are gone", { error: { type: "index_not_found_exception", reason: "no such index" }, status: 404 }],
])("of the first request %s", async (_, part) => {
  for (const responses of [
    [part, whole],
    [counted, part],
  ]) {
    const error = await search(ask, { responses }).catch(reason => reason)
    expect(engineTrouble(error)).toBe("search")
  }
})

test.each([
  ["a shard failed", { ...held, _shards: { failed: 1 } }],
  ["a shard took too long", { ...held, timed_out: true }],
])("of the second request %s", async (_, part) => {
  expect(engineTrouble(await search(ask, first, { responses: [part] }).catch(reason => reason))).toBe("search")
})

test("vectors of a model that was replaced are asked for anew", async () => {
  const gone = { error: { type: "index_not_found_exception", reason: "no such index" }, status: 404 }
  expect((await search(hybrid, { responses: [counted, whole, gone] })).otherModel).toBe(true)
})
