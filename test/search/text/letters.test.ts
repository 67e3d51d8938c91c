/** Letters that people write in more than one way, and single characters of scripts without spaces. */
import { Database as Sqlite } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { KeywordIndex } from "../../../src/search/keyword/keyword-index.ts"
import { KeywordSearch } from "../../../src/search/keyword/keyword-search.ts"
import { KeywordStore } from "../../../src/search/keyword/keyword-store.ts"
import { PostingWriter } from "../../../src/search/keyword/posting-list.ts"
import { makeScope } from "../../../src/search/keyword/scope.ts"
import { groupsOf } from "../../../src/search/text/analyze.ts"
import { toLayout } from "../keyword/former-layout.ts"
import { TestLibrary } from "../library.ts"

/** As it stands in the text, and as it may be asked for. */
const SPELLINGS = [
  ["Die Hauptstraße ist gesperrt, der Fußweg bleibt offen.", "hauptstrasse"],
  ["Die Hauptstraße ist gesperrt, der Fußweg bleibt offen.", "HAUPTSTRAẞE"],
  ["Die Hauptstrasse in Zug hat keinen Gehweg.", "Hauptstraße"],
  ["Zażółć gęślą jaźń w Łodzi.", "zazolc"],
  ["Zażółć gęślą jaźń w Łodzi.", "Lodzi"],
  ["Rødgrød med fløde er en dansk dessert.", "rodgrod"],
  ["Isparta’da ışık ve ılık su.", "ilik"],
  ["Encyclopædia entries on archæology.", "archaeology"],
  ["Encyclopædia entries on archæology.", "encyclopaedia"],
  ["Sa sœur prépare un œuf.", "soeur"],
  ["The manoeuvre succeeded.", "manœuvre"],
] as const

const SINGLE = [
  ["京", ["東京。", "京都に行く。", "私は東京に住んでいる。"]],
  ["人", ["人口は多い。", "三人で行く。"]],
  ["집", ["집을 샀다.", "우리집"]],
] as const

let library: TestLibrary
beforeAll(async () => {
  library = await TestLibrary.open()
  const texts = new Set<string>([...SPELLINGS.map(([text]) => text), ...SINGLE.flatMap(([, texts]) => texts)])
  let count = 0
  for (const text of texts) await library.put(`file_${count++}`, text)
})
afterAll(() => library.close())

for (const [text, query] of SPELLINGS)
  test(`"${query}" finds and highlights "${text}"`, async () => {
    const { hits } = await library.search(query, { mode: "keyword" })
    const hit = hits.find(each => each.text === text)
    expect(hit?.highlights.length).toBeGreaterThan(0)
    expect(await library.texts(`"${query}"`, { mode: "keyword" })).toContain(text)
  })

for (const [character, texts] of SINGLE)
  test(`${character} alone finds it at the beginning, in the middle and at the end of words, and highlights it`, async () => {
    const { hits, total } = await library.search(character, { mode: "keyword" })
    expect(hits.map(({ text }) => text).sort()).toEqual([...texts].sort())
    expect(total).toBe(texts.length)
    for (const { text, highlights } of hits)
      expect(highlights.map(({ start, end }) => text.slice(start, end))).toEqual([character])
    expect(await library.texts(`+${character} -東`, { mode: "keyword" })).toEqual(
      expect.arrayContaining(texts.filter(text => !text.includes("東"))),
    )
  })

describe("an index of the version before", () => {
  const directory = mkdtempSync(join(tmpdir(), "letters-test-"))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const posting = (...rows: [row: number, frequency: number][]) => {
    const writer = new PostingWriter()
    for (const [row, frequency] of rows) writer.add(row, frequency)
    return writer.take()
  }

  test("has its terms renewed when it is opened, joined with those that are spelled so already", () => {
    const path = join(directory, "keyword.db")
    const before = new KeywordStore(path)
    // As version .1 wrote "straßen", "große" and "fluß" of German passages, and "œuvre" of an English one.
    const terms: [string, Uint8Array][] = [
      ["große", posting([0, 1])],
      ["gross*", posting([1, 2])],
      ["stras*", posting([1, 1])],
      ["straß*", posting([0, 3], [1, 1])],
      ["fluß", posting([2, 1])],
      ["œuvres", posting([2, 1])],
    ]
    for (const [term, data] of terms) before.writePosting(1, term, 1, data)
    const lengths = Uint16Array.of(4, 4, 4)
    before.show(
      { number: 1, documents: 3, stretches: Float64Array.of(1, 3), lengths, languages: new Uint8Array(3) },
      [],
    )
    before.close()
    toLayout(path, 2)

    const index = new KeywordIndex(new KeywordStore(path))
    const ids = Float64Array.of(1, 3)
    const search = new KeywordSearch(index)
    const found = (query: string) =>
      search.search(groupsOf(query), makeScope(index.table, ids, undefined, ids), 9).hits.map(({ id }) => id)
    expect(found("Strassen")).toEqual([1, 2])
    expect(found("Straßen")).toEqual([1, 2])
    expect(found("große")).toEqual([2, 1])
    expect(found("Fluss")).toEqual([3])
    expect(found("oeuvre")).toEqual([3])
    index.store.close()
    const again = new Sqlite(path, { readonly: true })
    expect(again.query("select term from postings where term glob '*[ßœ]*'").all()).toEqual([])
    again.close()
  })
})
