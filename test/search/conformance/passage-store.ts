/** What every store of passages has to do, whatever holds them: see `PassageStore`. */

import { afterAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wholeOf } from "../../../src/access/view.ts"
import type { SearchMode } from "../../../src/search/types.ts"
import { rejection } from "../../support/rejection.ts"
import { until } from "../../support/until.ts"
import { inMemory, type LibraryOptions, lines, type TestLibrary, wordEmbedder } from "../library.ts"

/** Opens a library over the store, with nothing in it but for a `directory` that was opened before. */
export type OpenLibrary = (options?: LibraryOptions) => Promise<TestLibrary>

const MODES = ["keyword", "semantic", "hybrid"] as const
const POINTS = ["reserved", "chunks written", "words indexed", "embedded", "vectors written", "staged"]
const TIMEOUT_MS = 60_000

const stage = (library: TestLibrary, id: string, generation: number, text: string): Promise<void> =>
  library.index.stage(
    { id, workspaceId: "ws_a" },
    generation,
    inMemory(text, lines(text)),
    () => {},
    AbortSignal.timeout(TIMEOUT_MS),
  )

/** Every passage that a search shows. */
async function shown(library: TestLibrary): Promise<string[]> {
  const found = new Set<string>()
  for (const mode of MODES)
    for (const text of await library.texts("heron otter kingfisher badger", { mode, limit: 100 })) found.add(text)
  return [...found].sort()
}

const directories: string[] = []
const newDirectory = (): string => directories[directories.push(mkdtempSync(join(tmpdir(), "store-test-"))) - 1]!

export function conformance(name: string, open: OpenLibrary): void {
  const kept = (title: string, body: (library: TestLibrary) => Promise<void>, options?: LibraryOptions) =>
    test(
      title,
      async () => {
        const library = await open(options)
        try {
          await body(library)
        } finally {
          await library.close()
        }
      },
      TIMEOUT_MS,
    )

  afterAll(() => {
    for (const path of directories) rmSync(path, { recursive: true, force: true })
  })

  describe(name, () => {
    kept(
      "shows a generation from its publication on and not before, and no more once its file is gone",
      async library => {
        await library.put("file_a", "The heron wades.")
        const generation = await library.register("file_b")
        await stage(library, "file_b", generation, "The otter swims.\nThe otter sleeps.")
        expect(await shown(library)).toEqual(["The heron wades."])
        await library.publish("file_b", generation)
        expect(await shown(library)).toEqual(["The heron wades.", "The otter sleeps.", "The otter swims."])
        await library.remove("file_b")
        expect(await shown(library)).toEqual(["The heron wades."])
        await library.index.sweep()
        expect(await shown(library)).toEqual(["The heron wades."])
        expect(await library.index.check()).toEqual({ problems: [] })
        expect((await library.index.stats()).passages).toBe(1)
      },
    )

    kept("replaces what a file held, and shows either version whole", async library => {
      await library.put("file_a", "The heron wades.\nThe heron sleeps.")
      const generation = await library.register("file_a")
      await stage(library, "file_a", generation, "The otter swims.")
      expect(await shown(library)).toEqual(["The heron sleeps.", "The heron wades."])
      await library.publish("file_a", generation)
      expect(await shown(library)).toEqual(["The otter swims."])
      await library.index.sweep()
      expect(await library.index.check()).toEqual({ problems: [] })
    })

    kept("stages several small files as one, each under its own name", async library => {
      const texts = ["The heron wades.", "The otter swims.\nThe otter sleeps.", "The kingfisher dives."]
      const files = await Promise.all(
        texts.map(async (text, i) => {
          const id = `file_${i}`
          const generation = await library.register(id, { workspace_id: i === 2 ? "ws_b" : "ws_a" })
          return { fileId: id, workspaceId: i === 2 ? "ws_b" : "ws_a", generation, chunks: inMemory(text, lines(text)) }
        }),
      )
      const staged = await library.index.stageTogether(files, () => {}, AbortSignal.timeout(TIMEOUT_MS))
      expect(staged.map(({ fileId }) => fileId)).toEqual(["file_0", "file_1", "file_2"])
      for (const { fileId, generation } of staged) await library.publish(fileId, generation)
      expect(await shown(library)).toEqual(["The heron wades.", "The otter sleeps.", "The otter swims."])
      const others = await library.texts("kingfisher", { mode: "keyword", view: wholeOf("ws_b") })
      expect(others).toEqual(["The kingfisher dives."])
      expect(await library.index.check()).toEqual({ problems: [] })
    })

    for (const point of POINTS)
      test(
        `a write that fails at "${point}" shows nothing, is swept, and can be done again`,
        async () => {
          let failing = true
          const library = await open({
            reached: reached => {
              if (failing && reached === point) throw new Error("the power fails")
            },
          })
          try {
            const generation = await library.register("file_a")
            const text = "The heron wades.\nThe heron sleeps."
            expect(await rejection(stage(library, "file_a", generation, text))).toMatchObject({
              message: "the power fails",
            })
            expect(await shown(library)).toEqual([])
            await library.index.sweep()
            expect(await library.index.check()).toEqual({ problems: [] })
            await until(async () => (await library.index.stats()).passages === 0)
            failing = false
            await stage(library, "file_a", generation, text)
            await library.publish("file_a", generation)
            expect(await shown(library)).toEqual(["The heron sleeps.", "The heron wades."])
          } finally {
            await library.close()
          }
        },
        TIMEOUT_MS,
      )

    test(
      "a write that was overtaken is not published, and nothing of it is left",
      async () => {
        const entered = Promise.withResolvers<void>()
        const goOn = Promise.withResolvers<void>()
        const embedder = wordEmbedder()
        const { embed } = embedder
        embedder.embed = async (texts, ...rest) => {
          if (texts.some(text => text.includes("overtaken"))) {
            entered.resolve()
            await goOn.promise
          }
          return embed.call(embedder, texts, ...rest)
        }
        const library = await open({ embedder })
        try {
          const first = await library.register("file_a")
          const overtaken = stage(library, "file_a", first, "The heron is overtaken.").catch(error => String(error))
          await entered.promise
          await library.put("file_a", "The otter swims.")
          await library.index.sweep() // what is still being written is left alone
          goOn.resolve()
          expect(await overtaken).toContain("overtaken")
          await library.index.sweep()
          expect(await shown(library)).toEqual(["The otter swims."])
          expect(await library.index.check()).toEqual({ problems: [] })
          await until(async () => (await library.index.stats()).passages === 1)
        } finally {
          goOn.resolve()
          await library.close()
        }
      },
      TIMEOUT_MS,
    )

    kept("what the database knows nothing of is told and removed", async library => {
      await library.put("file_a", "The heron wades.")
      await library.put("file_b", "The otter swims.\nThe otter sleeps.")
      await library.db.deleteFrom("generations").where("file_id", "=", "file_b").execute()
      expect((await library.index.check()).problems).toEqual([
        "2 passages in the keyword index belong to no file",
        "2 vectors belong to no file",
      ])
      expect(await library.index.repair()).toEqual({ removed: 2, added: 0 })
      expect((await library.index.check()).problems).toEqual([])
      expect(await shown(library)).toEqual(["The heron wades."])
    })

    test(
      "what a caller does not see is in no hit, count, score or correction: the answer is that of a library without it",
      async () => {
        const [whole, part] = [await open(), await open()]
        try {
          for (const library of [whole, part]) {
            await library.put("file_a", "The heron wades.\nThe otter swims.", { context_id: "a" })
            await library.put("file_b", "A heron sleeps among herons.", { context_id: "a", acl: '["user:1"]' })
          }
          await whole.put("file_c", "The heron and the kingfisher: heron, heron.\nOtters swim.", { context_id: "c" })
          await whole.put("file_d", "The badger digs, the heron wades.", { context_id: "a", acl: '["user:2"]' })
          await whole.register("file_e", { context_id: "c" })
          const view = { ...wholeOf("ws_a"), contexts: ["a"], principals: ["user:1"] }
          // How many vectors there are is counted now and then.
          const isCounted = async (library: TestLibrary, more: object) => {
            const { vectors } = (await library.search("heron", more)).index
            return vectors.done === vectors.total
          }
          await until(async () => (await isCounted(whole, { view })) && (await isCounted(part, {})), { everyMs: 100 })
          for (const mode of MODES)
            for (const query of ["heron", "otter heron", "badgr", "kingfishr", "a heron that wades"]) {
              const of = async (library: TestLibrary, more: object) => {
                const asked = { mode, limit: 100, explain: true, ...more }
                const { took_ms, ...answer } = await library.search(query, asked)
                return answer
              }
              expect(await of(whole, { view })).toEqual(await of(part, {}))
            }
        } finally {
          await whole.close()
          await part.close()
        }
      },
      TIMEOUT_MS,
    )

    kept("many passages of one file are written in batches, and all are found", async library => {
      const text = Array.from({ length: 2_500 }, (_, i) => `The heron wades in pond number${i}.`).join("\n")
      await library.put("file_a", text)
      expect(await library.texts("number2499", { mode: "keyword" })).toContain("The heron wades in pond number2499.")
      expect((await library.search("heron", { mode: "keyword" })).total).toBe(2_500)
      await library.remove("file_a")
      await library.index.sweep()
      await until(async () => (await library.index.stats()).passages === 0)
    })

    kept(
      "a word that no passage holds is looked up at one letter's distance, and the answer says so",
      async library => {
        await library.put("file_a", "The heron wades.\nThe otter swims.\nThe badger digs.\nThe herons sleep.")
        for (const [query, word, tried] of [
          ["ottter", "ottter", "otter"], // inserted
          ["oter", "oter", "otter"], // missing
          ["ottir", "ottir", "otter"], // changed
          ["otetr", "otetr", "otter"], // swapped
        ] as const) {
          const { corrections, hits } = await library.search(query, { mode: "keyword", explain: true })
          expect(corrections).toEqual([{ word, tried: [tried] }])
          expect(hits.map(({ text }) => text)).toEqual(["The otter swims."])
          expect(hits[0]!.highlights).toEqual([{ start: 4, end: 9 }])
          expect(hits[0]!.scores!.corrected).toEqual(["otter"])
        }
        for (const mode of MODES) {
          const { corrections, hits } = await library.search("the badgr digs", { mode })
          expect(corrections).toEqual([{ word: "badgr", tried: ["badger"] }])
          expect(hits[0]!.text).toBe("The badger digs.")
        }
      },
    )

    kept("a function word is not taken for a misspelt one, and what only looks like one is found", async library => {
      await library.put(
        "file_a",
        "A form was found.\nThe shell script failed.\nHe is seriously ill.\nThe garden shed burnt.",
      )
      for (const query of ["from", "+from", '"from"', "those"])
        expect((await library.search(query, { mode: "keyword" })).corrections).toEqual([])
      for (const [query, text] of [
        ["shell", "The shell script failed."],
        ["ill", "He is seriously ill."],
        ["shed", "The garden shed burnt."],
      ] as const)
        expect(await library.texts(query, { mode: "keyword" })).toEqual([text])
    })

    kept("words of another script are found where they touch one without spaces", async library => {
      await library.put("file_zh", "黑豹队在2015年赢得NFL冠军。")
      for (const query of ["NFL", '"nfl"', "+2015", "冠军"])
        expect(await library.texts(query, { mode: "keyword" })).toEqual(["黑豹队在2015年赢得NFL冠军。"])
      expect(await library.texts("NFL -冠军", { mode: "keyword" })).toEqual([])
    })

    kept("languages whose names differ in signs alone are told apart", async library => {
      const [plain, plus, sharp, music] = [
        "The library is written in C.",
        "The C++17 compiler warns.",
        "Bindings for C# and F#, not for C++.",
        "The scale of C minor; # a heading, i++ and 1+1.",
      ]
      await library.put("file_a", [plain, plus, sharp, music].join("\n"))
      const found = async (query: string) => (await library.texts(query, { mode: "keyword" })).sort()
      expect(await found("c++")).toEqual([sharp, plus])
      expect(await found("C#")).toEqual([sharp])
      expect(await found("C")).toEqual([plain, music])
      expect(await found('"C++17 compiler"')).toEqual([plus])
      expect(await found("bindings -C++")).toEqual([])
      const { hits } = await library.search("C# C++", { mode: "keyword" })
      const marked = hits.flatMap(({ text, highlights }) => highlights.map(({ start, end }) => text.slice(start, end)))
      expect(marked.sort()).toEqual(["C#", "C++", "C++"])
    })

    kept("a corrected word counts for less than one that stands as it was asked", async library => {
      await library.put("file_a", "A harbor.\nA ferry.\nA badger.\nA heron.")
      const { hits, corrections } = await library.search("harbor feryr", { mode: "keyword" })
      expect(corrections).toEqual([{ word: "feryr", tried: ["ferry"] }])
      expect(hits.map(({ text }) => text)).toEqual(["A harbor.", "A ferry."])
      expect(hits[0]!.score).toBeGreaterThan(hits[1]!.score)
    })

    kept(
      "nothing is corrected that was found, is asked to stand as written, or is no word to be misspelt",
      async library => {
        await library.put("file_a", "The heron wades in pond row54321.\nThe otter swims, 水泵.")
        await library.put("file_b", "The kingfisher dives.", { workspace_id: "ws_b" })
        for (const query of [
          "heron",
          "+oter",
          '"oter swims"',
          "heron -oter",
          "oteer54",
          "row54322",
          "水篙",
          "kingfishr",
          "otr",
          "thier",
        ]) {
          const { corrections } = await library.search(query, { mode: "keyword" })
          expect([query, corrections]).toEqual([query, []])
        }
        const exact = await library.search("oter", { mode: "keyword", exact: true })
        expect([exact.corrections, exact.hits]).toEqual([[], []])
        const unknown = await library.texts("heronn oterr ponnd swimms divves", { mode: "keyword" })
        expect(unknown).toEqual([])
      },
    )

    kept("hits of a file come together: files by their best passages, some of each, pages of files", async library => {
      const pond = (name: string, count: number) =>
        Array.from({ length: count }, (_, i) => `The heron of ${name} wades in pond number${i}.`).join("\n")
      await library.put("file_a", `${pond("Avon", 12)}\nHeron, heron, heron.`)
      await library.put("file_b", pond("Boyne", 2))
      await library.put("file_c", "The heron sleeps.")
      await library.put("file_d", "The otter swims.")
      for (const mode of ["keyword", "hybrid"] as const) {
        const asked = { mode, group_by: "file", group_size: 2 } as const
        const all = await library.search("heron", asked)
        expect(all.total).toBe(all.groups!.length)
        const plain = (await library.search("heron", { mode, limit: 100 })).hits
        const files = [...new Set(plain.map(({ file }) => file.id))]
        const best = files.map(id => plain.filter(({ file }) => file.id === id).slice(0, 2))
        expect(all.hits).toEqual(best.flat())
        expect(all.groups!.map(({ file_id, score, hits }) => [file_id, score, hits])).toEqual(
          best.map(hits => [hits[0]!.file.id, hits[0]!.score, hits.length]),
        )
        expect(best.map(({ length }) => length).toSorted()).toEqual(mode === "keyword" ? [1, 2, 2] : [1, 1, 2, 2])
        const second = await library.search("heron", { ...asked, limit: 1, offset: 1 })
        expect([second.groups, second.total]).toEqual([[all.groups![1]!], all.total])
        expect((await library.search("heron", { ...asked, offset: 9 })).hits).toEqual([])
      }
      expect((await library.search("heron")).groups).toBeUndefined()
    })

    kept("files are found behind a long one that holds most of the best passages", async library => {
      await library.put("file_a", Array.from({ length: 1_500 }, () => "Heron.").join("\n"))
      await library.put("file_b", "A heron wades in the shallow water of the river.")
      const { groups, total } = await library.search("heron", { mode: "keyword", group_by: "file", limit: 2 })
      expect(groups!.map(({ file_id, hits }) => [file_id, hits])).toEqual([
        ["file_a", 3],
        ["file_b", 1],
      ])
      expect(total).toBe(2)
    })

    kept("what was removed is erased", async library => {
      await library.put("file_a", "The heron wades.\nThe heron sleeps.")
      await library.put("file_b", "The otter swims.")
      await library.remove("file_a")
      await library.index.erase()
      expect(await shown(library)).toEqual(["The otter swims."])
      expect((await library.index.stats()).passages).toBe(1)
    })

    test(
      "a search says how many passages have vectors, and where more of them would change its answer",
      async () => {
        const embedder = wordEmbedder()
        const library = await open({ embedder })
        try {
          await library.put("file_a", "The heron wades.\nThe otter swims.")
          const told = async (mode: SearchMode) => {
            const { degraded, index } = await library.search("heron", { mode })
            return [degraded, index.vectors]
          }
          const tier = "fast"
          for (const mode of MODES.toReversed()) expect(await told(mode)).toEqual([null, { done: 2, total: 2, tier }])
          embedder.failingOn = "badger" // for as long as is looked: what lacks vectors gets them in the background
          await library.put("file_b", "The badger digs.")
          expect(await told("keyword")).toEqual([null, { done: 2, total: 3, tier }])
          expect(await told("hybrid")).toEqual(["vectors_pending", { done: 2, total: 3, tier }])
          expect(await told("semantic")).toEqual(["vectors_pending", { done: 2, total: 3, tier }])
          const elsewhere = await library.search("heron", { view: wholeOf("ws_b") })
          expect([elsewhere.degraded, elsewhere.index.vectors]).toEqual([null, { done: 0, total: 0, tier }])
        } finally {
          await library.close()
        }
      },
      TIMEOUT_MS,
    )

    test(
      "quality vectors follow the fast ones, and the answer says how far they are",
      async () => {
        const [fast, quality] = [wordEmbedder("test/fast", 64), wordEmbedder("test/quality", 32)]
        quality.failing = true
        const directory = newDirectory()
        const first = await open({ directory, embedder: fast, quality })
        await first.put("file_a", "The heron wades.\nThe otter swims.")
        const pending = await first.search("the otter swims", { mode: "semantic" })
        expect(pending.hits[0]!.text).toBe("The otter swims.")
        expect([pending.degraded, pending.index.vectors]).toEqual([null, { done: 0, total: 2, tier: "quality" }])
        await first.close()
        quality.failing = false
        const library = await open({ directory, embedder: fast, quality })
        try {
          await library.whole()
          await library.put("file_b", "The badger digs.")
          await until(async () => (await library.search("otter")).index.vectors.done === 3)
          for (const mode of MODES) {
            const { degraded, index, hits } = await library.search("the otter swims", { mode })
            expect([degraded, index.vectors]).toEqual([null, { done: 3, total: 3, tier: "quality" }])
            expect([index.embedding_model, hits[0]!.text]).toEqual(["test/quality", "The otter swims."])
          }
          await library.remove("file_a")
          await library.index.sweep()
          expect(await library.index.check()).toEqual({ problems: [] })
          const { vectors } = await library.index.stats()
          expect([vectors.fast?.count, vectors.quality?.count]).toEqual([1, 1])
        } finally {
          await library.close()
        }
      },
      TIMEOUT_MS,
    )

    test(
      "what was written while the model failed gets its vectors when it works",
      async () => {
        const directory = newDirectory()
        const embedder = wordEmbedder()
        embedder.failing = true
        const first = await open({ directory, embedder })
        await first.put("file_a", "The heron wades.\nThe otter swims.")
        expect(await first.texts("heron", { mode: "keyword" })).toEqual(["The heron wades."])
        expect((await first.index.check()).problems).toEqual(["2 passages have no vector"])
        await first.close()
        const second = await open({ directory })
        try {
          await second.whole()
          expect((await second.texts("the heron wades", { mode: "semantic" }))[0]).toBe("The heron wades.")
        } finally {
          await second.close()
        }
      },
      TIMEOUT_MS,
    )

    test(
      "a change of the model is served by the former one until all is done, and by the new one from then on",
      async () => {
        const former = wordEmbedder("test/former", 64)
        const next = wordEmbedder("test/next", 32)
        const library = await open({ embedder: former })
        try {
          await library.put("file_a", "The heron wades.\nThe otter swims.")
          let meanwhile: unknown
          const { embed } = next
          next.embed = async (texts, kind, ...rest) => {
            if (kind === "passage" && meanwhile === undefined) {
              const { degraded, index } = await library.search("heron", { mode: "semantic" })
              meanwhile = { degraded, model: index.embedding_model }
              await library.put("file_b", "The badger digs.")
            }
            return embed.call(next, texts, kind, ...rest)
          }
          await library.index.reindexVectors("fast", next)
          expect(meanwhile).toEqual({ degraded: null, model: "test/former" })
          const { index, hits } = await library.search("the otter swims", { mode: "semantic" })
          expect(index.embedding_model).toBe("test/next")
          expect(hits[0]!.text).toBe("The otter swims.")
          expect((await library.texts("the badger digs", { mode: "semantic" }))[0]).toBe("The badger digs.")
          const tables = () => library.db.selectFrom("vector_tables").select(["model", "state"]).execute()
          await until(async () => (await tables()).length === 1)
          expect(await tables()).toEqual([{ model: "test/next", state: "live" }])
          expect(await library.index.check()).toEqual({ problems: [] })
        } finally {
          await library.close()
        }
      },
      TIMEOUT_MS,
    )

    test(
      "what was written is there after a restart, ids beyond 2³¹ included",
      async () => {
        const directory = newDirectory()
        const first = await open({ directory })
        await first.db
          .updateTable("chunk_numbers")
          .set({ next: 2 ** 31 - 1 })
          .execute()
        await first.put("file_a", "The heron wades.\nThe otter swims.\nThe badger digs.")
        await first.close()
        const second = await open({ directory })
        try {
          await second.whole()
          expect(await shown(second)).toEqual(["The badger digs.", "The heron wades.", "The otter swims."])
          await second.remove("file_a")
          await second.index.sweep()
          expect(await second.index.check()).toEqual({ problems: [] })
          await until(async () => (await second.index.stats()).passages === 0)
        } finally {
          await second.close()
        }
      },
      TIMEOUT_MS,
    )
  })
}
