/** What the page makes of a reply's events. */
import { expect, test } from "bun:test"
import { emptyDraft, take } from "../../src/console/reply.ts"

const after = (...events: [event: string, data: unknown][]) =>
  events.reduce(
    (draft, [event, data], i) => take(draft, { id: String(i + 1), event, data }),
    emptyDraft({ text: "Why?", pictures: [] }),
  )

test("what goes on is said in words, work in parts with the part that is at work", () => {
  for (const [status, words] of [
    [{ phase: "retrieving" }, "Searching the library …"],
    [{ phase: "reading" }, "Reading the whole text …"],
    [{ phase: "reading", detail: { done: 6, total: 40 } }, "Reading part 7 of 40 …"],
    [{ phase: "reading", detail: { done: 40, total: 40 } }, "Reading part 40 of 40 …"],
    [{ phase: "summarizing", detail: { done: 0, total: 2 } }, "Summing up earlier messages: part 1 of 2 …"],
    [{ phase: "calling_tool", detail: "query_table" }, "Querying a table …"],
    [{ phase: "calling_tool", detail: "constructor" }, "Using a tool …"],
    [{ phase: "of_a_later_version" }, "Working …"],
  ] as const)
    expect(after(["status", status]).doing.words).toBe(words)
  expect(after(["status", { phase: "reading", detail: { done: 6, total: 40 } }]).doing.parts).toEqual({
    done: 6,
    total: 40,
  })
})

test("nothing is said any more once text flows", () => {
  const { doing } = after(
    ["status", { phase: "reading", detail: { done: 1, total: 2 } }],
    ["message_delta", { text: "A" }],
  )
  expect(doing).toEqual({ words: "", parts: null })
})

test("a result goes to its call; calls without one are at work", () => {
  const call = (id: string) => ({ tool_call_id: id, name: "calculate", arguments: { expression: "1+1" } })
  const { calls } = after(
    ["tool_call", call("a")],
    ["tool_call", call("b")],
    ["tool_result", { tool_call_id: "b", result: "2", is_error: false }],
  )
  expect(calls.map(({ id, result }) => [id, result])).toEqual([
    ["a", undefined],
    ["b", "2"],
  ])
})

test("an event that the page does not know changes nothing", () => {
  expect(after(["of_a_later_version", { text: "?" }])).toEqual(emptyDraft({ text: "Why?", pictures: [] }))
})
