/** What a turn asks of the library: files that are still being indexed are waited for, and what fails there is told. */

import { expect, test } from "bun:test"
import { wholeOf } from "../../src/access/view.ts"
import type { ChatDependencies, ChatFile, ChatFiles } from "../../src/chat/dependencies.ts"
import { retrieve } from "../../src/chat/retrieval.ts"
import { Guard } from "../../src/grounding/guard.ts"
import { FileChanges } from "../../src/library/changes.ts"
import { LocalWakes } from "../../src/nodes/wakes.ts"
import { Redactor } from "../../src/redaction/redact.ts"
import { FOR_A_REPLY } from "../../src/search/rerank/budgets.ts"
import type { SearchRequest, SearchResult, SearchService } from "../../src/search/types.ts"

const guard = new Guard(new Redactor({ entityModel: undefined }), null)
const never = new AbortController().signal

/** Files of one workspace; counts how often they are looked at. */
function fakeFiles(count: number, status: string) {
  const changes = new FileChanges(new LocalWakes())
  const records = new Map<string, ChatFile>()
  for (let i = 0; i < count; i++)
    records.set(`file_${i}`, {
      id: `file_${i}`,
      name: `${i}.txt`,
      mime_type: "text/plain",
      size: 1,
      sha256: "",
      status,
    })
  const looks: number[] = []
  const files: ChatFiles = {
    async existing(_, ids) {
      looks.push(ids.length)
      return ids.flatMap(id => records.get(id) ?? [])
    },
    idsOfContext: async () => [],
    hasContext: async () => false,
    content: () => Promise.reject(new Error("no picture is asked for")),
    listen(ids, listener) {
      const ends = ids.map(id => changes.listen(id, listener))
      return () => {
        for (const end of ends) end()
      }
    },
  }
  const finish = (id: string) => {
    records.get(id)!.status = "searchable"
    changes.announce(id)
  }
  return { files, records, looks, finish, changes }
}

const NO_HITS = {
  query: "",
  mode: "hybrid",
  took_ms: 0,
  total: 0,
  degraded: null,
  index: { searchable_files: 0, pending_files: 0, embedding_model: "" },
  hits: [],
} as const

const turn = (fileIds: string[]) => ({
  view: wholeOf("ws_1"),
  query: "boats",
  scope: { fileIds, contextId: null, filter: null },
  guard,
})
const using = (files: ChatFiles, fileWaitMs: number) =>
  ({ files, fileWaitMs, search: { search: async () => ({ ...NO_HITS, hits: [] }) } }) as unknown as ChatDependencies

test("a thousand files that are being indexed are looked at when one changes, all at once, and only those left", async () => {
  const { files, looks, finish } = fakeFiles(1_000, "indexing")
  const ids = Array.from({ length: 1_000 }, (_, i) => `file_${i}`)
  const told: string[] = []
  const waiting = (async () => {
    for await (const event of retrieve(using(files, 60_000), turn(ids), never))
      if (event.event === "status" && typeof event.data.detail === "string") told.push(event.data.detail)
  })()
  await Bun.sleep(1_500)
  expect(looks).toEqual([1_000]) // nothing changed, nobody asked again
  for (const id of ids.slice(2)) finish(id)
  await Bun.sleep(500)
  expect(looks).toEqual([1_000, 1_000])
  for (const id of ids.slice(0, 2)) finish(id)
  await waiting
  expect(looks).toEqual([1_000, 1_000, 2])
  expect(told).toEqual([
    "waiting until 0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 995 more can be searched",
    "waiting until 0.txt, 1.txt can be searched",
  ])
})

test("a file that is not indexed in time is said, and one that is deleted meanwhile is not waited for", async () => {
  const { files, records, changes } = fakeFiles(2, "queued")
  const told: unknown[] = []
  const waiting = (async () => {
    for await (const { data } of retrieve(using(files, 600), turn(["file_0", "file_1"]), never)) told.push(data)
  })()
  await Bun.sleep(100)
  records.delete("file_0")
  changes.announce("file_0")
  await waiting
  expect(told).toEqual([
    { phase: "retrieving", detail: "waiting until 0.txt, 1.txt can be searched" },
    { phase: "retrieving", detail: "waiting until 1.txt can be searched" },
    { phase: "retrieving", detail: "answering without 1.txt: not indexed yet" },
  ])
})

test("what a reply is given is reranked, in little time; that there was none is no warning", async () => {
  const { files } = fakeFiles(1, "searchable")
  const asked: SearchRequest[] = []
  const search: SearchService = {
    async search(request) {
      asked.push(request)
      return { ...NO_HITS, hits: [], degraded: "not_reranked", reranked: 0 } as unknown as SearchResult
    },
  }
  const dependencies = { ...using(files, 0), search } as ChatDependencies
  const events = await Array.fromAsync(retrieve(dependencies, turn(["file_0"]), never))
  expect(asked.map(({ rerank }) => rerank)).toEqual([FOR_A_REPLY])
  expect(events.filter(({ event }) => event === "warning")).toEqual([])
})

test("a turn that is stopped stops waiting for files", async () => {
  const { files } = fakeFiles(1, "queued")
  const stop = new AbortController()
  const waiting = Array.fromAsync(retrieve(using(files, 60_000), turn(["file_0"]), stop.signal))
  await Bun.sleep(50)
  stop.abort("cancelled")
  expect(await waiting.catch(reason => reason)).toBe("cancelled")
})

test("a library that fails is an error of the turn, not a library without files", async () => {
  const { files } = fakeFiles(1, "searchable")
  const broken: ChatFiles = {
    ...files,
    existing: async () => Promise.reject(new Error("database disk image is malformed")),
  }
  const failed = Array.fromAsync(retrieve(using(broken, 1_000), turn(["file_0"]), never))
  expect(String(await failed.catch(error => error))).toContain("malformed")
})
