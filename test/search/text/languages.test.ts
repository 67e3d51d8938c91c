/** Where the embedding model knows the language of query and passages its vectors count, elsewhere words decide; what relevance says. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Embedder } from "../../../src/backends/backend.ts"
import { openEmbedder } from "../../../src/backends/embedder.ts"
import { englishOnly } from "../../support/english-only.ts"
import { toFormerLayout } from "../keyword/former-layout.ts"
import { TestLibrary } from "../library.ts"

const POLISH = `Okres wypowiedzenia umowy najmu wynosi trzy miesiące i zaczyna się pierwszego dnia miesiąca.
Wynagrodzenie za nadgodziny wypłaca się wraz z pensją za kolejny miesiąc kalendarzowy.
Pracownik ma prawo do dwudziestu sześciu dni urlopu wypoczynkowego w każdym roku.
Zwrot kosztów podróży służbowej wymaga przedstawienia rachunków w ciągu czternastu dni.
Dostęp do serwerowni mają wyłącznie administratorzy, którzy podpisali oświadczenie o poufności.
Przegląd klimatyzacji odbywa się wiosną, a filtry wymienia firma zewnętrzna.`
const ENGLISH = `The notice period of the lease is three months and begins on the first day of a month.
Overtime is paid together with the salary of the following calendar month.
Employees are entitled to twenty-six days of annual leave in every year.
Travel expenses are refunded when the receipts are handed in within fourteen days.
Only administrators who signed the confidentiality statement may enter the server room.
The air conditioning is serviced in spring, and the filters are changed by a contractor.
The canteen opens at noon; vegetarian dishes are marked with a green leaf.
Visitors sign the book at the front desk and wear a badge at all times.
Bicycles stand in the shed behind the mill, which is locked at eight in the evening.`
const GERMAN = `Die Kündigungsfrist des Mietvertrags beträgt drei Monate und beginnt am ersten Tag eines Monats.
Überstunden werden mit dem Gehalt des folgenden Kalendermonats ausgezahlt.
Beschäftigte haben in jedem Jahr Anspruch auf sechsundzwanzig Tage Erholungsurlaub.
Reisekosten werden erstattet, wenn die Belege innerhalb von vierzehn Tagen vorliegen.`

const root = mkdtempSync(join(tmpdir(), "languages-test-"))
let english: Embedder
beforeAll(async () => {
  const models = join(import.meta.dir, "../../../models")
  english = englishOnly(await openEmbedder({ name: "", directories: [models], nativeDirectory: root }))
})
afterAll(async () => {
  await english.close()
  rmSync(root, { recursive: true, force: true })
})

/** Hits of both searches as texts. */
async function bothWays(library: TestLibrary, query: string): Promise<{ words: string[]; hybrid: string[] }> {
  return { words: await library.texts(query, { mode: "keyword" }), hybrid: await library.texts(query) }
}

describe("a model that knows English only", () => {
  let library: TestLibrary
  beforeAll(async () => {
    library = await TestLibrary.open({ embedder: english })
    await library.put("file_pl", POLISH)
    await library.put("file_en", ENGLISH)
    await library.put("file_de", GERMAN)
  })
  afterAll(() => library.close())

  for (const query of [
    "Jak długo trwa okres wypowiedzenia umowy?",
    "Kiedy wypłaca się wynagrodzenie za nadgodziny?",
    "Wie lang ist die Kündigungsfrist?",
    "Kolik dní dovolené mám podle smlouvy, urlop?",
  ])
    test(`leaves "${query}" to words`, async () => {
      const { words, hybrid } = await bothWays(library, query)
      expect(hybrid).toEqual(words)
    })

  test("never ranks a passage in another language by its vector", async () => {
    const { hits } = await library.search("Which holidays do I have?", { explain: true, limit: 100 })
    const foreign = hits.filter(hit => hit.file.id !== "file_en")
    expect(foreign.every(hit => hit.scores!.semantic === null && hit.scores!.keyword !== null)).toBe(true)
    expect(hits.some(hit => hit.file.id === "file_en" && hit.scores!.semantic !== null)).toBe(true)
  })

  test("English over passages of another language alone is as words find it", async () => {
    const filters = { file_ids: ["file_pl", "file_de"] }
    for (const query of ["Which filters are changed by the administrators?", "notice period of the lease"]) {
      const words = await library.texts(query, { mode: "keyword", filters })
      expect(await library.texts(query, { filters })).toEqual(words)
    }
  })

  test("a question in other English words than its passage is still found among the foreign ones", async () => {
    const { hits } = await library.search("When can I get vegetarian food for lunch?")
    expect(hits[0]!.text).toStartWith("The canteen opens at noon")
  })

  test("relevance tells answers from noise, and nonsense has no hit at all", async () => {
    const answered = await library.search("How many days of annual leave are employees entitled to?")
    expect(answered.hits[0]!.relevance).toBeGreaterThan(0.5)
    const polish = await library.search("Jak długo trwa okres wypowiedzenia umowy najmu?")
    expect(polish.hits[0]!.relevance).toBeGreaterThan(0.3)
    const nonsense = await library.search("xyzzyqwv")
    expect([nonsense.hits.length, nonsense.total]).toEqual([0, 0])
    const semantic = await library.search("xyzzyqwv", { mode: "semantic" })
    expect(semantic.hits.length).toBeGreaterThan(0)
    for (const { relevance } of semantic.hits) expect(relevance).toBeLessThan(0.05)
    for (const { relevance } of (await library.search("the notice", { mode: "keyword", limit: 100 })).hits)
      expect([relevance >= 0, relevance <= 1]).toEqual([true, true])
  })

  test("min_relevance leaves out what is below it, on every page, and the total says so", async () => {
    const query = "notice period of the lease"
    const all = await library.search(query, { limit: 100 })
    const least = 0.1
    const wanted = all.hits.filter(hit => hit.relevance >= least).map(hit => hit.id)
    expect(wanted.length).toBeGreaterThan(0)
    expect(wanted.length).toBeLessThan(all.hits.length)
    const some = await library.search(query, { limit: 100, min_relevance: least })
    expect([some.hits.map(hit => hit.id), some.total]).toEqual([wanted, wanted.length])
    const paged: string[] = []
    for (let offset = 0; offset <= wanted.length; offset++)
      for (const { id } of (await library.search(query, { limit: 1, offset, min_relevance: least })).hits)
        paged.push(id)
    expect(paged).toEqual(wanted)
    expect((await library.search(query, { min_relevance: 1 })).total).toBe(0)
  })
})

test("a model of many languages is believed in all of them", async () => {
  const library = await TestLibrary.open()
  await library.put("file_pl", POLISH)
  const { hits } = await library.search("Kiedy wypłaca się wynagrodzenie za nadgodziny?", { explain: true })
  expect(hits[0]!.scores!.semantic).not.toBeNull()
  await library.close()
})

test("a passage gains from its document: words that stand in its neighbor count", async () => {
  const library = await TestLibrary.open()
  const one = Array.from({ length: 30 }, (_, i) => `The otter number ${i} swims in the river ${i}.`).join("\n")
  await library.put("file_many", one)
  await library.put("file_alone", "Herons stand in ponds.")
  await library.put("file_pair", "Herons stand in ponds.\nThey were ringed by the warden of Tromso.")
  const { hits } = await library.search("herons ringed in Tromso", { mode: "keyword", explain: true })
  const found = hits.filter(hit => hit.text === "Herons stand in ponds.").map(hit => hit.file.id)
  expect(found).toEqual(["file_pair", "file_alone"])
  await library.close()
})

describe("an index of the version before", () => {
  const directory = mkdtempSync(join(tmpdir(), "upgrade-test-"))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  test("is made again, and searched by words and by meaning as before", async () => {
    const before = await TestLibrary.open({ directory, embedder: english })
    for (let i = 0; i < 40; i++) await before.put(`file_pl${i}`, POLISH.replaceAll("trzy", `${i + 3}`))
    await before.put("file_en", ENGLISH)
    const queries = ["Which holidays do I have?", "Jak długo trwa okres wypowiedzenia?", "notice period"]
    const ask = (library: TestLibrary, mode: "keyword" | "hybrid") =>
      Promise.all(
        queries.map(async query => (await library.search(query, { limit: 100, mode })).hits.map(hit => hit.id)),
      )
    const byWords = await ask(before, "keyword")
    const wanted = await ask(before, "hybrid")
    await before.close()
    toFormerLayout(join(directory, "keyword.db"))
    const after = await TestLibrary.open({ directory, embedder: english })
    await after.whole()
    expect(await ask(after, "keyword")).toEqual(byWords)
    expect(await ask(after, "hybrid")).toEqual(wanted)
    await after.put("file_new", "Der Hof ist um acht Uhr geschlossen, sagt die Hausordnung.")
    await after.close()
    const again = await TestLibrary.open({ directory, embedder: english })
    expect((await again.search("Hausordnung geschlossen")).hits[0]!.file.id).toBe("file_new")
    await again.close()
  }, 60_000)
})
