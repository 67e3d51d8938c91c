/** The pure parts of a turn: passages, citations, search queries, settings, titles. */
import { describe, expect, test } from "bun:test"
import { searchQuery } from "../../src/chat/search-query.ts"
import { DEFAULT_SETTINGS, mergeSettings, titleOf, withFallbacks } from "../../src/chat/settings.ts"
import { citedIn } from "../../src/grounding/citations.ts"
import { headOf, toSources } from "../../src/grounding/passages.ts"
import type { Hit } from "../../src/search/types.ts"

const TEXT = "abcdefghijklmnopqrstuvwxyz".repeat(4)

function hit(id: string, start: number, end: number, more: Partial<Hit["position"]> = {}, file = "file_1"): Hit {
  return {
    id,
    score: 0.5,
    relevance: 1,
    text: TEXT.slice(start, end),
    highlights: [],
    file: { id: file, name: `${file}.txt`, type: "txt", context_id: null, tags: [] },
    position: { page: null, sheet: null, slide: null, member: null, section: null, start, end, ...more },
  }
}

describe("passages", () => {
  test("are numbered in the order of their hits", () => {
    const sources = toSources([hit("b", 50, 60), hit("a", 0, 10)])
    expect(sources.map(({ index, chunk_id }) => [index, chunk_id])).toEqual([
      [1, "b"],
      [2, "a"],
    ])
  })

  test("neighbors that overlap or touch become one, exactly the text between", () => {
    const [merged, ...rest] = toSources([hit("b", 20, 40), hit("a", 5, 25), hit("c", 40, 50)])
    expect(rest).toEqual([])
    expect(merged).toMatchObject({ chunk_id: "b", text: TEXT.slice(5, 50), position: { start: 5, end: 50 } })
  })

  test("passages of other pages, other files, or further away stay apart", () => {
    const hits = [
      hit("a", 0, 10, { page: 1 }),
      hit("b", 10, 20, { page: 2 }),
      hit("c", 30, 40, { page: 2 }),
      hit("d", 9, 21, {}, "file_2"),
    ]
    expect(toSources(hits)).toHaveLength(4)
  })

  test("the same text twice, as in a copy of a file, is given once", () => {
    expect(toSources([hit("a", 0, 10), hit("b", 0, 10, {}, "file_2")])).toHaveLength(1)
  })

  test("their head names the place", () => {
    const [source] = toSources([hit("a", 0, 10, { page: 4, section: "3.2 Term", member: "in.zip/a.pdf" })])
    expect(headOf(source!)).toBe("[1] file_1.txt, in.zip/a.pdf, page 4, 3.2 Term")
  })
})

describe("citations", () => {
  const sources = toSources([hit("a", 0, 10), hit("b", 50, 60)])

  test.each([
    ["one", "It weighs 42 g [2].", [2], []],
    ["each once, by first marker", "x [2] y [1] z [2]", [2, 1], []],
    ["lists", "x [1, 2] and [2;1]", [1, 2], []],
    ["invented ones", "x [1] [99]", [1], [99]],
    ["none", "no marker, a[i] and [x]", [], []],
  ])("%s", (_, text, valid, invalid) => {
    const cited = citedIn(text, sources)
    expect(cited.citations.map(({ index }) => index)).toEqual(valid)
    expect(cited.invalid).toEqual(invalid)
  })

  test("brackets mean nothing where no passages were given", () => {
    expect(citedIn("array[1] and [99]", [])).toEqual({ citations: [], invalid: [] })
  })
})

describe("search queries", () => {
  const before = ["What was the revenue of the Tromsø branch in 2022?"]

  test.each(["and in 2023?", "What about its costs?", "why?", "Und 2023?"])(
    "%s takes its subject from before",
    message => {
      const { query, topic } = searchQuery(message, before)
      expect(topic).toContain("Tromsø")
      expect(query).toContain(message)
      expect(query).toContain("revenue")
    },
  )

  test.each(["Who staffs the village library on Thursday evenings?", "How often must the irrigation pump be primed?"])(
    "%s stands alone",
    message => {
      expect(searchQuery(message, before)).toEqual({ query: message, topic: "" })
    },
  )

  test("a chain of follow-ups leads back to the subject", () => {
    expect(searchQuery("and 2024?", [...before, "and 2023?"]).query).toContain("Tromsø")
  })

  test.each([
    ["Hello, where is the office?", "where is the office?"],
    ["Good morning! What does INV-2024-001 say?", "What does INV-2024-001 say?"],
    ["hi there: what is the notice period?", "what is the notice period?"],
    ["你好，办公室在哪里？", "办公室在哪里？"],
    ["Guten Tag,\nwo ist das Büro?", "wo ist das Büro?"],
  ])("%j is searched for without the greeting, as it is written", (message, query) => {
    expect(searchQuery(message, [])).toEqual({ query, topic: "" })
  })

  test.each([
    "Great Britain's exports",
    "Welcome bonus, who gets it?",
    "Morning shift: who works?",
    "Hello",
    "thanks!",
  ])("%j is searched for whole", message => {
    expect(searchQuery(message, []).query).toBe(message)
  })

  test("a first message has no topic, and a long one is cut", () => {
    expect(searchQuery("why?", []).query).toBe("why?")
    expect(searchQuery(`begin ${"x ".repeat(50_000)} end`, []).query.length).toBeLessThanOrEqual(2_000)
  })
})

describe("settings", () => {
  const meta = {
    model: "m",
    system_prompt: "s",
    context_id: "c",
    file_ids: ["file_1"],
    title: "t",
    redaction: true,
    crm: 1,
  }

  test("keys of additional_metadata stand in, the top level wins, other keys do nothing", () => {
    const filled = withFallbacks({ message: "x", model: "top", additional_metadata: meta })
    expect(filled).toMatchObject({ model: "top", system_prompt: "s", context_id: "c", title: "t", redaction: true })
    expect(filled).not.toHaveProperty("crm")
  })

  test.each([{ model: 7 }, { file_ids: "file_1" }, { system_prompt: {} }])("%j is refused by name", bad => {
    const field = `additional_metadata.${Object.keys(bad)[0]}`
    expect(() => withFallbacks({ additional_metadata: bad })).toThrow(field)
  })

  test("metadata over 16 KB is refused", () => {
    expect(() => withFallbacks({ additional_metadata: { x: "y".repeat(17_000) } })).toThrow("16 KB")
  })

  test("what a follow-up does not give is inherited", () => {
    const first = mergeSettings({ system_prompt: "s", thinking: true, options: { seed: 1 } })
    expect(mergeSettings({ thinking: false }, first)).toEqual({ ...first, thinking: false })
    expect(mergeSettings({})).toEqual(DEFAULT_SETTINGS)
  })

  test.each([
    [null, null],
    ["json", "json"],
    [{ type: "json_object" }, "json"],
    [{ type: "object" }, { type: "object" }],
    [{ type: "json_schema", json_schema: { schema: { type: "array" } } }, { type: "array" }],
  ])("response_format %j", (given, expected) => {
    expect(mergeSettings({ response_format: given }).response_format).toEqual(expected as never)
  })

  test("titles are the first words", () => {
    expect(titleOf("  What is\nthis?  ")).toBe("What is this?")
    const long = titleOf("word ".repeat(100))
    expect(long.length).toBeLessThanOrEqual(81)
    expect(long).toEndWith("word…")
  })
})
