import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { rank } from "../../src/search/answer.ts"
import { countIds, hasId, idsToRanges, intersect, subtract, toRanges, union } from "../../src/search/ids/id-ranges.ts"
import { Rows } from "../../src/search/ids/rows.ts"
import { TopK } from "../../src/search/ids/top-k.ts"
import { eachPosting, PostingBuffer, PostingWriter } from "../../src/search/keyword/posting-list.ts"
import { chunkId } from "../../src/search/passages/chunk-id.ts"
import { Highlighter } from "../../src/search/passages/highlight.ts"
import { groupsOf, schemeOf, termsOf } from "../../src/search/text/analyze.ts"
import { languageName, maySpeak, PassageLanguages } from "../../src/search/text/language.ts"
import { parseQuery } from "../../src/search/text/query.ts"
import { stemEnglish } from "../../src/search/text/stem-english.ts"

const highlighterOf = (query: string) => new Highlighter(groupsOf(query).flatMap(({ terms }) => terms))

const idSet = fc.uniqueArray(fc.integer({ min: 1, max: 80 })).map(ids => ids.sort((a, b) => a - b))
const idsOf = (ranges: Float64Array) => Array.from({ length: 82 }, (_, id) => id).filter(id => hasId(ranges, id))

test("id ranges behave as sets", () => {
  fc.assert(
    fc.property(idSet, idSet, (a, b) => {
      const [x, y] = [idsToRanges(a), idsToRanges(b)]
      expect(idsOf(x)).toEqual(a)
      expect(countIds(x)).toBe(a.length)
      expect(idsOf(intersect(x, y))).toEqual(a.filter(id => b.includes(id)))
      expect(idsOf(subtract(x, y))).toEqual(a.filter(id => !b.includes(id)))
      expect(idsOf(union(x, y))).toEqual([...new Set([...a, ...b])].sort((p, q) => p - q))
      expect(toRanges(a.map(id => [id, id]))).toEqual(x)
    }),
  )
})

test("rows and ids name each other, in any order of arrival", () => {
  const rows = new Rows()
  for (const [first, count] of [
    [50, 3],
    [53, 2],
    [10, 4],
    [90, 1],
  ] as const)
    rows.append(first, count)
  const ids = [50, 51, 52, 53, 54, 10, 11, 12, 13, 90]
  expect(ids.map((_, row) => rows.idOf(row))).toEqual(ids)
  expect(ids.map(id => rows.rowOf(id))).toEqual(ids.map((_, row) => row))
  for (const absent of [1, 9, 14, 49, 55, 89, 91]) expect(rows.rowOf(absent)).toBe(-1)
  const seen: number[][] = []
  rows.eachIn(Float64Array.of(12, 51, 90, 99), (row, count, id) => seen.push([row, count, id]))
  expect(seen).toEqual([
    [0, 2, 50],
    [7, 2, 12],
    [9, 1, 90],
  ])
})

test("posting lists read back what was written, only where the mask shows", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 40_000 }), fc.integer({ min: 1, max: 400 }))), steps => {
      const writer = new PostingWriter()
      let row = -1
      const entries = steps.map(([step, frequency]) => {
        row += step
        return [row, Math.min(255, frequency)] as const
      })
      for (const [at, frequency] of entries) writer.add(at, frequency)
      const bytes = writer.take()
      const all: (readonly [number, number])[] = []
      eachPosting(bytes, (at, frequency) => all.push([at, frequency]))
      expect(all).toEqual(entries)
      const mask = new Uint8Array(row + 11).map((_, i) => (i % 2 === 0 ? 1 : 0))
      const buffer = new PostingBuffer()
      buffer.read(bytes, 10, mask)
      const read = Array.from(
        { length: buffer.length },
        (_, i) => [buffer.rows[i]! - 10, buffer.frequencies[i]!] as const,
      )
      expect(read).toEqual(entries.filter(([at]) => at % 2 === 0))
    }),
  )
})

test("the best k are kept, ties by id", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5 })), fc.integer({ min: 0, max: 12 }), (scores, k) => {
      const top = new TopK(k)
      for (const [i, score] of scores.entries()) top.push(score, (i * 7919) % 1009)
      const expected = scores
        .map((score, i) => ({ id: (i * 7919) % 1009, score }))
        .sort((a, b) => b.score - a.score || a.id - b.id)
      expect(top.list()).toEqual(expected.slice(0, k))
    }),
  )
})

describe("analysis", () => {
  const stems: [string, string][] = [
    ["terminations", "termin"],
    ["running", "run"],
    ["happily", "happili"],
    ["dying", "die"],
    ["skies", "sky"],
    ["generously", "generous"],
    ["relational", "relat"],
    ["hopping", "hop"],
    ["agreed", "agre"],
    ["news", "news"],
    ["university", "univers"],
    ["policy", "polici"],
    ["police", "polic"],
    ["proceed", "proceed"],
    ["by", "by"],
  ]
  for (const [word, stem] of stems) test(`${word} → ${stem}`, () => expect(stemEnglish(word)).toBe(stem))

  test("schemes follow the words of the text", () => {
    expect(schemeOf("The tenant shall give notice to the landlord of the house before the end of the month.")).toBe(
      "english",
    )
    expect(
      schemeOf("Die Kündigungsfrist des Mietvertrages beträgt drei Monate zum Ende eines jeden Jahres der Laufzeit."),
    ).toBe("other")
    expect(schemeOf("Widget A, 42 grams")).toBe("english")
    expect(schemeOf("Widget A, 42 grams", "other")).toBe("other")
  })

  test("unspaced scripts become pairs, accents and case are folded, Hangul stays composed", () => {
    expect(termsOf("终止合同", "other")).toEqual(["终止", "止合", "合同"])
    expect(termsOf("Café CAFÉ's", "other")).toEqual(["cafe", "s"])
    expect(termsOf("한국어", "other")).toEqual(["한국", "국어"])
    expect(termsOf("Kündigungsfrist", "other")).toEqual(["kundi*"])
  })
})

describe("languages", () => {
  const queries: [string, boolean][] = [
    ["termination notice period", true],
    ["invoice", true],
    ["Kubernetes", true],
    ["How much leave do I get?", true],
    ["where is the café", true],
    ["xyzzyqwv", true],
    ["4711", true],
    ["", true],
    ["Was hat die Firma beschlossen?", false],
    ["Jak długo trwa okres wypowiedzenia?", false],
    ["wynagrodzenie za nadgodziny", false],
    ["Kolik dní dovolené mám?", false],
    ["Mennyi a felmondási idő?", false],
    ["Vad är uppsägningstiden?", false],
    ["срок уведомления", false],
    ["hangi takım kazandı", false],
    ["終了の通知期間", false],
    ["해지 통지 기간", false],
    ["终止合同", false],
    ["مدة الإشعار", false],
  ]
  for (const [query, english] of queries)
    test(`"${query}" ${english ? "may be" : "is not"} English`, () => expect(maySpeak(query, ["en"])).toBe(english))

  test("a model that knows several languages, however they are spelled", () => {
    const query = "Jak długo trwa okres wypowiedzenia?"
    expect([maySpeak(query, ["en", "pl-PL"]), maySpeak(query, ["EN_us", "PL"]), maySpeak(query, ["en", "de"])]).toEqual(
      [true, true, false],
    )
  })

  test("a passage too short to tell follows the one before it in its file", () => {
    const languages = new PassageLanguages()
    const told = [
      "12.5 | 13.7 | 4711",
      "Die Kündigungsfrist beträgt drei Monate zum Ende eines Kalenderjahres, sofern nichts anderes vereinbart ist.",
      "A-17 | 42",
      "The tenant shall give notice to the landlord at least three months before the end of the term.",
      "A-18",
    ].map(text => languageName(languages.next(text)))
    expect(told).toEqual([undefined, "de", "de", "en", "en"])
  })

  test("no text is too long or too odd to be judged", () => {
    for (const text of ["a".repeat(2_000_000), "\ud800".repeat(500), "’".repeat(5000), "é’".repeat(5000)]) {
      maySpeak(text, ["en"])
      new PassageLanguages().next(text)
    }
  })
})

describe("query syntax", () => {
  const wordsOf = (query: string) => {
    const { text, required, excluded } = parseQuery(query)
    return [text, required.length, excluded.length]
  }
  const cases: [string, [string, number, number]][] = [
    ["plain words", ["plain words", 0, 0]],
    ['"notice period" lease', ["notice period lease", 1, 0]],
    ["“notice period”", ["notice period", 1, 0]],
    ["lease +notice -rent", ["lease notice", 1, 1]],
    ['lease -"notice period"', ["lease", 0, 1]],
    ["well-known e-mail -5 degrees - dash", ["well-known e-mail -5 degrees dash", 0, 0]],
    ['unclosed "phrase here', ['unclosed "phrase here', 0, 0]],
    ["-only -excluded", ["-only -excluded", 0, 0]],
    ['acids "free fatty".', ["acids free fatty", 1, 0]],
    ['"free fatty", acids', ["free fatty acids", 1, 0]],
    ['("free fatty") acids', ["free fatty acids", 1, 0]],
    ['plasma -"free fatty", acids', ["plasma acids", 0, 1]],
    ['schools called "Model C"-schools', ['schools called "Model C"-schools', 0, 0]],
    [
      'Who was the author of the famous "Mask of Anarchy" then?',
      ["Who was the author of the famous Mask of Anarchy then?", 0, 0],
    ],
    [
      'Who was the author of the famous +"Mask of Anarchy" then?',
      ["Who was the author of the famous Mask of Anarchy then?", 1, 0],
    ],
  ]
  for (const [query, expected] of cases) test(query, () => expect(wordsOf(query)).toEqual(expected))

  test("no text makes it fail", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), text => {
        parseQuery(text)
        for (const { start, end } of highlighterOf(text).find(text)) expect(start).toBeLessThan(end)
      }),
    )
  })
})

test("highlights in unspaced scripts join touching pairs", () => {
  const text = "租约终止须书面通知。"
  const marks = highlighterOf("书面通知 终止")
    .find(text)
    .map(({ start, end }) => text.slice(start, end))
  expect(marks).toEqual(["终止", "书面通知"])
})

test("highlights are the same in a text that holds letters beyond ASCII, whatever signs stand between its words", () => {
  const text = "The “tenant” — ½ of the tenants’ rent… pays 5 € per m²; Tenant and‑lease™ «tenant»"
  const found = highlighterOf("tenant rent m 5").find(text)
  expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([
    "tenant",
    "tenants",
    "rent",
    "5",
    "Tenant",
    "tenant",
  ])
  expect(highlighterOf("tenant rent m 5").find(`${text} é`)).toEqual(found)
  const plain = text.replace("½", "half").replace("m²", "m").replace("™", "").replace("€", "EUR")
  const inPlain = highlighterOf("tenant rent 5").find(plain)
  expect(inPlain).toEqual(highlighterOf("tenant rent 5").find(`${plain} é`))
  expect(inPlain).toHaveLength(6)
})

test("chunk ids sort like their numbers", () => {
  expect(chunkId(123_456_789)).toBe("chunk_00003lnj8l")
  expect([1_000_000, 31, 32].map(chunkId).sort()).toEqual([31, 32, 1_000_000].map(chunkId))
})

test("beyond the fused head the keyword leg goes on, scores never rise", () => {
  const columns = (ids: number[], scores: number[]) => ({
    ids: Float64Array.from(ids),
    scores: Float64Array.from(scores),
  })
  const answer = {
    library: { files: 1, pendingFiles: 0, passages: 7 },
    keyword: columns([1, 2], [9, 5]),
    vector: columns([3], [0.9]),
    candidates: {
      ids: Float64Array.of(1, 2, 3),
      keyword: Float64Array.of(9, 5, 0),
      cosine: Float64Array.of(0.1, 0.2, 0.9),
      rare: new Float64Array(3),
    },
    background: null,
    ground: {
      keyword: Float64Array.of(9, 5, 0),
      tail: Float64Array.of(4, 1),
      bestKeyword: 9,
      bestCosine: 0.9,
      bound: 12,
      words: 2,
      knownShare: 1,
      passages: 7,
    },
    understood: true,
    scale: null,
    upgraded: 0,
    held: {},
    readable: true,
    foreign: false,
    tail: columns([7, 4], [4, 1]),
    matching: 4,
    comparable: 7,
    words: 2,
    knownShare: 1,
    weights: [],
    corrections: [],
    bound: 12,
  }
  const model = { weight: 0.35, usual: null, wordsExpected: true }
  const { list, total } = rank("hybrid", answer, model)
  expect(list.map(({ id }) => id).slice(3)).toEqual([7, 4])
  expect(total).toBe(5)
  const scores = list.map(({ score }) => score)
  expect(scores).toEqual([...scores].sort((a, b) => b - a))
  const byWords = rank("keyword", answer, model)
  expect(byWords.list.map(({ id, score }) => [id, score])).toEqual(
    [1, 2, 7, 4].map((id, i) => [id, [9, 5, 4, 1][i]! / 12]),
  )
  expect(byWords.total).toBe(4)
  for (const { relevance } of [...list, ...byWords.list]) expect([relevance >= 0, relevance <= 1]).toEqual([true, true])
})
