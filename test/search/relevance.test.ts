/** Relevance under filters and in languages that the model does not know, and what a semantic search says where it knows nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Embedder } from "../../src/backends/backend.ts"
import { openEmbedder } from "../../src/backends/embedder.ts"
import { relevanceIn } from "../../src/search/relevance.ts"
import type { Hit } from "../../src/search/types.ts"
import { englishOnly } from "../support/english-only.ts"
import { TestLibrary } from "./library.ts"

const SPANISH = `La póliza cubre los daños por agua en el hogar hasta un máximo de tres mil euros por siniestro.
El asegurado deberá comunicar el siniestro en un plazo de siete días desde que fue conocido.
La franquicia es de ciento cincuenta euros y se descuenta de la indemnización que corresponde al asegurado.
¿Quién fue el responsable del daño? El perito lo indicará en el informe que se envía a la compañía.`
const ARABIC = `تغطي الوثيقة أضرار المياه في المنزل من تاريخ التوقيع إلى نهاية السنة.
يجب على العميل إبلاغ الشركة عن الحادث في مدة سبعة أيام من تاريخ وقوعه.
من هو المسؤول عن الضرر؟ يحدد الخبير ذلك في التقرير الذي يرسل إلى الشركة.`
const HINDI = `बीमा पॉलिसी में घर के पानी से हुए नुकसान की भरपाई की जाती है।
ग्राहक को दुर्घटना के सात दिन के भीतर कंपनी को सूचना देनी होती है।
नुकसान के लिए कौन जिम्मेदार है यह विशेषज्ञ की रिपोर्ट में लिखा होता है।`
const TEA = "绿茶的水温应为八十度，浸泡两分钟。\n行李箱放在门口的柜子里。"
const ENGLISH_FILES = 60
const PLACES = ["harbour", "mill", "library", "orchard", "station", "bakery"]

const root = mkdtempSync(join(tmpdir(), "relevance-test-"))
let english: Embedder
let library: TestLibrary

beforeAll(async () => {
  const models = join(import.meta.dir, "../../models")
  english = englishOnly(await openEmbedder({ name: "", directories: [models], nativeDirectory: root }))
  library = await TestLibrary.open({ embedder: english })
  await library.put("file_es", SPANISH, { context_id: "insurance" })
  await library.put("file_ar", ARABIC)
  await library.put("file_hi", HINDI)
  await library.put("file_zh", TEA)
  for (let i = 0; i < ENGLISH_FILES; i++) {
    const place = PLACES[i % PLACES.length]
    const text = `The ${place} number ${i} opens at ${i % 12} and is cleaned by the caretaker.\nKeys of the ${place} lie in drawer ${i}.`
    await library.put(`file_en${i}`, text, i < 9 ? { context_id: "insurance" } : {})
  }
}, 60_000)
afterAll(async () => {
  await library.close()
  await english.close()
  rmSync(root, { recursive: true, force: true })
})

const best = (hits: Hit[]) => Math.max(0, ...hits.map(hit => hit.relevance))

/** Relevance of each hit of all searches. */
async function byHit(query: string, filters: object[], mode?: "keyword"): Promise<Map<string, Set<number>>> {
  const found = new Map<string, Set<number>>()
  for (const each of filters) {
    const { hits } = await library.search(query, { filters: each, limit: 100, ...(mode ? { mode } : {}) })
    for (const { id, relevance } of hits) found.set(id, (found.get(id) ?? new Set()).add(relevance))
  }
  return found
}

describe("relevance", () => {
  const filters = [{}, { types: ["txt"] }, { context_id: "insurance" }, { file_ids: ["file_es"] }]
  for (const [query, mode] of [
    ["¿Cuál es la franquicia de la póliza?", undefined],
    ["¿Quién fue el primer hombre en el espacio?", undefined],
    ["¿Quién fue el primer hombre en el espacio?", "keyword"],
    ["Where are the keys of the harbour?", "keyword"],
  ] as const)
    test(`is the same under every filter: "${query}", ${mode ?? "hybrid"}`, async () => {
      const found = await byHit(query, filters, mode)
      for (const values of found.values()) expect(values.size).toBe(1)
    })

  test("is the same under a filter where vectors count", async () => {
    const files = Array.from({ length: 9 }, (_, i) => `file_en${i}`)
    const found = await byHit("Where are the keys of the harbour?", [
      {},
      { context_id: "insurance" },
      { file_ids: files },
      ...files.map(id => ({ file_ids: [id] })),
    ])
    const both = [...found.values()]
    expect(both.length).toBeGreaterThan(9)
    for (const values of both) expect(values.size).toBe(1)
  })

  for (const [file, unrelated, answered] of [
    [
      "file_es",
      "¿Quién fue el primer hombre en el espacio?",
      "¿Cuál es la franquicia que se descuenta de la indemnización?",
    ],
    ["file_ar", "من هو أول رجل في الفضاء؟", "ما هي مدة إبلاغ الشركة عن الحادث؟"],
    ["file_hi", "अंतरिक्ष में जाने वाला पहला आदमी कौन था?", "ग्राहक को दुर्घटना की सूचना कितने दिन में देनी होती है?"],
  ] as const)
    test(`stays low for words that bind others, and is higher for an answer: ${file}`, async () => {
      for (const filters of [{}, { file_ids: [file] }]) {
        expect(best((await library.search(unrelated, { filters })).hits)).toBeLessThan(0.1)
        expect(best((await library.search(answered, { filters })).hits)).toBeGreaterThan(0.15)
      }
    })
})

describe("a semantic search of which the model knows nothing", () => {
  for (const query of ["绿茶水温", "荷物", "अंतरिक्ष में पहला आदमी", "🙂"])
    test(`is by words and says so: ${query}`, async () => {
      const semantic = await library.search(query, { mode: "semantic", explain: true })
      const words = await library.search(query, { mode: "keyword" })
      expect(semantic.degraded).toBe("keyword_only")
      expect(semantic.hits.map(hit => hit.id)).toEqual(words.hits.map(hit => hit.id))
      for (const hit of semantic.hits) expect(hit.scores!.semantic).toBeNull()
    })

  test("never lists passages that the model does not know, and counts the others", async () => {
    const { hits, degraded, total } = await library.search("keys in a drawer", { mode: "semantic", limit: 100 })
    expect(degraded).toBeNull()
    expect(hits.every(hit => hit.file.id.startsWith("file_en"))).toBe(true)
    expect(total).toBe(2 * ENGLISH_FILES)
  })

  test("a passage of unknown letters alone has no vector score in a model that names no languages", async () => {
    const anyLanguage: Embedder = {
      model: "test/any",
      dimensions: english.dimensions,
      fusionWeight: english.fusionWeight,
      embed: (texts, role, signal) => english.embed(texts, role, signal),
      close: async () => {},
    }
    const other = await TestLibrary.open({ embedder: anyLanguage })
    await other.put("file_a", "荷物\n🙂\nKeys lie in the drawer.")
    const { hits, total } = await other.search("drawer", { mode: "semantic" })
    expect([hits.map(hit => hit.text), total]).toEqual([["Keys lie in the drawer."], 1])
    const unknown = await other.search("茶", { mode: "semantic" })
    expect([unknown.hits.length, unknown.degraded]).toEqual([0, "keyword_only"])
    await other.close()
  })
})

test("a word that one passage alone holds speaks for that passage, whatever vectors make of a single word", async () => {
  const model = await openEmbedder({
    name: "",
    directories: [join(import.meta.dir, "../../models")],
    nativeDirectory: root,
  })
  const plants = await TestLibrary.open({ embedder: model })
  try {
    for (let i = 0; i < ENGLISH_FILES; i++)
      await plants.put(`file_${i}`, `The ${PLACES[i % PLACES.length]} number ${i} has plants in its windows.`)
    await plants.put(
      "file_tall",
      "The tall ficus by the stairs gets water on Fridays, when the office is nearly empty.",
    )
    for (const query of ["ficus", "tall ficus", "ficus stairs Fridays"]) {
      const [first, second] = (await plants.search(query)).hits
      expect(first!.file.id).toBe("file_tall")
      expect(first!.relevance).toBeGreaterThanOrEqual(0.45)
      expect(second?.relevance ?? 0).toBeLessThan(0.2)
    }
    expect(best((await plants.search("plants")).hits)).toBeLessThan(0.45)
  } finally {
    await plants.close()
    await model.close()
  }
}, 60_000)

test("a rare word vouches for its passage in a query of few words, not in a long one", () => {
  const asked = (words: number) =>
    relevanceIn({
      ...{ bound: 14, bestKeyword: 6, bestCosine: 0, background: null, usual: null, words, passages: 600 },
      ...{ knownShare: 1, readable: true, wordsExpected: false },
    })
  const holding = { keyword: 6, cosine: Number.NaN, rare: 1 }
  expect([1, 3].map(words => asked(words)(holding))).toEqual([0.45, 0.45])
  expect(asked(8)(holding)).toBeLessThan(0.1)
  expect(asked(1)({ ...holding, rare: 0.5 })).toBeLessThan(0.25)
})
