import { expect, test } from "bun:test"
import { ThinkTagSplitter } from "../../src/backends/think-tags.ts"

function split(pieces: string[]): [string, string] {
  const splitter = new ThinkTagSplitter()
  const parts = [...pieces.map(piece => splitter.push(piece)), splitter.end()]
  return [parts.map(part => part.thinking).join(""), parts.map(part => part.text).join("")]
}

const CASES: [name: string, text: string, thinking: string, answer: string][] = [
  ["a thought before the answer", "<think>plan</think>\n\nAnswer.", "plan", "Answer."],
  ["blanks before the tag", "\n <think>plan</think> Answer.", "plan", "Answer."],
  ["an empty thought", "<think>\n\n</think>\n\nAnswer.", "\n\n", "Answer."],
  ["another name of the tag", "<thinking>plan</thinking>Answer.", "plan", "Answer."],
  ["no thought", "3 < 4 and 5 > 4.", "", "3 < 4 and 5 > 4."],
  ["something that begins like the tag", "<thing> is no tag", "", "<thing> is no tag"],
  ["a tag that is spoken about later", "Use <think>x</think> tags.", "", "Use <think>x</think> tags."],
  ["a thought that mentions a tag", "<think>a <b> c</think>Answer.", "a <b> c", "Answer."],
  ["a thought without an end", "<think>never ends", "never ends", ""],
  ["an answer that stops inside a would-be tag", "<thi", "", "<thi"],
  ["nothing", "", "", ""],
]

test.each(CASES)("%s", (_, text, thinking, answer) => {
  expect(split([text])).toEqual([thinking, answer])
  expect(split([...text])).toEqual([thinking, answer])
  for (let at = 1; at < text.length; at++)
    expect(split([text.slice(0, at), text.slice(at)])).toEqual([thinking, answer])
})

test("an answer is passed on at once, without waiting for more", () => {
  const splitter = new ThinkTagSplitter()
  expect(splitter.push("Hello").text).toBe("Hello")
  expect(splitter.push(" <").text).toBe(" <")
})
