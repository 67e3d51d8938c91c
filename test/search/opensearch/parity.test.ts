/** A search in a cluster finds what one on a single machine finds, and says the same of it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { BothModes, type Document, rounded } from "../../../scripts/bench/both-modes.ts"
import { seeded } from "../../../scripts/bench/random.ts"
import { parseQuery } from "../../../src/search/text/query.ts"
import type { WorkerSearch } from "../../../src/search/thread/worker-messages.ts"
import type { SearchFilters } from "../../../src/search/types.ts"
import { openSearch } from "../../support/engines.ts"
import { wordEmbedder } from "../library.ts"
import { differences } from "./alike.ts"

const engine = await openSearch()
const TIMEOUT_MS = 240_000

const SENTENCES: Record<string, string[]> = {
  en: [
    "The ferry to the northern islands leaves the harbor at nine every morning",
    "Every employee earns twenty five days of annual leave in a calendar year",
    "The irrigation pump in the greenhouse must be primed before it is started",
    "Invoice INV-20417 was paid twice and the supplier has returned the money",
    "Keep the row54321 of the stock table, and remove what stands beside it",
    "Lenses are ground from glass that was cooled for weeks in a closed oven",
    "The tenant gives ninety days of notice before the lease of the house ends",
    "A heron wades in the shallow water of the river and waits for small fish",
  ],
  de: [
    "Die Fähre zu den nördlichen Inseln verlässt den Hafen jeden Morgen um neun Uhr",
    "Der Mieter kündigt die Wohnung drei Monate im Voraus und gibt die Schlüssel zurück",
    "Die Pumpe im Gewächshaus muss gefüllt werden, bevor man sie am Montag einschaltet",
    "Die Rechnung wurde zweimal bezahlt, und der Lieferant hat das Geld zurückgegeben",
  ],
  zh: [
    "山中有一条小河，渔民每天早上九点出发",
    "租客在房屋租约结束前九十天通知房东",
    "水泵一直使用到2000年",
    "水泵在星期一启动之前必须加满水",
  ],
  th: ["เรือเฟอร์รี่ไปยังเกาะทางเหนือออกจากท่าเรือเวลาเก้าโมงเช้าทุกวัน", "ปั๊มน้ำในเรือนกระจกต้องเติมน้ำก่อนเริ่มทำงาน"],
  none: ["4711 20417 17-B", "row54321"],
}

/** Queries of every kind that is parsed differently. */
const QUERIES = [
  "when does the ferry leave",
  "annual leave of employees",
  "row54321",
  "INV-20417 paid twice",
  "the of and",
  "xqzzvk wrtpl",
  '"northern islands"',
  '"annual leave" -employee',
  "+pump the greenhouse before monday and what else",
  "ferry -harbor",
  'harbor -"northern islands"',
  '"of the"',
  "wann verlässt die Fähre den Hafen",
  "was muss der Mieter zurückgeben",
  "-Hafen Fähre Inseln",
  "水泵",
  "山",
  "年",
  "租 -水",
  "ปั๊มน้ำ",
  "a heron wades in the shallow water of the river and waits for small fish with row54321",
  "lens lenses glass glass glass",
  "ferrry timetable of the islandss",
  "der Metier kundigt die Wohung",
  // More words than the engine takes clauses: pairs of characters, none twice.
  `${Array.from({ length: 1950 }, (_, i) => String.fromCodePoint(0x4e00 + 7 * i)).join("")}山中`,
]

const random = seeded(4711)
const below = (limit: number) => Math.floor(random() * limit)
const one = <T>(of: readonly T[]): T => of[below(of.length)]!

function passage(language: string): string {
  return Array.from({ length: 1 + below(3) }, () => one(SENTENCES[random() < 0.9 ? language : "en"]!)).join(". ")
}

function documents(count: number, workspaceId: string): Document[] {
  return Array.from({ length: count }, (_, nth) => {
    const language = one(["en", "en", "de", "zh", "th", "none"])
    const passages = one([1, 1, 2, 3, 7, 12, 55])
    return {
      id: `${workspaceId}-${nth}`,
      workspaceId,
      passages: Array.from({ length: passages }, () => passage(language)),
      row: {
        type: one(["txt", "pdf"]),
        tags: JSON.stringify(one([[], ["red"], ["red", "blue"]])),
        context_id: one([null, "garden", "house"]),
        created_at: one(["2026-01-01T00:00:00.000Z", "2026-06-01T00:00:00.000Z"]),
        metadata: JSON.stringify(one([{}, { year: 2026 }, { year: 2026, final: true }])),
      },
    }
  })
}

const filters = (): SearchFilters | undefined =>
  one<SearchFilters | undefined>([
    undefined,
    { types: ["PDF"] },
    { tags: ["blue", "red"] },
    { context_id: "garden" },
    { created_after: "2026-03-01T00:00:00Z" },
    { created_before: "2026-03-01T00:00:00Z", types: ["txt"] },
    { metadata: { year: 2026 } },
    { file_ids: ["w1-1", "w1-2", "w1-5"] },
    { context_id: "nowhere" },
    { filter: { type: "exists", key: "metadata.year", value: false } },
    { filter: { type: "eq", key: "file.tags", value: "blue" }, types: ["pdf"] },
  ])

describe.skipIf(!engine).each([
  ["a model of any language", undefined],
  ["a model that knows English alone", ["en"]],
])("a cluster answers as one machine does, with %s", (_, languages) => {
  let both: BothModes

  beforeAll(async () => {
    const prefix = `${engine!.prefix}${languages ? "b" : "a"}`
    const embedder = { ...rounded(wordEmbedder()), ...(languages ? { languages } : {}) }
    both = await BothModes.open({ ...engine!, prefix }, embedder)
    for (const workspace of ["w1", "w2", "w3"]) await both.add(documents(14, workspace))
    await both.add(documents(14, "w1").slice(4, 7)) // replaced
    await both.remove("w1-9")
    await both.stage({ id: "w1-3", workspaceId: "w1", passages: ["The ferry leaves from another harbor"] })
    await both.stage({ id: "w2-new", workspaceId: "w2", passages: ["The ferry leaves from another harbor"] })
  }, TIMEOUT_MS)
  afterAll(() => both?.close(), TIMEOUT_MS)

  const compared = async (workspace: string, query: string, more: Partial<WorkerSearch> = {}) => {
    // Deeper than the library, so that no list ends among passages of equal scores.
    const ask = await both.ask(workspace, parseQuery(query), { depth: 500, ...more })
    return differences(both.embedded(ask), await both.cluster.search(ask))
  }

  test.each(QUERIES.map(query => [query.slice(0, 90), query]))(
    "%s",
    async (_name, query) => {
      for (const workspace of ["w1", "w2"]) {
        expect(await compared(workspace, query)).toEqual([])
        const narrow = filters()
        if (narrow && workspace === "w1") expect(await compared(workspace, query, { filters: narrow })).toEqual([])
      }
    },
    TIMEOUT_MS,
  )

  test(
    "a query without words that say anything, one without a vector, and a workspace without files",
    async () => {
      const ask = await both.ask("w1", parseQuery("ferry timetable"))
      const byWords = { ...ask, mode: "keyword" as const, vectors: [] }
      expect(differences(both.embedded(byWords), await both.cluster.search(byWords))).toEqual([])
      const unknown = { ...ask, vectors: [{ ...ask.vectors[0]!, values: new Float32Array(64) }] }
      expect(differences(both.embedded(unknown), await both.cluster.search(unknown))).toEqual([])
      expect(await compared("nobody", "ferry")).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    "a page far down the list, by words and by meaning",
    async () => {
      expect(await compared("w1", "ferry harbor pump lease Fähre 水泵", { depth: 20, reach: 120 })).toEqual([])
      expect(await compared("w2", "der Hafen und die Pumpe", { depth: 20, reach: 60 })).toEqual([])
      expect(await compared("w1", "ferry", { mode: "semantic", depth: 10 })).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    "words that stand in a passage a few times, often, and more often than is counted",
    async () => {
      const times = [1, 14, 15, 16, 62, 63, 64, 254, 255, 256, 300]
      // A word that follows itself counts once.
      const passages = times.map(count => `${"kelp tide ".repeat(count)}reef`)
      await both.add([{ id: "w4-1", workspaceId: "w4", passages }])
      const more = ["", " reef", " reef mud", " reef mud sand silt", " reef mud sand silt foam salt"]
      for (const some of more) expect(await compared("w4", `kelp tide${some}`)).toEqual([])
    },
    TIMEOUT_MS,
  )

  test("a filter that names a file which is not there", async () => {
    const named = { filters: { file_ids: ["w1-1", "w2-1"] } }
    expect(await compared("w1", "ferry", named)).toEqual([])
    expect((await both.cluster.search(await both.ask("w1", parseQuery("ferry"), named))).missingFile).toBe("w2-1")
  })

  test(
    "what the engine holds of generations that the database knows nothing of changes nothing",
    async () => {
      await both.strand({ id: "w1-stranded", workspaceId: "w1", passages: ["The ferry leaves the harbor", "A ferry"] })
      expect(await compared("w1", "ferry harbor")).toEqual([])
      expect(await compared("w1", "ferry harbor", { filters: { context_id: "garden" } })).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    "files are added, replaced and removed between searches",
    async () => {
      for (let nth = 0; nth < 4; nth++) {
        await both.add(documents(3, "w3"))
        await both.remove(`w3-${3 + nth}`)
        expect(await compared("w3", one(QUERIES))).toEqual([])
      }
    },
    TIMEOUT_MS,
  )
})

describe.skipIf(!engine).each([
  ["models of any language", undefined, undefined, 0],
  ["a fast model that knows English alone", ["en"], undefined, 0],
  ["models that know different languages", ["en", "de"], ["en"], 0],
  ["passages scored by both models", undefined, undefined, 0.33],
  ["passages in English scored by both", ["en"], undefined, 0.33],
])("while quality vectors follow a cluster answers as one machine does, with %s", (name, fast, quality, fastShare) => {
  let both: BothModes

  beforeAll(async () => {
    const prefix = `${engine!.prefix}${name.length}`
    const model = (dimensions: number, languages: string[] | undefined) => ({
      ...rounded(wordEmbedder(`test/${dimensions}`, dimensions)),
      cosines: { mean: 0.1, deviation: 0.1 },
      slope: 0.8,
      ...(languages ? { languages } : {}),
    })
    both = await BothModes.open({ ...engine!, prefix }, model(64, fast), { ...model(32, quality), fastShare })
    for (const workspace of ["w1", "w2"]) await both.add(documents(14, workspace))
  }, TIMEOUT_MS)
  afterAll(() => both?.close(), TIMEOUT_MS)

  test.each([
    ["none has any", () => false],
    ["a few have", (passage: number) => passage % 7 === 0],
    ["half have", (passage: number) => passage % 2 === 0],
    ["nearly all have", (passage: number) => passage % 11 !== 3],
    ["all have", () => true],
  ])(
    "%s",
    async (_state, wanted) => {
      await both.upgrade(wanted)
      for (const query of [
        "when does the ferry leave",
        "annual leave of employees",
        "Fähre in den Hafen",
        "水泵",
        "ferry -harbor",
      ])
        for (const narrow of [undefined, { context_id: "garden" }, { tags: ["red"] }]) {
          const more = { depth: 500, ...(narrow ? { filters: narrow } : {}) }
          const ask = await both.ask("w1", parseQuery(query), more)
          expect(differences(both.embedded(ask), await both.cluster.search(ask))).toEqual([])
        }
    },
    TIMEOUT_MS,
  )
})
