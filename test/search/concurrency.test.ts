import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inMemory, lines, TestLibrary, wordEmbedder } from "./library.ts"

test("while files are replaced and removed, each search shows one whole version of each, never an old one", async () => {
  const library = await TestLibrary.open()
  const published = new Map<string, number>()
  const removed = new Set<string>()
  let writing = true
  const write = async (id: string) => {
    for (let version = 1; version <= 6; version++) {
      await library.put(id, `marker ${id} version${version} first\nmarker ${id} version${version} second`)
      published.set(id, version)
    }
    if (id.endsWith("3")) {
      await library.remove(id)
      removed.add(id)
    }
    void library.index.sweep()
  }
  const read = async () => {
    let searches = 0
    while (writing) {
      await Bun.sleep(1) // an empty library answers without giving way
      const before = new Map(published)
      const gone = new Set(removed)
      const mode = (["keyword", "hybrid", "semantic"] as const)[searches++ % 3]!
      const { hits } = await library.search("marker version first second", { mode, limit: 100 })
      const seen = new Map<string, string[]>()
      for (const { text, file } of hits) {
        expect(text).toContain(file.id)
        expect(gone.has(file.id)).toBe(false)
        seen.set(file.id, [...(seen.get(file.id) ?? []), /version(\d+)/.exec(text)![1]!])
      }
      for (const [id, versions] of seen) {
        // Rows are read after ids are scored: a page may lose passages of a version replaced meanwhile, never mix two.
        expect(new Set(versions).size).toBe(1)
        expect(versions.length).toBeLessThanOrEqual(2)
        expect(Number(versions[0])).toBeGreaterThanOrEqual(before.get(id) ?? 0)
      }
    }
    return searches
  }
  try {
    const writers = Promise.all(["file_1", "file_2", "file_3", "file_4"].map(write)).finally(() => {
      writing = false
    })
    const [searches] = await Promise.all([read(), read(), writers])
    expect(searches).toBeGreaterThan(3)
    await library.index.sweep()
    expect(await library.index.check()).toEqual({ problems: [] })
    const { hits } = await library.search("marker", { mode: "keyword", limit: 100 })
    expect(hits.map(hit => hit.text).sort()).toEqual(
      ["file_1", "file_2", "file_4"].flatMap(id => [`marker ${id} version6 first`, `marker ${id} version6 second`]),
    )
  } finally {
    writing = false
    await library.close()
  }
}, 30_000)

test("queries are answered between the slices of indexing, and see nothing of it before it is published", async () => {
  const library = await TestLibrary.open()
  try {
    await library.put("file_old", "the heron wades")
    const words = Array.from({ length: 2000 }, (_, i) => `word${i}`)
    const passage = (i: number) =>
      `the heron ${Array.from({ length: 150 }, (_, j) => words[(i * 7 + j * 13) % 2000]).join(" ")}`
    const text = Array.from({ length: 4000 }, (_, i) => passage(i)).join("\n")
    const generation = await library.register("file_new")
    const file = { id: "file_new", workspaceId: "ws_a" }
    const { signal } = new AbortController()
    let indexing = true
    const staged = library.index
      .stage(file, generation, inMemory(text, lines(text)), () => {}, signal)
      .finally(() => {
        indexing = false
      })
    let answered = 0
    while (indexing) {
      const { hits } = await library.search("heron", { mode: "keyword" })
      expect(hits.map(hit => hit.file.id)).toEqual(["file_old"])
      answered++
    }
    await staged
    expect(answered).toBeGreaterThan(20)
    await library.publish("file_new", generation)
    expect((await library.search("heron", { mode: "keyword" })).total).toBe(4001)
  } finally {
    await library.close()
  }
}, 30_000)

test("what is removed while the stored vectors are on their way into memory is not there afterwards", async () => {
  const directory = mkdtempSync(join(tmpdir(), "search-loading-"))

  const first = await TestLibrary.open({ directory, embedder: wordEmbedder() })
  try {
    await first.put("file_stays", "the heron wades")
    await first.put("file_goes", Array.from({ length: 30_000 }, (_, i) => `the otter dives ${i}`).join("\n"))
  } finally {
    await first.close()
  }
  const library = await TestLibrary.open({ directory, embedder: wordEmbedder() })
  try {
    const loading = library.search("heron", { mode: "semantic" })
    await library.remove("file_goes")
    await library.index.sweep()
    await loading
    expect((await library.index.check()).problems).toEqual([])
  } finally {
    await library.close()
    rmSync(directory, { recursive: true, force: true })
  }
}, 60_000)
