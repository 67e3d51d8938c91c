/** The parts of the loop that have no side effects. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { leakedCall, readProtocol } from "../../src/agents/text-protocol.ts"
import type { ChatTurn } from "../../src/backends/backend.ts"
import { canonicalJson } from "../../src/canonical-json.ts"
import { Passages } from "../../src/grounding/passages.ts"
import { fitTranscript, transcriptTokens } from "../../src/grounding/transcript.ts"
import { NOWHERE } from "../../src/storage/document.ts"
import { compileSchema, findJson } from "../../src/tools/json-schema.ts"

const id = () => "c1"

describe("JSON in what a model wrote", () => {
  test.each<[string, unknown]>([
    ['{"a": 1}', { a: 1 }],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['Sure! Here: {"a": "}"} and more {', { a: "}" }],
    ["[1, 2]", [1, 2]],
    ["42", 42],
    ["no JSON", undefined],
    ['{"a": ', undefined],
    ['{"a": "\\"}"}', { a: '"}' }],
  ])("%s", (text, value) => expect(findJson(text)).toEqual(value))

  test("any value is found again between words", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), value =>
        expect(canonicalJson(findJson(`Answer: ${JSON.stringify(value)} - done`))).toBe(canonicalJson(value)),
      ),
    )
  })
})

describe("the text protocol", () => {
  test.each<[string, object]>([
    [
      '{"tool_calls": [{"name": "a", "arguments": {"x": 1}}]}',
      { calls: [{ id: "c1", name: "a", arguments: { x: 1 } }] },
    ],
    ['{"name": "a", "arguments": {}}', { calls: [{ id: "c1", name: "a", arguments: {} }] }],
    ['{"tool_calls": [{"name": "a"}]}', { calls: [{ id: "c1", name: "a", arguments: {} }] }],
    ['{"final_answer": "yes"}', { answer: "yes" }],
    ['{"final_answer": {"days": 3}}', { answer: '{"days":3}' }],
    ["Just words.", { answer: "Just words." }],
  ])("%s", (text, reply) => expect(readProtocol(text, id)).toEqual(reply as never))

  test.each([
    "",
    "  ",
    "{",
    '{"tool_calls": []}',
    '{"tool_calls": [{"arguments": {}}]}',
    '{"tool_calls": [{"name": "a", "arguments": [1]}]}',
    '{"something": 1}',
    '{"tool_calls": {"name": "a"}}',
  ])("malformed: %s", text => expect(readProtocol(text, id)).toHaveProperty("problem"))

  test("a call in the text of a native model is one only when it is all of the text and the tool exists", () => {
    const names = new Set(["calculate"])
    const call = '{"name": "calculate", "arguments": {"expression": "1"}}'
    expect(leakedCall(call, names, id)).toEqual({ id: "c1", name: "calculate", arguments: { expression: "1" } })
    expect(leakedCall(`<tool_call>\n${call}\n</tool_call>`, names, id)).toBeDefined()
    expect(leakedCall(`I would call ${call}`, names, id)).toBeUndefined()
    expect(leakedCall('{"name": "Ada", "arguments": {}}', names, id)).toBeUndefined()
    expect(leakedCall('{"name": "calculate"}', names, id)).toBeUndefined()
  })
})

describe("fitting the window", () => {
  const result = fc
    .string({ minLength: 0, maxLength: 4_000 })
    .map(content => ({ role: "tool" as const, content, toolCallId: "c", name: "t" }))
  const exchange = fc.tuple(fc.string({ maxLength: 200 }), fc.array(result, { minLength: 1, maxLength: 16 }))
  const transcript = fc.array(exchange, { maxLength: 8 }).map(exchanges => [
    { role: "system" as const, content: "You work." },
    { role: "user" as const, content: "The task." },
    ...exchanges.flatMap(([content, results]): ChatTurn[] => [
      {
        role: "assistant",
        content,
        toolCalls: results.map(({ content: sql }) => ({ id: "c", name: "t", arguments: { sql } })),
      },
      ...results,
    ]),
  ])

  test("it always fits, prompt and task stay, and no result loses its call", () => {
    fc.assert(
      fc.property(transcript, fc.integer({ min: 1_500, max: 8_000 }), (turns, budget) => {
        const fitted = fitTranscript(turns, budget)
        expect(transcriptTokens(fitted)).toBeLessThanOrEqual(budget)
        expect(fitted.slice(0, 2)).toEqual(turns.slice(0, 2))
        expect(fitted[2]?.role).not.toBe("tool")
        const calls = fitted.flatMap(turn => (turn.role === "assistant" ? (turn.toolCalls ?? []) : []))
        expect(fitted.filter(({ role }) => role === "tool")).toHaveLength(calls.length)
        if (transcriptTokens(turns) <= budget) expect(fitted).toEqual(turns)
      }),
      { numRuns: 60 },
    )
  })

  test("old results shrink before new ones, and say so", () => {
    const tool = (content: string): ChatTurn => ({ role: "tool", content, toolCallId: "c", name: "t" })
    const turns: ChatTurn[] = [
      { role: "system", content: "s" },
      { role: "user", content: "t" },
      { role: "assistant", content: "" },
      tool("old ".repeat(1_000)),
      { role: "assistant", content: "" },
      tool("new ".repeat(1_000)),
    ]
    const fitted = fitTranscript(turns, 1_400)
    expect(fitted[3]!.content).toContain("shortened")
    expect(fitted[5]).toEqual(turns[5]!)
  })
})

describe("output schemas", () => {
  test("drafts, formats and references are understood", () => {
    expect(compileSchema({ type: "array", prefixItems: [{ type: "integer" }], items: false })([1])).toEqual([])
    expect(
      compileSchema({
        $schema: "http://json-schema.org/draft-07/schema#",
        items: [{ type: "integer" }],
        additionalItems: false,
      })([1, 2]),
    ).toHaveLength(1)
    expect(compileSchema({ items: [{ type: "integer" }], additionalItems: false })([1, 2])).toHaveLength(1)
    expect(
      compileSchema({ $ref: "#/$defs/day", $defs: { day: { type: "string", format: "date" } } })("2024-13-01"),
    ).toEqual([{ field: "", issue: 'must match format "date"' }])
  })

  test("issues name the field and what is allowed", () => {
    const validate = compileSchema({
      type: "object",
      properties: { a: { type: "array", items: { enum: ["x", "y"] } } },
      additionalProperties: false,
    })
    expect(validate({ a: ["x", "z"], b: 1 })).toEqual([
      { field: "", issue: "must NOT have additional properties: b" },
      { field: "a.1", issue: 'must be equal to one of the allowed values: ["x","y"]' },
    ])
  })

  test.each([
    { type: "nonsense" },
    { $ref: "https://example.com/schema" },
    { type: "string", pattern: "(" },
    { type: "string", pattern: "(a)\\1" },
    { $async: true },
    { type: "object", properties: 5 },
    Array.from({ length: 60 }).reduce<object>(inner => ({ not: inner }), {}),
  ])("refused: %j", schema => expect(() => compileSchema(schema as Record<string, unknown>)).toThrow())

  test("a pattern that would take for ever elsewhere is answered at once", () => {
    const before = process.cpuUsage()
    expect(compileSchema({ type: "string", pattern: "^(a+)+$" })(`${"a".repeat(5_000)}!`)).toHaveLength(1)
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(10_000) // backtracking takes for ever
  })
})

test("passages keep their numbers; only numbers that were given are cited", () => {
  const passages = new Passages()
  const passage = (file_id: string, chunk_id: string | null, start = 0) => ({
    file_id,
    chunk_id,
    name: file_id,
    position: { ...NOWHERE, start, end: start + 9 },
  })
  expect([
    passages.add(passage("a", "chunk_1")),
    passages.add(passage("b", null)),
    passages.add(passage("a", "chunk_1")),
    passages.add(passage("b", null, 5)),
  ]).toEqual([1, 2, 1, 3])
  expect(passages.citedIn("x [3], y [1, 2] z [3] [9] [0] [a]").map(citation => citation.index)).toEqual([3, 1, 2])
})
