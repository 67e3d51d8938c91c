/** Letters that people write in more than one way, and single characters of scripts without spaces. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { toFormerLayout } from "../keyword/former-layout.ts"
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

const CHINESE = "黑豹队在2015年赢得NFL冠军。使用Windows系统和iPhone手机，通过ISO9001标准认证，共12345678件。"
const JAPANESE = "TOYOTAの車とUSBケーブルを2019年に買った。"
const THAI = "ปี2015เราใช้Windowsในสำนักงาน"

describe("a word ends where a script without spaces begins", () => {
  for (const [text, queries] of [
    [CHINESE, ["NFL", "nfl", "2015", "Windows", "iPhone", "ISO9001", "12345678", "冠军", "手机"]],
    [JAPANESE, ["TOYOTA", "USB", "2019", "ケーブル"]],
    [THAI, ["2015", "Windows", "สำนักงาน"]],
    ["API를 2015년에 만들었다.", ["API", "2015"]],
  ] as const)
    test(`in "${text}"`, async () => {
      const library = await TestLibrary.open()
      await library.put("file_mixed", text)
      for (const word of queries)
        for (const query of [word, `"${word}"`, `+${word}`]) {
          const { hits, corrections } = await library.search(query, { mode: "keyword" })
          expect({ query, texts: hits.map(hit => hit.text), corrections }).toEqual({
            query,
            texts: [text],
            corrections: [],
          })
          const marked = hits[0]!.highlights.map(({ start, end }) => text.slice(start, end))
          expect({ query, marked: marked.map(each => each.toLowerCase()) }).toEqual({
            query,
            marked: [word.toLowerCase()],
          })
        }
      await library.close()
    })
})

describe("what is not written, or not seen, does not keep a word from being found", () => {
  for (const [text, query] of [
    ["The inter\u00adnational com\u00admittee met in Geneva.", "international"],
    ["The inter\u00adnational com\u00admittee met in Geneva.", "committee"],
    ["The word\u2060joiner and the variation.", "wordjoiner"],
    ["בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם", "בראשית"],
    ["בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם", "השמים"],
    ["הספר נכתב בעברית", "הַסֵּפֶר"],
    ["هذه المدينة الكبيرة جميلة جدا وفيها مدارس", "مدينة"],
    ["هذه المدينة الكبيرة جميلة جدا وفيها مدارس", "كبيرة"],
    ["كتاب على الطاولة", "الكتاب"],
    ["اتصل بالمدير وللمدير مكتب", "مدير"],
  ] as const)
    test(`${query} in ${text}`, async () => {
      const library = await TestLibrary.open()
      await library.put("file_one", text)
      const { hits } = await library.search(query, { mode: "keyword" })
      expect(hits.map(hit => hit.text)).toEqual([text])
      expect(hits[0]!.highlights.length).toBeGreaterThan(0)
      await library.close()
    })
})

test("a fraction does not make another number of the figure before it, and is marked", async () => {
  const library = await TestLibrary.open()
  await library.put("file_plank", "The plank is 5½ inches wide.")
  expect(await library.texts("51", { mode: "keyword" })).toEqual([])
  const [hit] = (await library.search("5½", { mode: "keyword" })).hits
  expect(hit?.highlights).toEqual([{ start: 13, end: 15 }])
  await library.close()
})

test("a checksum of 128 digits is found", async () => {
  const library = await TestLibrary.open()
  const sum = "0123456789abcdef".repeat(8)
  await library.put("file_sum", `The checksum is ${sum} here.`)
  expect((await library.texts(sum, { mode: "keyword" })).length).toBe(1)
  expect(await library.texts(sum.replace(/f$/, "e"), { mode: "keyword" })).toEqual([])
  await library.close()
})

test("an identifier does not stand for words that begin like it", async () => {
  const library = await TestLibrary.open()
  await library.put(
    "file_de",
    "Die Versicherung hat die neue Version der Bedingungen verschickt, und alle Kunden haben sie erhalten.",
  )
  expect(await library.texts("version0v", { mode: "keyword" })).toEqual([])
  await library.close()
})

test("an index of a former version is made again from the passages when it is opened", async () => {
  const directory = mkdtempSync(join(tmpdir(), "letters-test-"))
  const before = await TestLibrary.open({ directory })
  await before.put("file_zh", CHINESE)
  await before.put("file_de", "Die Hauptstraße ist gesperrt.")
  await before.close()
  toFormerLayout(join(directory, "keyword.db"))
  const after = await TestLibrary.open({ directory })
  await after.whole()
  for (const [query, text] of [["NFL", CHINESE], ["Hauptstrasse", "Die Hauptstraße ist gesperrt."]] as const) // biome-ignore format: pairs
    expect(await after.texts(query, { mode: "keyword" })).toEqual([text])
  await after.close()
  rmSync(directory, { recursive: true, force: true })
})
